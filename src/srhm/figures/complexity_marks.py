"""Sample complexities as marks: L by fill, s_0 by shape, with intervals, arrows and small pools.

Letters of the paper: P* sample complexity, L depth, s_0 (s0) empty places for each informative one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from srhm.figures.looks import Look
from srhm.figures.panels import ABOVE, BELOW, Marks
from srhm.figures.scales import Scale, nets
from srhm.figures.selection import at_threshold
from srhm.statistics.regression import CONFIDENCE
from srhm.statistics.sample_complexity import SMALL_POOL

SHAPES = {0: "o", 1: "s", 2: "^", 3: "p", 4: "D", 6: "v"}
OTHER_SHAPE = "X"
PAPER_COLOUR = "0.62"  # of the authors' points
FAINT = 0.35  # opacity of a P* above a tenth of all data


def shape(n_empty: int) -> str:
    """Marker of an s_0."""
    return SHAPES.get(n_empty, OTHER_SHAPE)


def depths(rows: pd.DataFrame) -> Scale:
    """L by fill: open at L = 2, full at 3; a scale of shapes comes after it."""
    marker, values = first_shape(rows), sorted({int(depth) for depth in rows["L"]})
    looks_of = {L: Look(f"${L}$", marker=marker, filled=bool(L % 2)) for L in values}
    return Scale(column="L", looks=looks_of, title="$L$")


def empty_places(values: Iterable[int]) -> Scale:
    """s_0 by shape."""
    shapes = {s0: shape(s0) for s0 in sorted({int(s_0) for s_0 in values})}
    looks_of = {s0: Look(f"${s0}$", marker=marker) for s0, marker in shapes.items()}
    return Scale(column="s0", looks=looks_of, title="$s_0$")


def net_colours(values: Iterable[str]) -> Scale:
    """Networks by colour."""
    return replace(nets(values).without("marker"), named=True)


def with_ends(rows: pd.DataFrame, *, of: str = "", unit: Any = 1.0) -> pd.DataFrame:
    """Rows of P* with what is drawn of them, in units: y, y_low, y_high, y_beyond; faint.

    of: ending of the columns P_star, P_star_low, P_star_high, status and of those that are added.
    y is the bound of a censored P*, on the side of which y_beyond (1, -1) says that P* lies; NaN
    where no bound is known. faint: at P* the training set is a large part of all data.
    """
    status = rows[f"status{of}"]
    low, high = (rows[f"P_star_{end}{of}"].astype(float) for end in ("low", "high"))
    beyond = (status == "not_reached") * ABOVE + (status == "below_range") * BELOW
    value = rows[f"P_star{of}"].astype(float).where(beyond == 0, low.where(beyond > 0, high))
    value = value.where((value > 0) & np.isfinite(value))
    known = (beyond == 0) & np.isfinite(low) & np.isfinite(high)
    faint = rows.get(f"small_pool{of}", pd.Series(False, index=rows.index)).astype(bool)
    added = {"y": value / unit, "y_low": low.where(known) / unit,
             "y_high": high.where(known) / unit, "y_beyond": beyond,
             "faint": faint & (beyond == 0)}  # fmt: skip
    return rows.assign(**{f"{name}{of}": column for name, column in added.items()})


def stars(rows: pd.DataFrame, x: str, by: Sequence[Scale], **other: Any) -> Marks:
    """P* of rows of `with_ends` with its interval, or the bound of a censored one with an arrow."""
    return Marks(**{
        "rows": rows.assign(censored=rows["y_beyond"] != 0), "x": x, "y": "y", "low": "y_low",
        "high": "y_high", "beyond": "y_beyond", "open": "censored", "by": by, "name": "P*",
        "arrow_label": "$P^*$ is", **other,
    })  # fmt: skip


def over_dense_law(sample_complexity: pd.DataFrame, *, threshold: float) -> pd.DataFrame:
    """`with_ends` of the rows of SAMPLE_COMPLEXITY at a test error, in units of n_c m^L."""
    rows = at_threshold(sample_complexity, threshold)
    return with_ends(rows, unit=rows["n_c"] * rows["m"] ** rows["L"])


def complexity_marks(
    rows: pd.DataFrame, *, x: str, by: Sequence[Scale], **other: Any
) -> list[Marks]:
    """`stars` of networks, none of them hollow; those that are faint have an entry of their own."""
    scales = [net_colours(rows["net"]), *by]
    shared = {"open": "", "bar_label": f"{100 * CONFIDENCE:.3g} % interval over seeds",
              "arrow_label": "censored: $P^*$ is", **other}  # fmt: skip
    pool = f"$P^*$ above {100 * SMALL_POOL:.3g} % of all data"
    return [
        stars(rows[~rows["faint"]], x, scales, name="ours", **shared),
        stars(rows[rows["faint"]], x, scales, name="ours small pool", label=pool, alpha=FAINT,
              marker=_shape_in(by), **shared),
    ]  # fmt: skip


def unknown(rows: pd.DataFrame) -> list[str]:
    """A note on rows of `with_ends` that are not drawn, as no bound of their P* is known."""
    n = int(rows["y"].isna().sum())
    return [f"{n} of the curves have no bound of P* and are not drawn."] if n else []


def papers_marks(rows: pd.DataFrame, *, x: str, y: str, by: Sequence[Scale]) -> Marks:
    """The authors' points, small and grey, over ours."""
    return Marks(rows=rows, x=x, y=y, by=by, colour=PAPER_COLOUR, size=2.6, order=5.0,
                 marker=_shape_in(by), label="authors' points, 1 seed",
                 name="published")  # fmt: skip


def _shape_in(by: Sequence[Scale]) -> str:
    """A shape of the figure's scales, the same in all panels, for entries of the legend."""
    shapes = [look.marker for scale in by for look in scale.looks.values() if look.marker]
    return shapes[0] if shapes else "o"


def first_shape(rows: pd.DataFrame) -> str:
    """A shape that is among the marks, for their entry in the legend."""
    return shape(int(rows["s0"].min())) if len(rows) else "o"
