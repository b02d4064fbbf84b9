"""Jamming: unsatisfied points and spectra of the Hessian."""
