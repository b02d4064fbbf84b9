"""What is kept: cells, tables, where they come from, published rows."""
