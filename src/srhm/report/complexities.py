"""Sample complexities against alpha_tilde, for the pages of studies that measure them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from srhm.report.page_table import (
    INTERVAL,
    NONE,
    PageTable,
    complexity,
    grouped,
    interval,
    net_name,
    percent,
)

CRITERIA = {
    "test_error": "ε",
    "ensemble": "ε of the ensemble",
    "initial_kernel": "ε of the initial kernel",
    "end_kernel": "ε of the final kernel",
}
NOTE = (
    "P* is the number of training points from which on the test error ε, averaged over the seeds,"
    " stays at or below the threshold. “>” and “<”: never below the threshold, or below it from the"
    " smallest P on. Frozen kernels are the tangent kernels at initialisation and at the end of"
    " training, themselves trained on the same data. The prediction is Eq. 3 (LCN) or Eq. 4 (CNN)."
)
COLUMNS = (
    *("Net", "L", "s_0", "v", "m", "Width", "α̃", "Training", "Of"),
    *("P*", INTERVAL, "Prediction", "Seeds that reach it"),
)


def complexity_tables(
    tables: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]
) -> list[PageTable]:
    """P* of every curve, α̃ and criterion, censored ones as bounds, in the order of the table."""
    rows = tables["sample_complexity"].to_dict("records")
    return [
        PageTable(
            title="Sample complexities against α̃",
            note=NOTE,
            columns=COLUMNS,
            rows=[_cells(row) for row in rows],
            words={"Net", "Training", "Of"},
            main="P*",
        )
    ]


def _cells(row: Mapping[Any, Any]) -> list[str | int]:
    criterion = CRITERIA.get(row["criterion"], row["criterion"])
    return [
        net_name(row["net"]),
        *(row[name] for name in ("L", "s0", "v", "m", "width")),
        f"{row['alpha_tilde']:g}",
        str(row["training"]).replace("_", " "),
        f"{criterion} ≤ {percent(row['threshold'])}",
        complexity(row),
        interval(row),
        grouped(row["prediction"]) if row["prediction"] > 0 else NONE,
        f"{row['n_seeds_reached']} of {row['n_seeds']}",
    ]
