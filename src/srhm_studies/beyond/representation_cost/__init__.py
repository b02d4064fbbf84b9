"""The representation cost of deep networks with weight decay."""
