"""The explorer: one HTML file that shows the tables of a run, chosen and linked by its reader."""
