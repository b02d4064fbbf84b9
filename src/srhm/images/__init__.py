"""Images: CIFAR-10 and MNIST, smooth deformations, and networks that are trained on CIFAR-10."""
