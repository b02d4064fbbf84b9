"""Fluctuations of the output and the test error beyond jamming."""
