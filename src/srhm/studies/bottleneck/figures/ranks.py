"""The bottleneck: how many singular values are left in each layer under weight decay.

Letters: n_c classes, lambda weight decay, k layer, S_k and D_k sensitivities to synonyms and to
diffeomorphisms of the input (l = 1), P training points, h width.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import GUIDE, Colour, line, marker, patch, plural, shaded
from srhm.studies.bottleneck.analysis import (
    LARGE,
    STUDY,
    large_singular_values,
    last_rank,
    level_directions,
)

ROW = 2.1  # inches, with titles and labels
DECAYED, PLAIN = "#0072B2", "#D55E00"
KINDS = (("S", "synonyms $S_k$"), ("D", "diffeomorphisms $D_k$"))


@styled
def draw(
    cells: pd.DataFrame,
    values: pd.DataFrame,
    summaries: pd.DataFrame,
    sensitivities: pd.DataFrame,
    *,
    preset: str,
) -> Figure:
    """Weights, representations and sensitivities of every layer with and without weight decay.

    From the tables of cells, singular values, their summaries and sensitivities. A, B: singular
    values of each layer's weights above 0.5, and above half of the layer's largest. C:
    participation ratio of representations, beside the directions that the features of each level
    of the grammar span. D, E: sensitivities of the same layers to synonyms and
    to diffeomorphisms at level 1. Means over seeds, at the end and at the start.
    """
    own = cells[cells["study"] == STUDY]
    figure, page = laid_out_page(2 * ROW, preset=preset, foot=wrapped(_foot(own)))
    *boxes, last = page.subplots(2, 3).ravel()
    coordinates = own[["curve", "key", "P", "weight_decay", "n_c", "seed"]]
    large = large_singular_values(values, own)
    ratios = summaries.merge(coordinates, on=["curve", "key"])
    of_weights, of_data = (ratios[ratios["kind"] == k] for k in ("weights", "representation"))
    felt = sensitivities.merge(coordinates, on=["curve", "key"])
    felt = felt[(felt["l"] == 1) & (felt["n"] > 0)]
    sizes = sorted(set(own["P"].tolist()))
    panels = [
        (large, "n_large", f"singular values above {LARGE:g}"),
        (of_weights, "n_above_half", "above half of the largest"),
        (of_data, "participation_ratio", "participation ratio"),
        *((felt[felt["kind"] == kind], "value", name) for kind, name in KINDS),
    ]
    titles = ("weights", "weights", "representations", "synonyms", "diffeomorphisms")
    for axes, letter, title, (rows, column, label) in zip(
        boxes, "ABCDE", titles, panels, strict=True
    ):
        _layers(axes, rows, column, sizes, label, preset=preset)
        panel_title(axes, letter, title)
    for axes in boxes[:3]:
        _ranks(axes, own)
    _levels(boxes[2], own)
    for axes in boxes[:2]:
        _few_and_many(axes)
    last.axis("off")
    if len(own):
        last.legend(handles=_handles(own, sizes), loc="upper left", title="Networks",
                    alignment="left")  # fmt: skip
    return figure


def _tint(decayed: bool, P: int, sizes: list[int]) -> Colour:
    return shaded(DECAYED if decayed else PLAIN, P, sizes)


def _layers(
    axes: Axes, rows: pd.DataFrame, column: str, sizes: list[int], label: str, *, preset: str
) -> None:
    """Means over seeds against the layer; full lines at the end, dotted at the start."""
    axes.set(xlabel="layer $k$", ylabel=label)
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    keys: Any = rows.groupby(["weight_decay", "P", "when"])
    for (decay, P, when), group in keys:
        found = group.groupby("k")[column].agg(["mean", "min", "max"])
        tint = _tint(decay > 0, int(P), sizes)
        style = "-" if when == "end" else ":"
        face = tint if when == "end" else "white"
        if when == "end":
            axes.fill_between(found.index, found["min"], found["max"], color=tint, alpha=0.2,
                              linewidth=0)  # fmt: skip
        axes.plot(found.index, found["mean"], style, color=tint, marker="o", markersize=3,
                  markerfacecolor=face, gid=f"{when} decay={decay > 0} P={P}")  # fmt: skip
    layers = rows.drop_duplicates("k").sort_values("k")
    axes.set_xticks(
        layers["k"].tolist(),
        labels=[
            "out" if layer == "output" else str(k)
            for k, layer in zip(layers["k"], layers["layer"], strict=True)
        ],
    )
    axes.set_ylim(0, 1.06 * axes.get_ylim()[1])
    axes.yaxis.labelpad = 2


def _ranks(axes: Axes, cells: pd.DataFrame) -> None:
    """n_c - 1, the rank of centred classes."""
    if axes.get_lines():
        for n_c in sorted(set(cells["n_c"].dropna().tolist())):
            axes.axhline(last_rank(int(n_c)), color=GUIDE, linewidth=0.8, linestyle="--",
                         gid="n_c - 1")  # fmt: skip


def _levels(axes: Axes, cells: pd.DataFrame) -> None:
    """How many directions the features of each level span, where they are within the panel."""
    if not axes.get_lines():
        return
    grammars = cells[["L", "s", "v"]].dropna().drop_duplicates().astype(int)
    for depth, s, v in grammars.itertuples(index=False):
        for level in range(1, depth + 1):
            n = level_directions(level, depth=depth, branching=s, n_features=v)
            axes.axhline(n, color=GUIDE, linewidth=0.8, linestyle=":", gid=f"level {level}")
            axes.annotate(f"level {level}", (1, n), xycoords=("axes fraction", "data"), ha="right",
                          va="bottom", color=GUIDE, fontsize="x-small")  # fmt: skip
            axes.set_ylim(0, max(axes.get_ylim()[1], 1.12 * n))


def _few_and_many(axes: Axes) -> None:
    """A scale on which 0, 2 and 3 are as far apart as 20 and 40."""
    if axes.get_lines():
        top = 1.3 * max(axes.get_ylim()[1], 12.0)
        axes.set_yscale("symlog", linthresh=1, linscale=0.4)
        axes.set_ylim(0, top)
        ticks = [n for n in (0, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500) if n <= top]
        axes.set_yticks(ticks, labels=[str(n) for n in ticks])
        axes.set_yticks([], minor=True)


def _foot(cells: pd.DataFrame) -> list[str]:
    lines = []
    for _, part in cells.groupby(["weight_decay", "hidden_layers", "width"], sort=True):
        first, n_seeds = part.iloc[0], part["seed"].nunique()
        errors = ", ".join(
            f"{100 * group['test_error'].mean():.1f} % (P = {P})"
            for P, group in part.groupby("P", sort=True)
        )
        status = ", ".join(f"{n} {name}" for name, n in part["status"].value_counts().items())
        lines.append(
            f"λ = {first['weight_decay']:.3g}: {str(first['net']).upper()} of"
            f" {first['hidden_layers']} hidden layers, h = {first['width']},"
            f" L = {first['L']:g}, v = {first['v']:g}, m = {first['m']:g}, n_c = {first['n_c']:g},"
            f" s_0 = {first['s0']:g}, {first['optimiser']}, {n_seeds} {plural('seed', n_seeds)},"
            f" {status}; test error {errors}"
        )
    return lines


def _handles(cells: pd.DataFrame, sizes: list[int]) -> list[Line2D]:
    decays = sorted({bool(value) for value in cells["weight_decay"] > 0})
    handles = [
        patch(f"{'with' if decay else 'no'} decay, $P={P}$", _tint(decay, P, sizes))
        for decay in decays
        for P in sorted(set(cells.loc[(cells["weight_decay"] > 0) == decay, "P"].tolist()))
    ]
    return [
        *handles,
        marker("o", "end of training", markerfacecolor="0.3", markersize=3),
        line("start", color=to_rgb("0.3"), linestyle=":"),
        line("$n_c-1$", color=GUIDE, linestyle="--"),
    ]
