"""What a study declares, and the keys of its section of a configuration. Imports no torch."""
