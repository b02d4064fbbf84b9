"""Records of a small file in the format of CIFAR-10."""

N = 40
