"""Measured P* of networks, to stand beside the kernels: from the rows in published/."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from srhm.model.grammar import GRAMMAR
from srhm.statistics.publications import published_complexities

# P_star: from which on the test error is at most the threshold; NaN where it is not reached.
NETWORKS = pa.schema(
    [
        ("net", pa.string()),
        *((name, pa.int64()) for name in GRAMMAR),
        *((name, pa.float64()) for name in ("P_star", "P_star_low", "P_star_high")),
        ("status", pa.string()),
        ("n_seeds", pa.int64()),
        ("origin", pa.string()),
    ]
)


def networks(*, published: Sequence[str], threshold: float) -> pd.DataFrame:
    """A row of NETWORKS for each net and grammar: of several presets that of most seeds."""
    frames = [published_complexities(Path(file), threshold=threshold) for file in sorted(published)]
    frames = [one for one in frames if len(one)]
    if not frames:
        return pd.DataFrame(columns=NETWORKS.names)
    rows = pd.concat(frames, ignore_index=True)
    rows = rows.sort_values("n_seeds", ascending=False, kind="stable")
    return rows.drop_duplicates(["net", *GRAMMAR]).sort_index()[NETWORKS.names]


def of_grammars(measured: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Those of the networks that reach their P* on a grammar of these rows."""
    grammars = rows[list(GRAMMAR)].dropna().drop_duplicates().astype("int64")
    return measured[measured["status"] == "reached"].merge(grammars, on=list(GRAMMAR))
