"""The forest plot: what was measured over what is expected, claim by claim, in three forms."""
