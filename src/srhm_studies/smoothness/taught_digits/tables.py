"""Table of the study: a row for each cell. Letters: P training digits; D, G, R as of the thesis."""

from srhm.experiments.cells import schema

# D, G, R of the output, to deformations and to shifts (places): see `experiment`.
CELLS = schema(
    {
        "net": str,
        "taught": str,
        "P": int,
        "width": int,
        "max_steps": int,
        "n_test": int,
        "n_points": int,
        "steps": int,
        "train_loss": float,
        "test_error": float,
        **{f"{name}_{kind}": float for kind in ("deformations", "places") for name in "DGR"},
    }
)
