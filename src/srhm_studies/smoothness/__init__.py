"""Kernels, relative stability to deformations, taught digits."""
