"""Jamming of digits, gaps, minima, fluctuations, random features."""
