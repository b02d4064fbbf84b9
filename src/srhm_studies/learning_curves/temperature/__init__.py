"""What the ratio of learning rate to batch size does to the sample complexity."""
