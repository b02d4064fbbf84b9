"""Double descent: error and norm against the number of weights."""
