"""Sample complexities of deeper hierarchies: whether exponents of s_0+1 are those of L = 2, 3."""
