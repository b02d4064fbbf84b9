"""Keys, stored cells, tables, places, published rows."""
