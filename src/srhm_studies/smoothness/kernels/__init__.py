"""Learning curves of kernel methods."""
