"""Figures of the learning curves of kernel methods."""
