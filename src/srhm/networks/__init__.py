"""Architectures: LCN, CNN, FCN of Eq. 9, and VGG, ResNet, EfficientNet."""
