"""The paper: every figure of the Sparse Random Hierarchy Model."""
