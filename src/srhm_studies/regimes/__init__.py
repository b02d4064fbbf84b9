"""Lazy and feature learning: times, windows, a stripe."""
