"""P* of equal curves at several widths H: whether networks narrower than the paper's will do."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite

import numpy as np
import pandas as pd

from srhm.figures.selection import at_threshold, text_protocol
from srhm.model.grammar import NET_AND_DATA
from srhm.scorecard.complexity_rows import with_rates
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
    runs: Sequence[tuple[pd.DataFrame, pd.DataFrame]], *, reference: int, threshold: float
) -> WidthCheck | None:
    """Compares the widths of LCN and CNN by the text's protocol; None without such a curve.

    runs: tables of sample complexities and of cells, which tell the learning rates; what several
    runs have is taken from the first. A curve, of one grammar and rate, enters if it has LEAST
    widths or more, one of them the reference.
    """
    parts = []
    for number, (complexities, cells) in enumerate(runs):
        if complexities.empty:
            continue
        table = with_rates(at_threshold(complexities, threshold), cells)
        table = table[table["net"].isin(("lcn", "cnn"))].assign(run=number)
        # text_protocol is of one width and leaves one engine for each curve.
        parts += [text_protocol(table, width=int(width)) for width in set(table["width"])]
    parts = [part for part in parts if len(part)]
    if not parts:
        return None
    curve = [*NET_AND_DATA, "rate"]
    rows = pd.concat(parts, ignore_index=True).sort_values("run")
    rows = rows.drop_duplicates([*curve, "width"])
    by_curve = rows.groupby(curve, dropna=False)["width"]
    enough = by_curve.transform("nunique") >= LEAST
    known = by_curve.transform(lambda widths: (widths == reference).any()).astype(bool)
    rows = rows[enough & known].sort_values([*curve, "width"])
    if rows.empty:
        return None
    reached = rows[rows["status"] == "reached"]
    reached = reached.assign(log=np.log(reached["P_star"].to_numpy(dtype=float)))
    reached = reached.assign(curve=reached.groupby(curve, dropna=False).ngroup())
    logs = reached.pivot(index="curve", columns="width", values="log")
    over = {}
    for width in sorted(set(reached["width"])):
        if width == reference or reference not in logs:
            continue
        ratios = (logs[width] - logs[reference]).dropna().to_numpy(dtype=float)
        if len(ratios):
            over[int(width)] = mean(ratios)
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
