"""Jamming and double descent on real images."""
