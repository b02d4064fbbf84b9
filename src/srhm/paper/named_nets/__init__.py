"""VGG, ResNet and EfficientNet: Figures 1, 9, 17 and Table 1 of the paper."""
