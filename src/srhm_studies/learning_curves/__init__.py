"""What moves P*: temperature, sharing, depth, optimisers, attention, teaching, latents."""
