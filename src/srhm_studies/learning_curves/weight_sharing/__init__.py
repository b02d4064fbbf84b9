"""Networks between LCN and CNN: which shared weights save which power of s_0+1."""
