"""The stripe model: labels that depend on one direction of the input."""
