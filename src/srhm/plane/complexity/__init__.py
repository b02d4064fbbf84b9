"""Sample complexity from lazy to feature learning."""
