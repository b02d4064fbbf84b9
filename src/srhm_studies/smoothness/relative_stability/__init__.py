"""Relative stability to diffeomorphisms of images, and what stands for it on other data."""
