"""P* of LCN and CNN trained by several optimisers."""
