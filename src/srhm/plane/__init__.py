"""Lazy and feature learning on the SRHM: the (h, alpha) plane of networks, and their spectra."""
