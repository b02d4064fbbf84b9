"""Training loss, test error and sensitivities in time, at two rates and one P between their P*.

Letters of the paper: S_{k,l}, D_{k,l} sensitivities of layer k to synonyms and displacements of
level l. The time is steps times the rate over (1 - momentum).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import few_ticks, line, plural
from srhm.results.coordinates import NET_AND_DATA

ROW = 2.0  # inches
STYLES = ("-", "--", ":")  # from the largest rate on
COLOURS = {"train_loss": "#3C3C3C", "test_error": "#D55E00"}
# Of the layers, dark to light; the output is the last of every net.
LAYERS = {"1": "#440154", "2": "#31688E", "3": "#35B779", "output": "#E69F00"}
LEVEL = 1  # of the transformations that are drawn
N_TIMES = 60  # of the common grid to which single trainings are interpolated
MOST_PLAIN = 200  # factor up to which a logarithmic axis has plain labels
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
    figure, part = laid_out_page(3 * ROW, preset=preset)
    panels = part.subplots(3, max(len(cases), 1), squeeze=False, sharex="col")
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if not cases:
        for axes in panels[:, 0]:
            empty_panel(axes, f"not in preset {preset}")
    depth = 0
    for column, (_, own) in enumerate(cases):
        one, n = own.iloc[0], own["seed"].nunique()
        depth = max(depth, int(one["L"]))
        panel_title(panels[0, column], next(letters),
                    f"{one['net'].upper()}, $L={one['L']}$, $v={one['v']}$, $s_0={one['s0']}$, "
                    f"$P={one['P']}$: {n} {plural('seed', n)}")  # fmt: skip
        for style, rate in zip(STYLES, _rates(own), strict=False):
            cell = own[own["learning_rate"] == rate]
            _case(list(panels[:, column]), cell, histories, sensitivity_histories, style, rate)
        for axes, label in zip(panels[:, column], ("loss, error", f"$S_{{k,{LEVEL}}}$",
                               f"$D_{{k,{LEVEL}}}$"), strict=True):  # fmt: skip
            axes.set(xscale="log", yscale="log", ylabel=label if column == 0 else "")
            if not axes.get_lines():  # the axis of time is shared: it keeps its ticks
                axes.text(0.5, 0.5, "none: $s_0=0$", transform=axes.transAxes, ha="center")
                axes.set_yticks([])
                axes.set_yticks([], minor=True)
            elif (ends := axes.get_ylim())[1] / ends[0] < MOST_PLAIN:
                few_ticks(axes.yaxis, *ends)
        panels[2, column].set_xlabel("time: steps $\\times\\,\\eta/(1-\\mu)$")
    add_legends(part, _legends(watched, depth))
    return figure


def _case(
    panels: Sequence[Axes],
    cells: pd.DataFrame,
    histories: pd.DataFrame,
    measured: pd.DataFrame,
    style: str,
    rate: float,
) -> None:
    keys = set(cells["key"])
    own = histories[histories["key"].isin(keys)]
    for name, tint in COLOURS.items():
        x, y = averages(own, name)
        panels[0].plot(x, y, linestyle=style, color=tint, linewidth=1.1, gid=f"{name} {rate:g}")
    felt = measured[measured["key"].isin(keys) & (measured["l"] == LEVEL) & (measured["n"] > 0)]
    for axes, kind in zip(panels[1:], "SD", strict=True):
        own = felt[felt["kind"] == kind]
        for layer, rows in own.groupby("layer", sort=False):
            x, y = averages(rows, "value")
            axes.plot(x, y, linestyle=style, color=LAYERS.get(str(layer), "0.5"), linewidth=1.1,
                      gid=f"{kind} {layer} {rate:g}")  # fmt: skip


def averages(rows: pd.DataFrame, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Times and geometric means over trainings of what is in a column, above LEAST.

    The times lie between the latest first and the earliest last look with a number.
    """
    single = []
    for _, own in rows.groupby("key"):
        known = own[np.isfinite(own[name].to_numpy(dtype=float)) & (own["time"] > 0)]
        if len(known) > 1:
            x, y = (known[column].to_numpy(dtype=float) for column in ("time", name))
            single.append((np.log(x), np.log(np.maximum(y, LEAST))))
    if not single:
        return np.empty(0), np.empty(0)
    start, end = max(x[0] for x, _ in single), min(x[-1] for x, _ in single)
    grid = np.linspace(start, end, N_TIMES)
    return np.exp(grid), np.exp(np.mean([np.interp(grid, x, y) for x, y in single], axis=0))


def _rates(cells: pd.DataFrame) -> list[float]:
    """Learning rates, the largest first."""
    return sorted(set(cells["learning_rate"].astype(float).tolist()), reverse=True)


def _legends(watched: pd.DataFrame, depth: int) -> list[tuple[str, list[Line2D]]]:
    rates = _rates(watched)
    if not rates:
        return []
    layers = [name for name in LAYERS if name == "output" or int(name) <= depth]
    return [
        ("Learning rate", [line(f"$\\eta={rate:g}$", color="0.3", linestyle=style)
                           for rate, style in zip(rates, STYLES, strict=False)]),
        ("Top", [line("training loss", color=COLOURS["train_loss"]),
                 line("test error", color=COLOURS["test_error"])]),
        ("Layers", [line(name if name == "output" else f"$k={name}$", color=LAYERS[name])
                    for name in layers]),
    ]  # fmt: skip
