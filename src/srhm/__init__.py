"""The Sparse Random Hierarchy Model: data, networks, training and measurement."""
