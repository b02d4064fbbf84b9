"""Figure 1 A, B: CIFAR-10."""
