"""Random features: a frozen first layer and a readout without ridge."""
