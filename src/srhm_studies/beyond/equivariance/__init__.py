"""Networks that are equivariant under rotations."""
