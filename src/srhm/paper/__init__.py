"""The studies of the paper: sample complexity and invariances, common architectures, images."""
