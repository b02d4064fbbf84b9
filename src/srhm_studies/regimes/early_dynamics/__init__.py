"""Study: the beginning of training, and what the gradient flow depends on."""
