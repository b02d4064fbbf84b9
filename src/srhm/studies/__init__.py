"""One folder for each study."""
