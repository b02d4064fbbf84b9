"""Studies whose cells are no trained networks of the present kinds, but what a function returns."""
