"""What the figures of the study share: means over runs, guides with the slope of a law, titles."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srhm.figures.looks import PURPLE, VERMILION, Look
from srhm.figures.marks import between, plural
from srhm.figures.panels import Axis, Marks, laws
from srhm.figures.scales import Scale, by_name, distinct

KERNELS = {"laplace": Look("Laplace", VERMILION), "gauss": Look("Gauss", PURPLE)}
SIZE = Axis("training points $P$", log=True)
ERROR = Axis("mean squared error / variance", log=True)


def kernels(rows: pd.DataFrame, column: str = "kernel", title: str = "Kernel") -> Scale:
    """A colour for each kernel."""
    return by_name(column, rows[column], KERNELS, title)


def dimensions(rows: pd.DataFrame, title: str = "$d$") -> Scale:
    """A colour and a marker for each dimension."""
    return distinct("d", rows["d"].dropna().astype(int), title)


def curve(
    rows: pd.DataFrame, quantity: str, by: Sequence[str], *, positive: bool = True
) -> pd.DataFrame:
    """Means over runs against P with their standard error: columns by, P, quantity, low, high.

    positive: means that are not cannot stand on logarithmic axes and are left out.
    """
    known = rows.dropna(subset=[quantity])
    found = known.groupby([*by, "P"])[quantity].agg(["mean", "sem"]).fillna({"sem": 0.0})
    found = found[found["mean"] > 0] if positive else found
    low = np.maximum(found["mean"] - found["sem"], found["mean"] / 10)
    return found.assign(**{quantity: found["mean"]}, low=low, high=found["mean"] + found["sem"])[
        [quantity, "low", "high"]
    ].reset_index()


def drawn(rows: pd.DataFrame, quantity: str, by: Sequence[Scale], **others: Any) -> Marks:
    """A curve with its band, against P."""
    found = curve(rows, quantity, [scale.column for scale in by])
    return Marks(**{"rows": found, "x": "P", "y": quantity, "low": "low", "high": "high",
                    "band": True, "by": by, "line": "-", "size": 3.5, "name": "curve",
                    **others})  # fmt: skip


def guides(
    means: pd.DataFrame,
    quantity: str,
    by: Scale,
    exponent: Callable[[Any], float],
    *,
    x: str = "P",
) -> Marks:
    """A dashed line of slope -exponent of the family, through its last point, over a decade."""
    rows = []
    for value, own in means.sort_values(x).groupby(by.column):
        power = exponent(value)
        end, height = float(own[x].iloc[-1]), float(own[quantity].iloc[-1])
        for at in (max(end / 10, float(own[x].iloc[0])), end):
            if power < float("inf"):
                rows.append({by.column: value, x: at, quantity: height * (at / end) ** -power})
    found = pd.DataFrame(rows, columns=[by.column, x, quantity])
    law = laws(found, x, quantity, "slope of the law", by=[by.without("marker", "colour")],
               name="guide")  # fmt: skip
    return replace(law, order=4.0)


def runs(rows: pd.DataFrame) -> str:
    """How many runs the curves of a panel are means of, for its title."""
    if rows.empty:
        return ""
    counts = rows.groupby(["curve", "P"], dropna=False)["seed"].nunique()
    return f", {between(counts)} {plural('run', int(counts.max()))}"
