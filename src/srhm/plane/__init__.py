"""The paper's study in the plane of lazy and feature learning: output scale, width, spectra."""
