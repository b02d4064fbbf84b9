"""Training of one cell, by any engine, under one protocol."""
