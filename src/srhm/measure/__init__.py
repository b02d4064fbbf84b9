"""Trained networks -> sensitivities, Hessians, spectra, frozen kernels."""
