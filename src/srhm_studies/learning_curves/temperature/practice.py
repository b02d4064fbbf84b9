"""P* by the text's training over P* by that of the published figures, measured and from T alone.

Measured: two curves of one grammar in the published rows of sparse_hierarchy, the text's and one
with the authors' balanced batches and table of rates. Predicted: P* of this study at the T of both.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from srhm.model.grammar import NET_AND_DATA
from srhm.statistics.sample_complexity import sample_complexity
from srhm.store.tables import CELLS
from srhm_studies.learning_curves.temperature.analysis import (
    COLUMNS,
    MAIN,
    TEXT,
    THRESHOLD,
    at_ratio,
    between,
    line_of,
    minus,
    points_of,
    ratio_of,
    table_ratio,
)

PRACTICE = pa.schema(
    [
        *(CELLS.field(name) for name in NET_AND_DATA),
        CELLS.field("width"),
        ("ratio", pa.float64()),
        ("measured", pa.float64()),
        ("predicted", pa.float64()),
    ]
)
# As the text trains but for the width; the practice differs in batch and rate.
_ALIKE = {name: MAIN[name] for name in ("engine", "batch_size", "momentum", "loss_threshold")}


def practice(
    cells: pd.DataFrame, table: pd.DataFrame, *, published: Sequence[str] = (), threshold: float
) -> pd.DataFrame:
    """Rows (PRACTICE) for each grammar with both curves there, and both T on its line here.

    ratio: T of the practice. cells, table: of this study, CELLS and COMPLEXITIES. published: files
    of published cells of sparse_hierarchy. threshold: of the preset; nothing is found for another
    than 10 %.
    """
    if table.empty or not np.isclose(threshold, THRESHOLD):
        return pd.DataFrame(columns=PRACTICE.names)
    found = points_of(
        line_of(table), cells, minus(at_ratio(TEXT), between(table_ratio)), small_pools=True
    )
    predicted = found.families[list(NET_AND_DATA)].assign(predicted=np.exp(found.log_P))
    measured = [_measured(pd.read_parquet(Path(file))) for file in published]
    if not measured:
        return pd.DataFrame(columns=PRACTICE.names)
    both = predicted.merge(pd.concat(measured, ignore_index=True), on=list(NET_AND_DATA))
    # Of several published runs the first that has a grammar.
    return both.drop_duplicates(list(NET_AND_DATA))[PRACTICE.names].reset_index(drop=True)


def _measured(cells: pd.DataFrame) -> pd.DataFrame:
    """P* of the text's curves over those of the practice's on equal data and at equal width."""
    plain = ~cells["whitening"].astype(bool) & ~cells["bias"].astype(bool)
    for name, value in _ALIKE.items():
        plain &= cells[name] == value
    own = cells[plain & cells["net"].isin(("lcn", "cnn"))]
    values = own[[*COLUMNS, "P", "seed"]].assign(criterion="test_error", value=own["test_error"])
    found = sample_complexity(values, thresholds={"test_error": [THRESHOLD]}, columns=COLUMNS)
    found = found[found["status"] == "reached"]
    rows = found.to_dict("records")
    found = found.assign(
        ratio=[ratio_of(row) for row in rows], wanted=[table_ratio(row) for row in rows]
    )
    text = found[(found["batch"] == "shuffled") & np.isclose(found["ratio"], TEXT)]
    theirs = found[(found["batch"] == "balanced") & np.isclose(found["ratio"], found["wanted"])]
    both = theirs.merge(text, on=[*NET_AND_DATA, "width"], suffixes=("", "_text"))
    return both.assign(measured=both["P_star_text"] / both["P_star"])
