"""The page to draw data and train networks in a browser."""
