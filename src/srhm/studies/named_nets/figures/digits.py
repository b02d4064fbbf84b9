"""Digits in place of CIFAR-10, for panels A and B of Figure 1: rows that the repository keeps.

They are those of the study of relative stability (thesis, chapter 4), in the shape of
`tables.IMAGES`.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from srhm.networks.registry import NAMED

COLUMNS = (
    *("net", "P", "seed", "width", "batch_size", "learning_rate", "loss_threshold", "max_steps"),
    *("n_points", "n_test", "status", "test_error", "relative_sensitivity"),
)


def digit_rows(files: Sequence[str]) -> pd.DataFrame:
    """VGG, ResNet, EfficientNet on digits with R_f of the trained network, a row each.

    files: the study's published tables, `cells.parquet` and `stability.parquet` among them.
    Without both there are no rows.
    """
    tables = {Path(file).stem: Path(file) for file in files}
    if not {"cells", "stability"} <= set(tables):
        return pd.DataFrame(columns=list(COLUMNS))
    cells = pd.read_parquet(tables["cells"])
    cells = cells[(cells["data"] == "digits") & cells["net"].isin(list(NAMED))]
    stability = pd.read_parquet(tables["stability"])
    trained = stability[
        (stability["part"] == "output")
        & (stability["when"] == "end")
        & (stability["average"] == "median")
    ]
    rows = cells.merge(trained[["key", "R"]], on="key").rename(
        columns={"R": "relative_sensitivity"}
    )
    whole = ["P", "seed", "width", "batch_size", "max_steps", "n_points", "n_test"]
    rows = rows.astype(dict.fromkeys(whole, int))
    return rows[list(COLUMNS)].sort_values(["net", "P", "seed"], ignore_index=True)
