"""Whether teaching a network an invariance, by augmentation, teaches it the task."""
