"""Lazy and feature learning of real images, by depth."""
