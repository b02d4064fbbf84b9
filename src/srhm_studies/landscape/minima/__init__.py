"""Jamming at minima of the loss (thesis, chapter 1)."""
