"""The columns of a table that say which data a row is about, and which net learns them.

Letters of the paper: L depth, s branching, s0 (s_0) empty places for each informative one, v
features, m synonyms, n_c classes; sparsity is A or B (section 3).
"""

GRAMMAR = ("L", "s", "s0", "v", "m", "n_c")
DATA_MODEL = (*GRAMMAR, "sparsity")
NET_AND_DATA = ("net", *DATA_MODEL)
