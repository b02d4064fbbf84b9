"""What one job needs: its device, its stop, its log."""
