"""The page that shows all curves, with views that are linked."""
