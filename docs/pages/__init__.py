"""What programs write of results into README.md and docs: numbers, tables, pictures."""
