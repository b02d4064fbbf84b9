"""Test error, S_2 and D_2 against P, where features are learnt and in lazy learning.

Letters of the paper: P training points, P* sample complexity, P*_S and P*_D those of S_2 and D_2, L
depth, s_0 empty places for each informative one, ε test error; α̃ = √h α, Θ tangent kernel.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srhm.figures.architecture_marks import wrapped
from srhm.figures.drawing import add_legends, empty_panel, laid_out_page, panel_title, styled
from srhm.figures.marks import (
    GUIDE,
    Point,
    empty_handles,
    estimate,
    few_ticks,
    line,
    marker,
    plural,
    power,
    scatter,
    shades,
    shape,
)
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule
from srhm.studies.complexity.figures.complexity import STUDY, main, protocol

NETS = ("lcn", "cnn", "fcn")
ROW = 2.1  # inches, with titles and labels
COLOURS = {
    "test_error": "black", "S": "#D55E00", "D": "#0072B2", "initial": "0.55", "end": "0.55",
}  # fmt: skip
LABELS = {
    "test_error": "test error $\\varepsilon$", "S": "$S_2$ (synonyms)",
    "D": "$D_2$ (diffeomorphisms)", "initial": "$\\varepsilon$ of the kernel at initialisation",
    "end": "$\\varepsilon$ of the kernel at the end",
}  # fmt: skip
STYLES = {"initial": ":", "end": "--"}
LETTERS = "ABCDEFGHI"


@styled
def draw(
    cells: pd.DataFrame,
    sensitivities: pd.DataFrame,
    frozen_kernels: pd.DataFrame,
    complexity: pd.DataFrame,
    *,
    threshold: float,
    preset: str,
    rule: IntervalRule = DEFAULT_RULE,
) -> Figure:
    """A row for each net of the study "complexity": small alpha_tilde, large, and P*_S, P*_D.

    Left and middle: for one s_0 (`example`), error and sensitivities of the second layer after
    training against P, at the smallest and the largest alpha_tilde. Lines: averages over the seeds
    that did not diverge; faint: the seeds; open: one was capped. Right: P*_S
    and P*_D against P* of the test error for all s_0 and alpha_tilde.
    """
    own = main(cells[cells["study"] == STUDY])
    nets = [net for net in NETS if net in set(own["net"])]
    figure, page = laid_out_page(
        ROW * max(len(nets), 1), preset=preset, foot=wrapped(protocol(own))
    )
    if not nets:
        empty_panel(page.subplots(), f"not in preset {preset}")
        return figure
    values = series(own, sensitivities, frozen_kernels)
    table = main(complexity[complexity["study"] == STUDY])
    colours = shades(sorted(set(own["alpha_tilde"].tolist())), "plasma")
    letters = iter(LETTERS)
    for net, boxes in zip(nets, page.subplots(len(nets), 3, squeeze=False), strict=True):
        s0 = example(own[own["net"] == net])
        part = values[(values["net"] == net) & (values["s0"] == s0)]
        tildes = (part["alpha_tilde"].min(), part["alpha_tilde"].max())
        for axes, tilde in zip(boxes[:2], tildes, strict=True):
            panel_title(
                axes, next(letters), f"{net.upper()}, $s_0={s0}$, $\\tilde\\alpha={power(tilde)}$"
            )
            _against_points(axes, part[part["alpha_tilde"] == tilde], threshold)
        boxes[0].set_ylabel("$\\varepsilon$, $S_2$, $D_2$")
        panel_title(boxes[2], next(letters), f"{net.upper()}: all $s_0$")
        _onsets(boxes[2], table[table["net"] == net], threshold, colours, preset=preset)
    add_legends(page, _legends(values, table, colours, rule))
    return figure


def example(cells: pd.DataFrame) -> int:
    """The s_0 that has most P at the smallest and largest alpha_tilde, of those above 0 if any."""
    counts = cells.groupby("s0").agg(tildes=("alpha_tilde", "nunique"), P=("P", "nunique"))
    counts = counts.assign(empty=counts.index > 0).reset_index()
    order = counts.sort_values(
        ["empty", "P", "tildes", "s0"], ascending=[False, False, False, True]
    )
    return int(order["s0"].iloc[0])


def series(
    cells: pd.DataFrame, sensitivities: pd.DataFrame, frozen_kernels: pd.DataFrame
) -> pd.DataFrame:
    """Rows net, s0, alpha_tilde, P, seed, kind, value, open: what panels show against P.

    kind: test_error, S, D (second hidden layer, level 1, at the end), initial, end (test error of
    frozen kernels). open: the run of this value did not fit.
    """
    columns = ["curve", "key", "net", "s0", "alpha_tilde", "P", "seed"]
    found = [
        cells[columns].assign(
            kind="test_error", value=cells["test_error"], open=cells["status"] != "fitted"
        )
    ]
    if len(sensitivities):
        chosen = (
            (sensitivities["when"] == "end")
            & sensitivities["kind"].isin(["S", "D"])
            & (sensitivities["layer"] == "2")
            & (sensitivities["l"] == 1)
            & (sensitivities["n"] > 0)
        )
        rows = cells[[*columns, "status"]].merge(sensitivities[chosen], on=["curve", "key"])
        found.append(rows[[*columns, "kind", "value"]].assign(open=rows["status"] != "fitted"))
    if len(frozen_kernels):
        rows = cells[columns].merge(frozen_kernels, on=["curve", "key"])
        found.append(
            rows[columns].assign(
                kind=rows["kernel"], value=rows["test_error"], open=rows["status"] != "fitted"
            )
        )
    return pd.concat(found, ignore_index=True)


def _against_points(axes: Axes, values: pd.DataFrame, threshold: float) -> None:
    n_seeds = values["seed"].nunique()
    for kind in LABELS:
        own = values[values["kind"] == kind]
        if own.empty:
            continue
        tint, style = COLOURS[kind], STYLES.get(kind, "-")
        # Members of a seed are one line.
        seeds = own.groupby(["seed", "P"])["value"].mean()
        if kind not in STYLES:
            for seed, one in seeds.groupby(level="seed"):
                axes.plot(one.index.get_level_values("P"), one, color=tint, alpha=0.3, zorder=1.5,
                          linewidth=0.7, gid=f"{kind} seed {seed}")  # fmt: skip
        mean = seeds.groupby(level="P").mean()
        axes.plot(mean.index, mean, color=tint, linestyle=style, linewidth=1.2, gid=f"mean {kind}")
        if kind in STYLES:
            continue
        for P in mean.index.tolist():
            capped = bool(own.loc[own["P"] == P, "open"].any())
            axes.plot([P], [float(mean[P])], "o", color=tint, markersize=3.2, zorder=3,
                      markerfacecolor="white" if capped else tint,
                      gid=f"{kind} {'capped' if capped else 'fitted'}")  # fmt: skip
    lost = values[values["value"].isna() & (values["kind"] == "test_error")]
    if len(lost):
        axes.plot(lost["P"], np.ones(len(lost)), "x", color="black", markersize=4, gid="diverged",
                  linestyle="", clip_on=False)  # fmt: skip
    axes.axhline(threshold, color=GUIDE, linewidth=0.8, linestyle="-.", zorder=1, gid="threshold")
    axes.set(xscale="log", xlabel="training points $P$")
    # Room for the number of seeds above the lines.
    axes.set_ylim(-0.03, max(1.2, 1.15 * float(values["value"].max())))
    axes.text(0.98, 0.98, f"{n_seeds} {plural('seed', n_seeds)}", transform=axes.transAxes,
              ha="right", va="top", fontsize=7)  # fmt: skip
    low, high = axes.get_xlim()
    if high / low < 100:
        few_ticks(axes.xaxis, low, high)


def _onsets(
    axes: Axes, table: pd.DataFrame, threshold: float, colours: Any, *, preset: str
) -> None:
    """P*_S (full markers) and P*_D (open ones) against P* of the test error."""
    errors = table[(table["criterion"] == "test_error") & np.isclose(table["threshold"], threshold)]
    columns = ["P_star", "P_star_low", "P_star_high", "status", "small_pool"]
    points, n = [], {}
    for kind in ("S", "D"):
        other = table[table["criterion"] == f"{kind}_2"]
        both = errors.merge(
            other[["curve", "alpha_tilde", *columns]], on=["curve", "alpha_tilde"],
            suffixes=("", "_other"),
        )  # fmt: skip
        n[kind] = len(both)
        for _, row in both.iterrows():
            second = pd.Series({name: row[f"{name}_other"] for name in columns})
            if row["status"] != "reached" and second["status"] != "reached":
                continue  # nothing is known of their ratio
            points.append(
                Point(
                    x=estimate(row),
                    y=estimate(second),
                    tint=colours[row["alpha_tilde"]],
                    marker=shape(int(row["s0"])) if kind == "S" else _displaced(int(row["s0"])),
                )
            )
    axes.set(xlabel=f"$P^*$ of $\\varepsilon = {100 * threshold:.3g}$ %")
    axes.set_ylabel("$P^*_S$, $P^*_D$", labelpad=1)
    if not points:
        empty_panel(axes, f"no $P^*$ of both\nin preset {preset}")
        return
    scatter(axes, points)
    left = sum(n.values()) - len(points)
    if left:
        axes.text(0.03, 0.97, f"{left} with both\ncensored", transform=axes.transAxes, ha="left",
                  va="top", fontsize=7)  # fmt: skip


def _displaced(s0: int) -> str:
    """Marker of P*_D at an s_0."""
    return {1: "+", 2: "x"}.get(s0, "*")


def _legends(
    values: pd.DataFrame, table: pd.DataFrame, colours: Any, rule: IntervalRule
) -> list[tuple[str, list[Line2D]]]:
    """Titles and handles of lines, alpha_tilde, s_0, and points."""
    kinds = [
        line(LABELS[kind], color=COLOURS[kind], linestyle=STYLES.get(kind, "-"))
        for kind in LABELS
        if kind in set(values["kind"])
    ]
    kinds.append(marker("o", "open: a run did not fit within its budget"))
    tildes = [
        line(f"${power(a)}$", color=c, marker="o", markersize=3.6) for a, c in colours.items()
    ]
    places = sorted(set(table["s0"].tolist()))
    handles = [
        *empty_handles(places),
        *(marker(_displaced(s0), f"$P^*_D$, $s_0={s0}$") for s0 in places if s0),
    ]
    thin: Any = {"markersize": 7, "markeredgewidth": 0.3, "markerfacecolor": "0.3"}
    points = [
        marker("|", f"{100 * rule.confidence:.3g} % interval", markersize=8),
        marker("$\\rightarrow$", "censored: lies that way", **thin),
        line("$y=x$", color=GUIDE, linestyle="--"),
    ]
    return [
        ("Left, middle", kinds),
        ("$\\tilde\\alpha$ (right)", tildes),
        ("$P^*_S$ and $P^*_D$", handles),
        ("Right", points),
    ]
