"""R^(0) and R^(1) of maps: the limit of ||theta||^2 / L and its first correction.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slides "Infinite Depth
Limit" and "First correction": R(f; L) = L R^(0) + R^(1) + ...
"""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from srhm_studies.beyond.representation_cost.readings import stable

LIMITS = pa.schema(
    [
        ("map", pa.string()),
        ("seed", pa.int64()),
        *((name, pa.float64()) for name in ("R0", "R1", "residual")),
        ("n_depths", pa.int64()),
        *((name, pa.float64()) for name in ("log_jacobian", "weight_rank")),
        ("L", pa.int64()),
    ]
)
# What comes after R^(1) falls as 1 / L and is left out of the fit: so are small L.
FIRST_DEPTH = 6
LEAST_DEPTHS = 3


def limit_rows(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each map and seed with stable networks (`readings.stable`) at LEAST_DEPTHS depths.

    R0 is the intercept and R1 the slope of ||theta||^2 / L against 1 / L from FIRST_DEPTH on, by
    least squares; residual: the largest distance from the line. log_jacobian, weight_rank: of the
    deepest network, whose depth is L.
    """
    rows = []
    own = cells[(cells["experiment"] == "maps") & (cells["status"] == "done")]
    own = own[(own["L"] >= FIRST_DEPTH) & stable(own)]
    groups: Any = own.groupby(["map", "seed"])
    for (name, seed), group in groups:
        if group["L"].nunique() < LEAST_DEPTHS:
            continue
        inverse = 1 / group["L"].to_numpy(dtype=float)
        heights = group["squared_parameters"].to_numpy(dtype=float) * inverse
        slope, intercept = np.polyfit(inverse, heights, 1)
        deepest = group.loc[group["L"].idxmax()]
        rows.append(
            {
                "map": name,
                "seed": int(seed),
                "R0": float(intercept),
                "R1": float(slope),
                "residual": float(np.max(np.abs(heights - intercept - slope * inverse))),
                "n_depths": int(group["L"].nunique()),
                "log_jacobian": float(deepest["log_jacobian"]),
                "weight_rank": float(deepest["weight_rank"]),
                "L": int(deepest["L"]),
            }
        )
    return rows
