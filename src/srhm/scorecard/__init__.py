"""What a claim is, what a measurement of it, and when it holds."""
