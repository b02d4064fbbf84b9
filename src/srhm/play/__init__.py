"""A page to play with: draw a grammar, change a datum, train a small network in the browser."""
