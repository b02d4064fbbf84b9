"""P* of equal curves at several widths H: whether networks narrower than the paper's will do."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite

import numpy as np
import pandas as pd

from srhm.figures.selection import at_threshold, text_protocol
from srhm.results.coordinates import NET_AND_DATA
from srhm.statistics.regression import Fit, mean

LEAST = 3  # widths that a curve must have


@dataclass(frozen=True)
class WidthCheck:
    """P* by width, and what a width does on average.

    rows: those of `sample_complexity`, one for each curve and width. over: by width, the mean of
    log(P* at this width / P* at the reference) over the curves that reach both.
    """

    rows: pd.DataFrame
    reference: int
    over: dict[int, Fit]


def width_check(
    runs: Sequence[pd.DataFrame], *, reference: int, threshold: float
) -> WidthCheck | None:
    """Compares the widths of LCN and CNN by the text's protocol; None without such a curve.

    runs: tables of sample complexities; what several of them have is taken from the first. A curve
    enters if it has LEAST widths or more, one of them the reference.
    """
    main = [
        at_threshold(table, threshold).assign(run=number)
        for number, table in enumerate(runs)
        if len(table)
    ]
    if not main:
        return None
    rows = pd.concat(main, ignore_index=True)
    rows = rows[rows["net"].isin(("lcn", "cnn"))]
    same = [*NET_AND_DATA, "width"]
    # text_protocol is of one width and then leaves one engine for each curve.
    parts = [text_protocol(rows, width=int(width)) for width in sorted(rows["width"].unique())]
    rows = pd.concat([rows.head(0), *parts]).sort_values("run").drop_duplicates(same)
    by_curve = rows.groupby(list(NET_AND_DATA))["width"]
    enough = by_curve.transform("nunique") >= LEAST
    known = by_curve.transform(lambda widths: (widths == reference).any()).astype(bool)
    rows = rows[enough & known].sort_values(same)
    if rows.empty:
        return None
    reached = rows[rows["status"] == "reached"]
    reached = reached.assign(log=np.log(reached["P_star"].to_numpy(dtype=float)))
    logs = reached.pivot_table(index=list(NET_AND_DATA), columns="width", values="log")
    over = {}
    for width in sorted(set(reached["width"])):
        ratios = (logs[width] - logs[reference]).dropna().to_numpy(dtype=float)
        if width != reference and len(ratios):
            over[int(width)] = mean(ratios, [])
    return WidthCheck(rows=rows, reference=reference, over=over)


def in_words(check: WidthCheck) -> str:
    """The ratios as a sentence: H = 64: 0.97 [0.93, 1.01] (8 curves); ..."""
    parts = []
    for width, fit in check.over.items():
        known = isfinite(fit.standard_error)
        ends = f" [{exp(fit.low):.2f}, {exp(fit.high):.2f}]" if known else ""
        curves = f"{fit.n} curve{'s' if fit.n > 1 else ''}"
        parts.append(f"H = {width}: {exp(fit.slope):.2f}{ends} ({curves})")
    return "; ".join(parts) or "no curve reaches it at two widths"
