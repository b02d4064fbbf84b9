"""Sources far from the model: equivariance, memory, the cost of representations."""
