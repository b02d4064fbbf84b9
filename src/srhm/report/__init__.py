"""The report: one HTML file for a person, from the tables, the figures and the documents."""
