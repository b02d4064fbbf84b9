"""Whether networks trained with one kind of sparsity classify data of the other."""
