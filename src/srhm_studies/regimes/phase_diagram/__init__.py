"""The plane of width and output scale on digits, and what features do to a kernel."""
