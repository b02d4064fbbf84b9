"""Error, kernel change and variance from lazy to feature learning."""
