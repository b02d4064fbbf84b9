"""Training loss, test error and sensitivities in time, at two rates and one P between their P*.

Letters of the paper: S_{k,l}, D_{k,l} sensitivities of layer k to synonyms and displacements of
level l. The time is steps times the rate over (1 - momentum).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from srhm.figures.drawing import styled
from srhm.figures.legends import Entry
from srhm.figures.looks import BLACK, LINES, PURPLE, Look
from srhm.figures.marks import plural
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel
from srhm.figures.scales import Scale, by_name, coloured, parted
from srhm.results.coordinates import NET_AND_DATA

LOOKS = {"train_loss": Look("training loss", BLACK), "test_error": Look("test error", PURPLE)}
LEVEL = 1  # of the transformations that are drawn
LABELS = ("loss, error", f"$S_{{k,{LEVEL}}}$", f"$D_{{k,{LEVEL}}}$")
TIME = "time: steps $\\times\\,\\eta/(1-\\mu)$"
N_TIMES = 60  # of the common grid to which single trainings are interpolated
LEAST = 1e-3  # of what is drawn in logarithms


@styled
def draw(
    cells: pd.DataFrame,
    histories: pd.DataFrame,
    sensitivity_histories: pd.DataFrame,
    *,
    preset: str,
) -> Figure:
    """A column for each case, rows: loss and error, S_{k,1}, D_{k,1}; averages over seeds.

    cells, histories, sensitivity_histories: rows of CELLS, HISTORIES, SENSITIVITY_HISTORIES. A case
    is a net on one grammar's size at one P. Full: the largest rate; dashed: the next. Geometric
    means over seeds, each interpolated in log time up to the end of the first that stops.
    """
    watched = cells[cells["key"].isin(histories["key"])].drop_duplicates("key")
    cases = list(watched.groupby([*NET_AND_DATA, "P"], sort=False))
    errors = histories.melt(["key", "time"], list(LOOKS), "what")
    felt = sensitivity_histories
    felt = felt[(felt["l"] == LEVEL) & (felt["n"] > 0)].assign(what=felt["layer"].astype(str))
    rates = sorted(set(watched["learning_rate"].astype(float)), reverse=True)
    by_rate = Scale(column="rate", title="Learning rate", looks={
        rate: Look(f"$\\eta={rate:g}$", line=style)
        for rate, style in zip(rates, LINES, strict=False)
    })  # fmt: skip
    tops = by_name("what", LOOKS, LOOKS, "Top")
    layers = coloured("what", felt["what"], "Layers",
                      label=lambda k: k if k == "output" else f"$k={k}$")  # fmt: skip
    rows = ((errors, tops, "error"), *((felt[felt["kind"] == one], layers, one) for one in "SD"))
    panels = []
    for (found, by, name), label in zip(rows, LABELS, strict=True):
        for _, own in cases:
            means = _means(own, found)
            one, n = own.iloc[0], own["seed"].nunique()
            title = (
                f"{one['net'].upper()}, $L={one['L']}$, $v={one['v']}$, $s_0={one['s0']}$, "
                f"$P={one['P']}$: {n} {plural('seed', n)}"
            )
            panels.append(Panel(
                title=title if label == LABELS[0] else "", y=Axis(label, log=True),
                x=Axis(TIME if label == LABELS[-1] else "", log=True),
                marks=[Marks(rows=means, x="time", y="value", by=[by_rate, by], name=name,
                             marker="", line="-")],
                extra=None if len(means) else _none, has_extra=means.empty,
            ))  # fmt: skip
    return mosaic(panels, columns=max(len(cases), 1), preset=preset, height=2.0, share="x")


def _none(axes: Axes) -> Sequence[Entry]:
    """No place is empty, so that nothing can be displaced."""
    axes.text(0.5, 0.5, "none: $s_0=0$", transform=axes.transAxes, ha="center")
    axes.set_yticks([])
    axes.set_yticks([], minor=True)
    return []


def _means(cells: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Averages over the trainings of these cells, by learning rate and what they are of."""
    own = rows.merge(cells[["key", "learning_rate"]], on="key")
    parts = [
        averages(part).assign(rate=rate, what=what)
        for (rate, what), part in parted(own, "learning_rate", "what")
    ]
    filled = [part for part in parts if len(part)]
    return pd.concat(filled) if filled else pd.DataFrame(columns=["time", "value", "rate", "what"])


def averages(rows: pd.DataFrame) -> pd.DataFrame:
    """Times and geometric means over trainings of the values, above LEAST.

    rows: columns key, time, value. The times lie between the latest first and the earliest last
    look with a number.
    """
    single = []
    for _, own in rows.groupby("key"):
        known = own[np.isfinite(own["value"].to_numpy(dtype=float)) & (own["time"] > 0)]
        if len(known) > 1:
            x, y = (known[column].to_numpy(dtype=float) for column in ("time", "value"))
            single.append((np.log(x), np.log(np.maximum(y, LEAST))))
    if not single:
        return pd.DataFrame(columns=["time", "value"])
    grid = np.linspace(max(x[0] for x, _ in single), min(x[-1] for x, _ in single), N_TIMES)
    means = np.mean([np.interp(grid, x, y) for x, y in single], axis=0)
    return pd.DataFrame({"time": np.exp(grid), "value": np.exp(means)})
