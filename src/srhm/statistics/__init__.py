"""Regressions, rank correlations, sample complexities."""
