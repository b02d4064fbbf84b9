"""Test error, S_2 and D_2 against P, where features are learnt and in lazy learning.

Letters of the paper: P training points, P* sample complexity, P*_S and P*_D those of S_2 and D_2, L
depth, s_0 empty places for each informative one, ε test error; α̃ = √h α, Θ tangent kernel.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import OTHER_SHAPE, SHAPES, with_ends
from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, BLUE, GREY, VERMILION, Look
from srhm.figures.marks import plural, power
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, law, level
from srhm.figures.scales import Scale, by_name
from srhm.statistics.sample_complexity import DEFAULT_RULE, IntervalRule
from srhm.studies.complexity.figures.complexity import NETS, STUDY, main, protocol, tilde_scale

KINDS = {
    "test_error": Look("test error $\\varepsilon$", BLACK, "o", "-"),
    "S": Look("$S_2$ (synonyms)", VERMILION, "o", "-"),
    "D": Look("$D_2$ (diffeomorphisms)", BLUE, "o", "-"),
}
FROZEN = {
    "initial": Look("$\\varepsilon$ of the kernel at initialisation", GREY, line=":"),
    "end": Look("$\\varepsilon$ of the kernel at the end", GREY, line="--"),
}
# Markers of P*_D by s_0, beside those of P*_S.
DISPLACED = {1: "+", 2: "x"}


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
    """A row for each net of the study "complexity": small alpha_tilde, large; then P*_S, P*_D.

    Left and right: for one s_0 (`example`), error and sensitivities of the second layer after
    training against P, at the smallest and the largest alpha_tilde. Lines: averages over the seeds
    that did not diverge; faint: the seeds; open: one was capped. Last row: P*_S
    and P*_D against P* of the test error for all s_0 and alpha_tilde.
    """
    own = main(cells[cells["study"] == STUDY])
    values = series(own, sensitivities, frozen_kernels)
    table = main(complexity[complexity["study"] == STUDY])
    tildes = tilde_scale(own["alpha_tilde"])
    panels, onsets = [], []
    for net in [one for one in NETS if one in set(own["net"])]:
        s0 = example(own[own["net"] == net])
        part = values[(values["net"] == net) & (values["s0"] == s0)]
        for tilde in (part["alpha_tilde"].min(), part["alpha_tilde"].max()):
            panels.append(
                _against_points(
                    part[part["alpha_tilde"] == tilde], threshold,
                    f"{net.upper()}, $s_0={s0}$, $\\tilde\\alpha={power(tilde)}$",
                )
            )  # fmt: skip
        onsets.append(_onsets(table[table["net"] == net], threshold, tildes, net, rule))
    return mosaic([*panels, *onsets], columns=2, preset=preset, notes=protocol(own))


def seeds_text(rows: pd.DataFrame) -> str:
    """ "3 seeds"."""
    n = rows["seed"].nunique()
    return f"{n} {plural('seed', n)}"


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


def _against_points(values: pd.DataFrame, threshold: float, title: str) -> Panel:
    # Members of a seed are one line.
    by = ["kind", "P"]
    seeds = values.groupby([*by, "seed"], as_index=False).agg(
        value=("value", "mean"), open=("open", "any")
    )
    means = seeds.groupby(by, as_index=False).agg(value=("value", "mean"), open=("open", "any"))
    networks, kernels = (one[one["kind"].isin(KINDS)] for one in (seeds, means))
    frozen = means[means["kind"].isin(FROZEN)]
    scale = by_name("kind", kernels["kind"], KINDS)
    lost = values[values["value"].isna() & (values["kind"] == "test_error")].assign(value=1.0)
    return Panel(
        title=title, note=seeds_text(values), x=Axis("training points $P$", log=True),
        # Room for the number of seeds above the lines.
        y=Axis("$\\varepsilon$, $S_2$, $D_2$",
               limits=(-0.03, max(1.2, 1.15 * float(values["value"].max())))),
        marks=[
            Marks(rows=networks, x="P", y="value", by=[Scale(column="kind", looks=scale.looks,
                  named=False)], each=["seed"], name="seed", marker="", line="-", width=0.7,
                  alpha=0.3, label="seeds"),
            Marks(rows=kernels, x="P", y="value", by=[scale], open="open", line="-", size=3.5,
                  name="mean", open_label="a run did not fit within its budget"),
            Marks(rows=frozen, x="P", y="value", by=[by_name("kind", frozen["kind"], FROZEN)],
                  marker="", line="-", name="mean"),
            Marks(rows=lost, x="P", y="value", marker="x", colour=BLACK, name="diverged",
                  label="diverged"),
            level(threshold, "threshold of $\\varepsilon$", line="-.", name="threshold"),
        ],
    )  # fmt: skip


def _onsets(
    table: pd.DataFrame, threshold: float, tildes: Scale, net: str, rule: IntervalRule
) -> Panel:
    """P*_S and P*_D against P* of the test error; where neither is reached nothing is known."""
    errors = table[(table["criterion"] == "test_error") & np.isclose(table["threshold"], threshold)]
    columns = ["P_star", "P_star_low", "P_star_high", "status"]
    parts = []
    for kind in ("S", "D"):
        other = table[table["criterion"] == f"{kind}_2"][["curve", "alpha_tilde", *columns]]
        both = errors.merge(other, on=["curve", "alpha_tilde"], suffixes=("_x", ""))
        parts.append(both.assign(kind=kind))
    rows = pd.concat(parts)
    known = (rows["status_x"] == "reached") | (rows["status"] == "reached")
    left = int((~known).sum())
    rows = with_ends(with_ends(rows[known], of="_x")).assign(
        mark=lambda own: own["kind"] + own["s0"].astype(str),
        bound=lambda own: own["y_beyond_x"] != 0,
    )
    shapes = {
        f"{kind}{s0}": Look(f"$P^*_{kind}$, $s_0={s0}$", marker=marker)
        for kind, of in (("S", SHAPES), ("D", DISPLACED))
        for s0 in sorted(set(rows["s0"]))
        for marker in [of.get(s0, OTHER_SHAPE if kind == "S" else "*")]
        if f"{kind}{s0}" in set(rows["mark"])
    }
    values = [*rows["y"].dropna(), *rows["y_x"].dropna()] or [1.0]
    ends = [min(values) / 1.5, max(values) * 1.5]
    ends_of_x = rows.dropna(subset=["y_low_x", "y_high_x"])
    across = pd.concat(
        [ends_of_x.assign(end=ends_of_x[f"y_{side}_x"], place=range(len(ends_of_x)))
         for side in ("low", "high")]
    )  # fmt: skip
    marks = Marks(
        rows=rows, x="y_x", y="y", low="y_low", high="y_high", beyond="y_beyond", name="onset",
        by=[tildes, Scale(column="mark", looks=shapes)], open="bound",
        open_label="$P^*$ of $\\varepsilon$ is censored",
        bar_label=f"{100 * rule.confidence:.3g} % interval", arrow_label="censored: $P^*$ is",
    )  # fmt: skip
    return Panel(
        title=f"{net.upper()}: all $s_0$" + (f", {left} with both censored" if left else ""),
        x=Axis(f"$P^*$ of $\\varepsilon = {100 * threshold:.3g}$ %", log=True),
        y=Axis("$P^*_S$, $P^*_D$", log=True),
        marks=[
            marks,
            Marks(rows=across, x="end", y="y", by=[tildes], each=["place"], name="bar across",
                  marker="", line="-", width=0.8),
            law(ends, ends, "$y=x$", name="y = x"),
        ],
    )  # fmt: skip
