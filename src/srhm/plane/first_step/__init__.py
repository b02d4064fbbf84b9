"""The first step of gradient descent."""
