"""Images: CIFAR-10, smooth deformations of it, and the networks of Figure 1 A, B."""
