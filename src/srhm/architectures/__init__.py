"""Networks that learn the Sparse Random Hierarchy Model."""
