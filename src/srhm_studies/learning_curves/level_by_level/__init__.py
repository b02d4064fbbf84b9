"""The algorithm of an article's proof, level by level: random features, ridge, clusters."""
