"""Layer by layer against end to end."""
