"""Singular values of weights and eigenvalues of representations, initial against trained.

Letters: P training points, k layer, h width, alpha_tilde scale of F (large: lazy learning).
"""

from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import few_ticks, line, patch, plural

ROW = 2.1  # inches, with titles and labels
KINDS = (("weights", "weights"), ("representation", "representations"))
LAYERS = ("#D55E00", "#0072B2", "#009E73", "#AA4499", "#56B4E9", "#E69F00")
LAST = "#3C3C3C"
OUTSIDE = "output"
# Bottleneck cells have a figure of their own.
OTHER_STUDIES = ("bottleneck",)


@styled
def draw(
    cells: pd.DataFrame, values: pd.DataFrame, summaries: pd.DataFrame, *, preset: str
) -> Figure:
    """Participation ratios against layer and P, and the spectra, of one curve.

    cells, values, summaries: tables of cells, of singular values and of their summaries. The curve
    is the one with most P, then most alpha_tilde, of those whose singular values were measured. Of
    several alpha_tilde the smallest (full) and the largest (dashed) are shown, dotted the start.
    Averages over seeds; above weights, below representations.
    """
    curve = _example(cells, summaries)
    own = cells[cells["curve"] == curve]
    foot = wrapped([_foot(own)]) if len(own) else []
    figure, page = laid_out_page(2 * ROW, preset=preset, foot=foot)
    coordinates = own[["key", "P", "alpha_tilde"]]
    ratios = summaries[summaries["curve"] == curve].merge(coordinates, on="key")
    spectra = values[values["curve"] == curve].merge(coordinates, on="key")
    letters = iter("ABCDEF")
    for (kind, word), boxes in zip(KINDS, page.subplots(2, 3), strict=True):
        of_kind = ratios[ratios["kind"] == kind]
        largest = of_kind[of_kind["P"] == of_kind["P"].max()]
        _against_layer(boxes[0], largest, preset=preset)
        _against_size(boxes[1], of_kind, preset=preset)
        of_values = spectra[(spectra["kind"] == kind) & (spectra["P"] == spectra["P"].max())]
        _spectra(boxes[2], of_values, kind, preset=preset)
        size = f", $P={largest['P'].iloc[0]}$" if len(largest) else ""
        for axes, title in zip(boxes, (f"{word}{size}", word, f"{word}{size}"), strict=True):
            panel_title(axes, next(letters), title)
    if len(ratios):
        add_legends(page, _legends(ratios))
    return figure


def _example(cells: pd.DataFrame, summaries: pd.DataFrame) -> str:
    """Name of the curve to show; empty without any."""
    own = cells[cells["curve"].isin(summaries["curve"]) & ~cells["study"].isin(OTHER_STUDIES)]
    if own.empty:
        return ""
    found = own.groupby("curve").agg(
        P=("P", "nunique"), tildes=("alpha_tilde", "nunique"), L=("hidden_layers", "max")
    )
    order = found.reset_index().sort_values(
        ["P", "tildes", "L", "curve"], ascending=[False, False, False, True]
    )
    return str(order["curve"].iloc[0])


def _states(rows: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Name, line style and rows of: the start, the smallest and the largest alpha_tilde."""
    yield "start", ":", rows[rows["when"] == "initial"]
    end = rows[rows["when"] == "end"]
    tildes = sorted(set(end["alpha_tilde"].tolist()))
    for tilde, style in zip(tildes[:1] + tildes[1:][-1:], ("-", "--"), strict=False):
        yield f"alpha_tilde={tilde:g}", style, end[end["alpha_tilde"] == tilde]


def _layer_names(rows: pd.DataFrame) -> dict[int, str]:
    """Labels of the layers by k, "out" for the output."""
    layers = rows.drop_duplicates("k").sort_values("k")
    pairs = zip(layers["k"].tolist(), layers["layer"].tolist(), strict=True)
    return {k: "out" if name == OUTSIDE else str(k) for k, name in pairs}


def _tint(k: int, name: str) -> str:
    return LAST if name == "out" else LAYERS[(k - 1) % len(LAYERS)]


def _against_layer(axes: Axes, rows: pd.DataFrame, *, preset: str) -> None:
    axes.set(xlabel="layer $k$", ylabel="participation ratio")
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    for state, style, part in _states(rows):
        if part.empty:
            continue
        found = part.groupby("k")["participation_ratio"].agg(["mean", "min", "max"])
        if state != "start":
            axes.fill_between(found.index, found["min"], found["max"], color="0.4", alpha=0.15,
                              linewidth=0)  # fmt: skip
        axes.plot(found.index, found["mean"], style, color="black", marker="o", markersize=3,
                  gid=state)  # fmt: skip
    names = _layer_names(rows)
    axes.set_xticks(list(names), labels=list(names.values()))
    axes.set_ylim(bottom=0)


def _against_size(axes: Axes, rows: pd.DataFrame, *, preset: str) -> None:
    axes.set(xlabel="training points $P$", ylabel="participation ratio")
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    names = _layer_names(rows)
    for state, style, part in _states(rows):
        for k in sorted(set(part["k"].tolist())):
            group = part[part["k"] == k]
            found = group.groupby("P")["participation_ratio"].mean()
            axes.plot(found.index, found, style, color=_tint(k, names[k]), marker="o",
                      markersize=0 if state == "start" else 3, gid=f"{state} k={k}")  # fmt: skip
    axes.set(xscale="log", ylim=(0, None))
    low, high = axes.get_xlim()
    if high / low < 100:
        few_ticks(axes.xaxis, low, high)


def _spectra(axes: Axes, rows: pd.DataFrame, kind: str, *, preset: str) -> None:
    """Values over the largest of their filter, averages over seeds and filters."""
    axes.set(xlabel="rank", ylabel="singular value / largest" if kind == "weights" else
             "eigenvalue / largest")  # fmt: skip
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    by = ["key", "when", "k", "filter"]
    largest = rows.groupby(by, dropna=False)["value"].transform("max")
    rows = rows.assign(value=rows["value"] / largest.where(largest > 0))
    names = _layer_names(rows)
    for state, style, part in _states(rows):
        for k in sorted(set(part["k"].tolist())):
            group = part[part["k"] == k]
            found = group.groupby("rank")["value"].mean()
            place = found.index - found.index.min() + 1
            axes.plot(place, found, style, color=_tint(k, names[k]),
                      gid=f"{state} k={k}")  # fmt: skip
    axes.set(xscale="log", yscale="log")
    low = max(axes.get_ylim()[0], 1e-6)
    axes.set_ylim(low, 1.5)
    if low > 0.015:  # hardly two decades to label
        few_ticks(axes.yaxis, low, 1.5)
    axes.yaxis.labelpad = 1


def _foot(cells: pd.DataFrame) -> str:
    first, n_seeds = cells.iloc[0], cells["seed"].nunique()
    counts = cells["status"].value_counts()
    status = ", ".join(f"{counts[name]} {name}" for name in counts.index)
    tildes = ", ".join(f"{value:g}" for value in sorted(set(cells["alpha_tilde"])))
    return (
        f"{str(first['net']).upper()}, L = {first['L']:g}, v = {first['v']:g}, m = {first['m']:g},"
        f" n_c = {first['n_c']:g}, s_0 = {first['s0']:g}, h = {first['width']}, α̃ = {tildes},"
        f" {first['optimiser']}, study {first['study']}; {n_seeds} {plural('seed', n_seeds)},"
        f" {len(cells)} cells: {status}"
    )


def _legends(ratios: pd.DataFrame) -> list[tuple[str, list[Line2D]]]:
    """Titles and handles of layers and of the states of a network."""
    names = _layer_names(ratios)
    layers = [
        patch(f"$k={k}$" if name != "out" else "output", to_rgb(_tint(k, name)))
        for k, name in names.items()
    ]
    words = {"start": "start"}
    states = []
    for state, style, part in _states(ratios):
        if len(part):
            tilde = f"end, $\\tilde\\alpha={part['alpha_tilde'].iloc[0]:g}$"
            states.append(line(words.get(state, tilde), color="0.2", linestyle=style))
    return [("Layer", layers), ("Lines", states)]
