"""What is measured of trained cells of the plane: one module and one table for each measurement."""
