"""The data: grammars, samples of them, their input, and the closed forms of the paper."""
