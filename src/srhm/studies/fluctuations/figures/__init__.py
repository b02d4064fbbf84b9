"""Figures of the study."""
