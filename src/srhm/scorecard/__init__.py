"""What a claim is, what a measurement of it, and what decides between them."""
