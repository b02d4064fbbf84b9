"""Further studies, on the declarations of `srhm`: none is needed to read the paper."""
