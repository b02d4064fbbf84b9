"""Latents from the contexts of tuples, without labels: how many points their counts need."""
