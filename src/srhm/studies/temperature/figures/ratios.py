"""P* against the ratio of learning rate to batch size, and what else may count.

Letters of the paper: P* sample complexity, L depth, s_0 empty places for each informative one, v
features; T: learning rate over batch size times (1 - momentum).
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.complexity_marks import empty_places, unknown, with_ends
from srhm.figures.drawing import styled
from srhm.figures.looks import BLACK, BLUE, GREEN, PURPLE, VERMILION, Look
from srhm.figures.marks import EQUATIONS
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, level
from srhm.figures.scales import Scale, by_name, coloured, distinct
from srhm.results.coordinates import NET_AND_DATA
from srhm.studies.temperature.analysis import MAIN, TEXT, line_of, of_errors

KINDS = (("cnn", 2), ("cnn", 3), ("lcn", 2), ("lcn", 3))
# Factors of T: where the limit stands left of the smallest T, and how far apart are drawn: v,
# families in the limit, choices.
LIMIT, APART, FAMILIES_APART, CHOICES_APART = 0.35, 1.06, 1.07, 1.12
T = Axis("$T=\\eta/[B\\,(1-\\mu)]$", log=True)
# What is compared with the line at equal T: columns in which a curve differs.
OTHERS: Mapping[str, Mapping[str, Any]] = {
    "width 128": {"width": 128},
    "width 512": {"width": 512},
    "stop at $10^{-2}$": {"loss_threshold": 1e-2},
    "stop at $10^{-4}$": {"loss_threshold": 1e-4},
    "dense reference": {"engine": "reference"},
}
CRITERIA = {"S_2": "$P^*_S$", "D_2": "$P^*_D$"}
LOOKS = {
    "width 128": Look("width 128", BLUE, "o"), "width 512": Look("width 512", BLUE, "D"),
    "stop at $10^{-2}$": Look("stop at $10^{-2}$", GREEN, "^"),
    "stop at $10^{-4}$": Look("stop at $10^{-4}$", GREEN, "v"),
    "dense reference": Look("dense reference", BLACK, "P"),
    "$P^*_S$": Look("$P^*_S$", VERMILION, "X"), "$P^*_D$": Look("$P^*_D$", PURPLE, "d"),
}  # fmt: skip
MARKS: Mapping[str, Any] = {
    "x": "x", "y": "y", "low": "y_low", "high": "y_high", "beyond": "y_beyond", "size": 3.8,
    "bar_label": "95 % interval over seeds", "arrow_label": "censored: $P^*$ is",
}  # fmt: skip


@styled
def draw(complexities: pd.DataFrame, limits: pd.DataFrame, *, preset: str) -> Figure:
    """P* over Eq. 3 or 4 against T, a panel for each net and L, and two of the single choices.

    complexities, limits: rows of COMPLEXITIES and LIMITS. Left of the smallest T: the limit with
    the interval of both extrapolations, gradient descent, gradient flow. C: P* of one family at
    batch sizes and momenta. F: P* of other widths, stops, of the reference, and P*_S and P*_D, over
    P* of the line at equal T.
    """
    rows = line_of(complexities)
    if rows.empty:
        return mosaic([], columns=1, preset=preset)
    # Exponents of m have families of their own: their constants are those of the other figure.
    rows = rows[rows["m"] == rows["v"] ** (rows["s"] - 1)]
    rows = with_ends(rows, unit=rows["prediction"])
    a, b, d, e = (
        _kind(net, L, rows[(rows["net"] == net) & (rows["L"] == L)], rows, limits)
        for net, L in KINDS
    )
    return mosaic([a, b, _batches(complexities), d, e, _others(complexities)], columns=3,
                  preset=preset, height=2.4, notes=unknown(rows))  # fmt: skip


def _kind(
    net: str, depth: int, rows: pd.DataFrame, shown: pd.DataFrame, limits: pd.DataFrame
) -> Panel:
    features = sorted(set(rows["v"]))
    apart = {v: APART ** (i - (len(features) - 1) / 2) for i, v in enumerate(features)}
    shift = rows["v"].map(apart).astype(float)
    smallest = float(rows["ratio"].min()) if len(rows) else TEXT
    rows = rows.assign(x=rows["ratio"] * shift)
    at_limit = limits.merge(rows[list(NET_AND_DATA)].drop_duplicates(), on=list(NET_AND_DATA))
    # Side by side by v and s_0: bars at one x would hide each other.
    rank = at_limit.groupby(["v", "s0"]).ngroup()
    aside = FAMILIES_APART ** (rank - rank.max() / 2) if len(rank) else rank
    at_limit = at_limit.assign(x=smallest * LIMIT * aside.astype(float))
    for name in ("P_limit", "P_limit_low", "P_limit_high", "P_full", "P_flow"):
        at_limit[name] = at_limit[name] / at_limit["prediction"]
    by = [coloured("v", shown["v"].astype(int), "$v$"), empty_places(shown["s0"])]
    n = rows["curve"].nunique()
    return Panel(
        title=f"{net.upper()}, $L={depth}$: {n} curves", x=T,
        y=Axis(f"$P^*$ over {EQUATIONS[net][0]}", log=True), marks=[
            Marks(rows=rows[rows["status"] == "reached"], x="x", y="y", name="line", by=[by[0]],
                  each=["s0"], marker="", line="-", width=0.7, alpha=0.5),
            Marks(rows=rows, by=by, open="faint", name="P*",
                  open_label="$P^*$ above a tenth of all data", **MARKS),
            Marks(rows=at_limit, x="x", y="P_limit", low="P_limit_low", high="P_limit_high",
                  name="limit", by=by, filled=False, size=3.8),
            Marks(rows=at_limit.dropna(subset=["P_full"]), x="x", y="P_full", name="P_full",
                  marker="_", size=6, colour=BLACK, label="gradient descent"),
            Marks(rows=at_limit.dropna(subset=["P_flow"]), x="x", y="P_flow", name="P_flow",
                  marker="x", size=5, colour=BLACK, label="gradient flow"),
            level(smallest * LIMIT**0.5, "left of it: limit $T\\to0$", name="to zero", across="y"),
            level(TEXT, "the text's $T$", line="--", across="y"),
        ] if len(rows) else [],
    )  # fmt: skip


def _batches(complexities: pd.DataFrame) -> Panel:
    """P* of the family of most batch sizes and momenta."""
    rows = of_errors(complexities)
    for name in ("engine", "batch", "loss_threshold", "width"):
        rows = rows[rows[name] == MAIN[name]]
    rows = rows[rows["ratio"] > 0]
    n = rows.groupby(list(NET_AND_DATA))["batch_size"].transform("nunique")
    rows = rows[n == n.max()].merge(rows[n == n.max()][list(NET_AND_DATA)].head(1))
    if rows["batch_size"].nunique() < 2:
        return Panel(title="rate and batch apart")
    one, sizes = rows.iloc[0], sorted(set(rows["batch_size"]))
    rank = rows["batch_size"].map({size: i for i, size in enumerate(sizes)}).astype(float)
    shift = APART ** (rank - (len(sizes) - 1) / 2 + 0.5 * (rows["momentum"] == 0))
    found = with_ends(rows.assign(x=rows["ratio"] * shift))
    looks = {m: Look(f"${m:g}$", filled=m > 0) for m in sorted(set(found["momentum"]))}
    momenta = Scale(column="momentum", looks=looks, title="$\\mu$ (C)")
    by = [distinct("batch_size", found["batch_size"], "$B$ (C)"), momenta]
    return Panel(
        title=f"{one['net'].upper()}, $L={one['L']}$, $v={one['v']}$, $s_0={one['s0']}$", x=T,
        y=Axis("$P^*$ (points)", log=True), marks=[
            Marks(rows=found, by=by, name="batch", **MARKS),
        ],
    )  # fmt: skip


def _others(complexities: pd.DataFrame) -> Panel:
    """P* of curves that differ from the line in one choice, over P* of the line at equal T."""
    base = line_of(complexities)
    base = base[base["status"] == "reached"]
    found = {name: line_of(complexities, **change) for name, change in OTHERS.items()}
    for criterion, name in CRITERIA.items():
        felt = complexities[complexities["criterion"] == criterion]
        found[name] = felt[felt["curve"].isin(base["curve"])]
    other = base.assign(rounded=base["ratio"].round(9))
    parts = []
    for name, rows in found.items():
        own = rows[rows["status"] == "reached"].assign(rounded=rows["ratio"].round(9), other=name)
        parts.append(own.merge(other, on=[*NET_AND_DATA, "rounded"], suffixes=("", "_line")))
    both = pd.concat([part for part in parts if len(part)] or parts[:1])
    rank = both["other"].map({name: i for i, name in enumerate(LOOKS)}).astype(float)
    aside = CHOICES_APART ** (rank - (len(LOOKS) - 1) / 2)
    both = both.assign(quotient=both["P_star"] / both["P_star_line"], x=both["ratio"] * aside)
    return Panel(title="other choices over the line", x=T,
                 y=Axis("over $P^*$ of the line", log=True),
                 marks=[Marks(rows=both, x="x", y="quotient", size=3.6, alpha=0.75,
                              name="quotient", by=[by_name("other", both["other"], LOOKS)]),
                        level(1, "equal (F)", name="equal", line="-.")])  # fmt: skip
