"""The first step of gradient descent: signal, noise, and what groups together (appendix C).

Letters of the paper: P training points, L depth, s_0 empty places for each informative one, v
features, m synonyms, n_c classes.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    GUIDE,
    HUES,
    OTHER_HUE,
    Colour,
    between,
    depth_handles,
    few_ticks,
    line,
    marker,
    plural,
    shaded,
    shape,
)
from srhm.results.coordinates import GRAMMAR
from srhm.studies.first_step.scaling import (
    all_data_ratio,
    equal_points,
    exponent,
    grouping_ratio,
    over_seeds,
)

NETS = ("lcn", "cnn")
LAW = "(s_0+1)^L n_c m^L"
ROW = 2.2  # inches, with titles and labels
# What an exponent is measured of: column, letter, and what Eq. 3 (LCN) and Eq. 4 (CNN) expect.
MEASURED = (
    ("s0+1", "s_0+1", ("L", "2")),
    ("m", "m", ("L", "L")),
    ("n_c", "n_c", ("1", "1")),
)
SHIFT = 0.16  # of the rows of LCN and CNN


@styled
def draw(first_step: pd.DataFrame, *, preset: str) -> Figure:
    """Signal and noise of the first layer's update, from the table of the first step.

    A, B: noise over signal against P, LCN and CNN, for the grammars that differ in s_0 alone. C:
    the P at which they are equal against the law of appendix C. D: fitted exponents beside those of
    Eq. 3 and 4. E, F: variance between synonyms of a latent, and between placements of a tuple,
    over that between latents, against P over the law; both below 1 where they group together.
    """
    figure, page = laid_out_page(2 * ROW, preset=preset)
    boxes = page.subplots(2, 3).ravel()
    table = first_step[first_step["n_equal"] > 0]
    points = equal_points(table)
    for axes, letter, net in zip(boxes[:2], "AB", NETS, strict=True):
        own = _differing(table[table["net"] == net], "s0")
        _noise(axes, own, points, preset=preset)
        panel_title(axes, letter, f"{net.upper()}{_title(own)}")
    _against_law(boxes[2], over_seeds(points), preset=preset)
    panel_title(boxes[2], "C", f"all grammars{_seeds(table)}")
    _exponents(boxes[3], points, preset=preset)
    panel_title(boxes[3], "D", "exponents")
    by_synonyms = _differing(table, "m")
    _grouping(boxes[4], by_synonyms, "synonyms", column="m", preset=preset)
    panel_title(boxes[4], "E", f"synonyms{_title(by_synonyms)}")
    by_places = _differing(table[table["s0"] > 0], "s0")
    _grouping(boxes[5], by_places, "placements", column="s0", preset=preset)
    panel_title(boxes[5], "F", f"placements{_title(by_places)}")
    if len(table):
        add_legends(page, _legends(table, by_synonyms))
    return figure


def _differing(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows of the grammars that differ in this column alone: most values of it, then least L."""
    rest = [name for name in GRAMMAR if name != column]
    if table.empty:
        return table
    counts = table.groupby(rest)[column].nunique().rename("n").reset_index()
    best = counts.sort_values(["n", "L", "v"], ascending=[False, True, False]).head(1)
    return table.merge(best[rest])


def _title(rows: pd.DataFrame) -> str:
    """What the grammars of a panel share."""
    if rows.empty:
        return ""
    parts = [
        f"{letter}={rows[name].iloc[0]}"
        for name, letter in (("L", "L"), ("v", "v"), ("s0", "s_0"))
        if rows[name].nunique() == 1
    ]
    return f", ${', '.join(parts)}$"


def _seeds(table: pd.DataFrame) -> str:
    if table.empty:
        return ""
    n = table.groupby(["net", *GRAMMAR])["seed"].nunique()
    return f", {between(n)} {plural('seed', int(n.max()))}"


def _tint(value: int, values: Sequence[int], depth: int) -> Colour:
    return shaded(HUES.get(depth, OTHER_HUE), value, values)


def _means(rows: pd.DataFrame, values: pd.Series) -> pd.DataFrame:
    """Geometric mean, least and most over seeds at each P."""
    logs = np.log(values).groupby(rows["P"]).agg(["mean", "min", "max"])
    return np.exp(logs).rename_axis("P").reset_index()


def _noise(axes: Axes, rows: pd.DataFrame, points: pd.DataFrame, *, preset: str) -> None:
    """A, B: noise over signal, a line for each s_0; P where it is 1 for independent points."""
    axes.set(xlabel="training points $P$", ylabel="noise / signal of the update")
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    places = sorted(set(rows["s0"].tolist()))
    equal = over_seeds(points)
    for s0 in places:
        own = rows[rows["s0"] == s0]
        tint = _tint(s0, places, int(own["L"].iloc[0]))
        means = _means(own, own["noise"] / own["signal"])
        axes.fill_between(means["P"], means["min"], means["max"], color=tint, alpha=0.2,
                          linewidth=0)  # fmt: skip
        axes.plot(means["P"], means["mean"], color=tint, marker=shape(s0), markersize=3.5,
                  gid=f"noise s0={s0}")  # fmt: skip
        at = equal.merge(own[["net", *GRAMMAR]].drop_duplicates())
        axes.plot(at["n_equal"], [1.0] * len(at), shape(s0), color="black", markersize=4,
                  markerfacecolor="white", zorder=4, gid=f"equal s0={s0}")  # fmt: skip
    axes.axhline(1.0, color=GUIDE, linewidth=0.8, linestyle="--", gid="signal")
    _logarithmic(axes)


def _against_law(axes: Axes, means: pd.DataFrame, *, preset: str) -> None:
    """C: a marker for each net and grammar with its interval; filled LCN, open CNN."""
    axes.set(xlabel=f"${LAW}$", ylabel="$P$ where noise = signal")
    if means.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    ends = [means["law"].min() / 1.5, means["law"].max() * 1.5]
    axes.plot(ends, ends, color=GUIDE, linewidth=0.8, linestyle="--", zorder=1, gid="y = x")
    for _, row in means.iterrows():
        tint = to_rgb(HUES.get(int(row["L"]), OTHER_HUE))
        face = tint if row["net"] == "lcn" else "white"
        if isfinite(row["low"]):
            axes.plot([row["law"]] * 2, [row["low"], row["high"]], color=tint, linewidth=0.8,
                      zorder=2, gid="interval")  # fmt: skip
        axes.plot([row["law"]], [row["n_equal"]], shape(int(row["s0"])), color=tint, markersize=4,
                  markerfacecolor=face, zorder=3, gid=f"{row['net']} point")  # fmt: skip
    _logarithmic(axes)


def _exponents(axes: Axes, points: pd.DataFrame, *, preset: str) -> None:
    """D: a row for each letter and L, LCN above CNN; ticks where Eq. 3 and 4 have them."""
    names: list[str] = []
    n_drawn = 0
    for of, letter, laws in MEASURED:
        for depth in sorted(set(points["L"].tolist())):
            found = {net: exponent(points, net=net, of=of, depth=depth) for net in NETS}
            if not any(fit.n for fit in found.values()):
                continue
            y = len(names)
            names.append(f"${letter}$")
            for net, sign, law in zip(NETS, (-1, 1), laws, strict=True):
                fit, place = found[net], y + sign * SHIFT
                if not fit.n:
                    continue
                n_drawn += 1
                tint = to_rgb(HUES.get(depth, OTHER_HUE))
                if isfinite(fit.low):
                    axes.plot([fit.low, fit.high], [place] * 2, color=tint, linewidth=1.2,
                              gid="interval")  # fmt: skip
                axes.plot([fit.slope], [place], "o", color=tint, markersize=4,
                          markerfacecolor=tint if net == "lcn" else "white", zorder=3,
                          gid=f"{net} exponent {of} L={depth}")  # fmt: skip
                axes.plot([depth if law == "L" else float(law)], [place], "|", color="black",
                          markersize=9, markeredgewidth=1.2, gid=f"{net} law")  # fmt: skip
    if not n_drawn:
        empty_panel(axes, f"no grammars that differ in one\nparameter in preset {preset}")
        return
    low, high = axes.get_xlim()
    axes.set(xlim=(min(low, 0.0), high), ylim=(len(names) - 0.5, -0.5), yticks=range(len(names)),
             xlabel="exponent in $P$ where noise = signal")  # fmt: skip
    axes.set_yticklabels(names)
    axes.tick_params(axis="y", length=0)


def _grouping(axes: Axes, rows: pd.DataFrame, kind: str, *, column: str, preset: str) -> None:
    """E, F: a variance over that between latents; solid LCN, dashed CNN, dotted all data."""
    axes.set(xlabel=f"$P$ / ${LAW}$", ylabel=f"variance: {kind} / latents")
    if rows.empty:
        empty_panel(axes, f"not in preset {preset}")
        return
    values = sorted(set(rows[column].tolist()))
    for net, style in zip(NETS, ("-", "--"), strict=True):
        for value in values:
            own = rows[(rows["net"] == net) & (rows[column] == value)]
            if own.empty:
                continue
            first = own.iloc[0]
            law = (first["s0"] + 1) ** first["L"] * first["n_c"] * first["m"] ** first["L"]
            tint = _tint(value, values, int(first["L"]))
            means = _means(own, grouping_ratio(own, kind))
            symbol = shape(int(first["s0"])) if column == "s0" else "."
            axes.plot(means["P"] / law, means["mean"], style, color=tint, marker=symbol,
                      markersize=3.5, markerfacecolor=tint if net == "lcn" else "white",
                      gid=f"{net} {kind} {column}={value}")  # fmt: skip
            if kind == "synonyms" and net == NETS[0]:
                axes.axhline(all_data_ratio(own), color=tint, linewidth=0.8, linestyle=":",
                             gid=f"all data {column}={value}")  # fmt: skip
    axes.axhline(1.0, color=GUIDE, linewidth=0.8, linestyle="--", gid="grouped")
    _logarithmic(axes)


def _logarithmic(axes: Axes) -> None:
    """Logarithmic axes, with plain labels where there are hardly two decades."""
    axes.set(xscale="log", yscale="log")
    axes.yaxis.labelpad = 1
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if high / low < 100:
            few_ticks(axis, low, high)


def _legends(table: pd.DataFrame, by_synonyms: pd.DataFrame) -> list[tuple[str, list[Line2D]]]:
    """Titles and handles of nets, L, s_0, m of panel E, lines."""
    nets = [marker("o", "LCN", markerfacecolor="0.3"), marker("o", "CNN")]
    lines = [
        line("equal ($y=x$ in C)", color=GUIDE, linestyle="--"),
        line("all data (E)", color=GUIDE, linestyle=":"),
        marker("|", "Eq. 3 (LCN), Eq. 4 (CNN)", markersize=9, markeredgewidth=1.2,
               markeredgecolor="black"),
    ]  # fmt: skip
    places = [
        marker(shape(s0), f"$s_0={s0}$", markerfacecolor="white")
        for s0 in sorted(set(table["s0"].tolist()))
    ]
    synonyms = sorted(set(by_synonyms["m"].tolist())) if len(by_synonyms) else []
    depth = int(by_synonyms["L"].iloc[0]) if synonyms else 2
    shades = [line(f"$m={m}$", color=_tint(m, synonyms, depth), linewidth=4) for m in synonyms]
    return [
        ("Network", nets),
        ("Depth", depth_handles(sorted(set(table["L"].tolist())))),
        ("Empty places", places),
        ("Synonyms (E)", shades),
        ("Lines", lines),
    ]
