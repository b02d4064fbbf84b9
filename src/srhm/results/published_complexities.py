"""P* of networks that gradient descent trains end to end, from the rows in published/."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from srhm.results.coordinates import GRAMMAR

OPTIONS = ("whitening", "bias", "alpha", "width", "engine")
ROWS = ("P_star", "P_star_low", "P_star_high", "status", "n_seeds", "small_pool")


def published_complexities(
    file: Path, *, threshold: float, nets: Sequence[str] = ("lcn", "cnn")
) -> pd.DataFrame:
    """P* of the test error for each grammar of s = 2 and sparsity A, in the order of the file.

    file: published/PRESET/sparse_hierarchy/sample_complexity.parquet; batches drawn by class are
    left out, and of curves that differ in the rate alone all but the first. Columns: origin, net,
    GRAMMAR, ROWS.
    """
    table = pd.read_parquet(file)
    at = np.isclose(table["threshold"].to_numpy(dtype=float), threshold)
    own = table[at & (table["criterion"] == "test_error") & (table["sparsity"] == "A")]
    own = own[own["net"].isin(list(nets)) & (own["s"] == 2)]
    own = own[~own["batch"].astype(str).str.startswith("balanced")]
    own = own.drop_duplicates(["net", *GRAMMAR, *own.columns.intersection(OPTIONS)])
    return own[["net", *GRAMMAR, *ROWS]].assign(origin=f"{file.parts[-3]}/sparse_hierarchy")
