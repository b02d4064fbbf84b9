"""Whether teaching a network an invariance, by augmentation, teaches it real digits."""
