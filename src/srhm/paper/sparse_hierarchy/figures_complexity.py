"""Figures 4, 7, 8, 10, 13 of the paper, and two of our own: sample complexities and their laws.

The practice is how the published figures were made where it differs from the text: whitened input,
biases, balanced batches with a table of rates, the best test error over training (deviations.md).
"""

from collections.abc import Sequence
from itertools import product
from math import isfinite
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures import looks
from srhm.figures.averaging import averaged, spread
from srhm.figures.complexity_marks import (
    complexity_marks,
    depths,
    empty_places,
    first_shape,
    net_colours,
    papers_marks,
    unknown,
    with_ends,
)
from srhm.figures.looks import BLACK, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Marks, Panel, equality, law, level
from srhm.figures.scales import Scale, ranks
from srhm.figures.selection import (
    FAST_ENGINE,
    at_threshold,
    on_the_papers_grammars,
    text_curves,
    text_protocol,
)
from srhm.figures.words import EQUATIONS, curves_and_seeds, protocol_lines
from srhm.model.grammar import NET_AND_DATA
from srhm.model.theory import predicted
from srhm.paper.sparse_hierarchy.analysis import (
    TOLERANCE,
    of_features,
    of_the_law,
    practice_points,
)
from srhm.scorecard.claims import Measurement
from srhm.statistics.publications import read_publications

NETS = ("lcn", "cnn")
ERROR = Axis("test error $\\varepsilon$ (%)", limits=(-2, 102))
# Right panel of Figure 10: the same v = n_c = m and s_0 for all four (s, L).
N_FEATURES, N_EMPTY = 4, 1
# Panels of the authors' points.
AUTHORS = (("LCN, $s=2$", ("lcn",), 2), ("CNN, $s=2$", ("cnn",), 2),
           ("LCN and CNN, $s=3$", NETS, 3))  # fmt: skip
# Choices of the practice: column, its value there, its name.
CHOICES = (("whitening", True, "whitened input"), ("bias", True, "biases"),
           ("batch", "balanced", "balanced batches,\nrate table"))  # fmt: skip
TEXT = "the text"
CRITERIA = Scale(column="criterion", title="$P^*$ from", looks={
    "test_error": Look("the error at the stop", BLACK),
    "best_test_error": Look("the best error over training", VERMILION),
})  # fmt: skip


def fig04(
    cells: pd.DataFrame, sample_complexity: pd.DataFrame, published: pd.DataFrame, *,
    publications: Sequence[str], width: int, threshold: float, preset: str,
) -> Figure:  # fmt: skip
    """Figure 4: curves of the text's protocol of this width H, P* at this threshold of the error.

    A: `example_curve`. The slopes are those of the scorecard. publications: files of published
    runs, drawn as rings; one of the preset itself is left out.
    """
    this = preset.removesuffix("-published")
    runs = read_publications([file for file in publications if Path(file).parts[-3] != this])
    curves = at_threshold(text_curves(sample_complexity, width=width, branching=2), threshold)
    curves = with_prediction(curves[curves["net"].isin(NETS)])
    points = with_prediction(published[published["s"] == 2])
    archive = [
        with_prediction(text_curves(at_threshold(stars, threshold), width=None, branching=2))
        for run in runs for net in NETS
        for stars in [run.sample_complexity[run.sample_complexity["net"] == net]]
    ]  # fmt: skip
    rings = pd.concat(archive, ignore_index=True) if archive else curves[:0]
    rings = rings[rings["net"].isin(curves["net"])]
    everything = pd.concat([curves, rings, points[points["net"].isin(curves["net"])]])
    by = [depths(everything), empty_places(everything["s0"])]
    tables = {"sample_complexity": sample_complexity, "cells": cells}
    parts = {net: [table[table["net"] == net] for table in (curves, points, rings)] for net in NETS}
    slopes = {net: _interval("slope {}", of_the_law((net,), 2)(tables)) for net in NETS}
    powers = {net: "\n".join(filter(None, (
        _interval(f"$L={depth}$: $v^{{{{{{}}}}}}$", of_features(net, depth)(tables),
                  f", law $v^{depth + 1}$") for depth in (2, 3)
    ))) for net in NETS}  # fmt: skip
    hardware = "; ".join(f"archive {run.preset}: {run.devices}" for run in runs)
    return mosaic([
        _learning_curve(cells, example_curve(curves), threshold),
        *(_against_prediction(ours, theirs, net=net, by=by, rings=rung, note=slopes[net],
                              title=f"{net.upper()}, $s=2$")
          for net, (ours, theirs, rung) in parts.items()),
        *(_over_prediction(ours, theirs, net=net, by=by, note=powers[net])
          for net, (ours, theirs, _) in parts.items()),
    ], columns=3, preset=preset, height=2.35, notes=[
        *unknown(with_ends(curves)), *protocol_lines(cells[cells["curve"].isin(curves["curve"])]),
        *([f"{hardware}."] if len(rings) else []),
    ])  # fmt: skip


def with_prediction(rows: pd.DataFrame) -> pd.DataFrame:
    """With the prediction of Eq. 3 or 4, P* over it, and v a little aside for each s_0."""
    prediction = pd.Series([predicted(row) for _, row in rows.iterrows()], index=rows.index,
                           dtype=float)  # fmt: skip
    return rows.assign(prediction=prediction, over=rows["P_star"] / prediction,
                       at=rows["v"] * (1 + 0.025 * (rows["s0"] - 1.5)))  # fmt: skip


def _interval(words: str, found: Measurement, after: str = "") -> str:
    """A number of the scorecard with its interval, in words; empty where it is unknown."""
    if not isfinite(found.value):
        return ""
    ends = f" [{found.low:.2f}, {found.high:.2f}]" if isfinite(found.low) else ""
    return words.format(f"{found.value:.2f}") + ends + after


def example_curve(curves: pd.DataFrame) -> pd.Series | None:
    """The row whose learning curve panel A shows: of the LCN, with L = s_0 = 2 as in the paper.

    Where there is no such curve, the next best: one that reached the threshold, then L = 2, then
    s_0 = 2, then the largest v. None without any curve of the LCN.
    """
    lcn = curves[curves["net"] == "lcn"]
    if lcn.empty:
        return None
    wishes = pd.DataFrame({"reached": lcn["status"] == "reached", "depth": lcn["L"] == 2,
                           "empty": lcn["s0"] == 2, "v": lcn["v"], "s0": lcn["s0"]})  # fmt: skip
    return lcn.loc[wishes.sort_values(list(wishes.columns), ascending=False).index[0]]


def _learning_curve(cells: pd.DataFrame, row: pd.Series | None, threshold: float) -> Panel:
    """Panel A: test error of every seed, their average, the threshold and P* with its interval."""
    if row is None:
        return Panel(title="LCN")
    curve = cells[cells["curve"] == row["curve"]]
    curve = curve.assign(error=100 * curve["test_error"], lost=100.0)
    mean = curve.groupby("P", as_index=False)["error"].mean()  # leaves out NaN, as P* does
    star, low, high = (float(row[name]) for name in ("P_star", "P_star_low", "P_star_high"))
    tint, at = looks.net("lcn").colour, 100 * threshold
    note = {"not_reached": "threshold not reached", "below_range": "below all $P$"}.get(
        row["status"], ""
    )
    marks = [
        Marks(rows=curve, x="P", y="error", each=["seed"], label="one seed", name="seed",
              colour=tint, alpha=0.4, size=2.0, width=0.7, line="-"),
        Marks(rows=mean, x="P", y="error", label="average over seeds", name="mean", colour="black",
              size=3.0, line="-", order=3.0),
        Marks(rows=curve[curve["status"] == "capped"], x="P", y="error", name="capped",
              label="stopped at the step limit", colour=tint, marker="s", filled=False, size=5.0),
        Marks(rows=curve[curve["test_error"].isna()], x="P", y="lost", label="diverged",
              name="diverged", colour=tint, marker="x"),
        level(at, f"threshold {at:.3g} %", name="threshold", line="--"),
    ]  # fmt: skip
    if isfinite(star):
        point = pd.DataFrame({"P": [star], "error": [at], "low": [low], "high": [high]})
        marks.append(
            Marks(rows=point, x="P", y="error", x_low="low", x_high="high", label="$P^*$, interval",
                  name="P_star", colour="black", marker="D", filled=False, size=5.0, order=4.0)
        )  # fmt: skip
        rounded = [f"{float(f'{number:.3g}'):,.0f}" for number in (star, low, high)]
        ends = f"\n[{rounded[1]}, {rounded[2]}]" if isfinite(low) else ""
        note = note or f"$P^*$ = {rounded[0]}{ends}"
    return Panel(title=f"LCN, $L={row['L']}$, $v={row['v']}$, $s_0={row['s0']}$", marks=marks,
                 note=note, x=POINTS, y=ERROR)  # fmt: skip


def _against_prediction(
    curves: pd.DataFrame, published: pd.DataFrame, *, net: str, by: Sequence[Scale], title: str,
    rings: pd.DataFrame | None = None, note: str = "",
) -> Panel:  # fmt: skip
    """P* of all curves against their prediction, and y = x; rings: curves of archived runs."""
    equation, formula = EQUATIONS[net]
    if curves.empty:
        return Panel(title=title)
    marks = complexity_marks(with_ends(curves), x="prediction", by=by)
    if rings is not None and len(rings):
        marks.append(
            Marks(rows=with_ends(rings), x="prediction", y="y", beyond="y_beyond",
                  by=[by[1].without()], colour="0.35", filled=False, marker=first_shape(rings),
                  size=6.0, alpha=0.5, order=1.5, name="run", label="our other presets, archived")
        )  # fmt: skip
    return Panel(
        title=title, note=note, square=True,
        marks=[*marks, papers_marks(published, x="prediction", y="P_star", by=by),
               equality(curves["prediction"], published["prediction"], room=3)],
        x=Axis(f"{equation}: ${formula}$", log=True), y=Axis("$P^*$ (points)", log=True),
    )  # fmt: skip


def _over_prediction(
    curves: pd.DataFrame, published: pd.DataFrame, *, net: str, by: Sequence[Scale], note: str = ""
) -> Panel:
    """P* over its prediction against v: where the law falls short; note: above the marks."""
    drawn = with_ends(curves, unit=curves["prediction"])
    most = 2.0 * pd.concat([drawn["y"], published["over"]]).max()
    theirs = published[:0] if curves.empty else published
    return Panel(
        title=f"{net.upper()}: divided by the prediction", note=note,
        marks=[*complexity_marks(drawn, x="at", by=by),
               papers_marks(theirs, x="at", y="over", by=by),
               level(1, "$y=x$", name="1", line="--")],
        x=Axis("features $v$", ticks=curves["v"]),
        y=Axis(f"$P^*$ / {EQUATIONS[net][0]}", log=True,
               limits=(None, most) if note and isfinite(most) else (None, None)),
    )  # fmt: skip


def sparsity_b(
    cells: pd.DataFrame, *, net: str, width: int, threshold: float, preset: str
) -> Figure:
    """Figure 7 (LCN, Eq. 3) or 8 (CNN, Eq. 4), s = 2: ε against P, and against P rescaled.

    Curves of sparsity B of this width, of one vocabulary as in the paper: that of most curves, the
    larger v of equal ones. Averages leave out diverged networks.
    """
    rows = cells[cells["net"] == net]
    dense, sparse = (text_curves(rows, width=width, branching=2, sparsity=kind) for kind in "AB")
    n_curves = sparse.groupby("v")["curve"].nunique()
    usual = n_curves[n_curves == n_curves.max()].index.max()
    sparse, shared = sparse[sparse["v"] == usual], ["L", "s0", "v"]
    means, other = (_averages(curves) for curves in (
        sparse, dense.merge(sparse[shared].drop_duplicates(), on=shared)
    ))  # fmt: skip
    by = [net_colours(means["net"]), depths(means), empty_places(means["s0"])]
    (equation, formula), tint, at = EQUATIONS[net], looks.net(net).colour, 100 * threshold
    sizes = f", $v = {usual}$" if len(means) else ""
    return mosaic([
        Panel(title=title, x=Axis(label, log=True), y=ERROR, marks=[
            Marks(rows=other, x=x, y="error", each=["curve"], label="the same with sparsity A",
                  name="A curve", colour="0.6", marker="", line="-", width=0.7, order=1.5),
            Marks(rows=means, x=x, y="error", low="low", high="high", by=by, each=["curve"],
                  name="B curve", line="-", width=0.8, bar_label="from lowest to highest seed"),
            Marks(rows=means[means["capped"]], x=x, y="error", marker="s", filled=False,
                  size=6.5, colour=tint, label="a seed stopped at the step limit", name="capped",
                  order=1.2),
            Marks(rows=means[means["diverged"]].assign(error=100.0), x=x, y="error", marker="x",
                  colour=tint, label="a seed diverged (left out)", name="diverged"),
            level(at, f"$\\varepsilon = {at:.3g}$ %", name="threshold", line="--"),
        ] if len(means) else [])
        for x, label, title in (
            ("P", "training points $P$", f"{net.upper()}, sparsity B{sizes}"),
            ("scaled", f"$P\\;/\\;{formula}$   ({equation})", "$P$ rescaled"))
    ], columns=2, preset=preset, height=2.6, notes=[
        f"{net.upper()}, sparsity B: {curves_and_seeds(sparse)}."
    ] if len(means) else [])  # fmt: skip


def _averages(cells: pd.DataFrame) -> pd.DataFrame:
    """Means and ends (in %) of each curve and P, whether one was capped or diverged; scaled P."""
    seeds = cells.assign(error=100 * cells["test_error"], capped=cells["status"] == "capped",
                       diverged=cells["test_error"].isna())  # fmt: skip
    scale = {row["curve"]: predicted(row) for _, row in cells.drop_duplicates("curve").iterrows()}
    means = spread(seeds, "error", ["curve", "net", "L", "s0", "v", "P"],
                   flags=["capped", "diverged"])  # fmt: skip
    return means.assign(scaled=means["P"] / means["curve"].map(scale).astype(float))


def branching(
    sample_complexity: pd.DataFrame, published: pd.DataFrame, *, net: str, width: int,
    threshold: float, preset: str,
) -> Figure:  # fmt: skip
    """Figure 10 (LCN) or 13 (CNN), s = 3: P* against its prediction; B: constant, or the ratio."""
    table = at_threshold(sample_complexity, threshold)
    table = table[table["net"] == net]
    curves = with_prediction(text_curves(table, width=width, branching=3))
    authors = with_prediction(published[(published["net"] == net) & (published["s"] == 3)])
    constant = with_prediction(constant_curves(table, width=width))[: None if net == "lcn" else 0]
    everything = pd.concat([curves, constant, authors if len(curves) else authors[:0]])
    by = [depths(everything), empty_places(everything["s0"])]
    drawn = list(zip(constant["s"], constant["L"], strict=True))
    absent = ", ".join(str(pair) for pair in product((2, 3), (2, 3)) if pair not in drawn)
    return mosaic([
        _against_prediction(curves, authors, net=net, by=by, title=f"{net.upper()}, $s=3$"),
        _constant(constant, by[0]) if net == "lcn" else
        _over_prediction(curves, authors, net=net, by=by),
    ], columns=2, preset=preset, height=3.1, notes=[
        f"{net.upper()}, s = 3: {curves_and_seeds(curves)}.",
        *([f"B lacks (s, L) = {absent}."] if net == "lcn" and absent else []),
    ])  # fmt: skip


def constant_curves(table: pd.DataFrame, *, width: int) -> pd.DataFrame:
    """Rows of the right panel of Figure 10: v = n_c = m = 4, s_0 = 1, s and L either 2 or 3."""
    rows = text_protocol(table, width=width)
    rows = rows[(rows["sparsity"] == "A") & (rows["s0"] == N_EMPTY)]
    same = (rows[["v", "m", "n_c"]] == N_FEATURES).all(axis=1)
    return rows[same & rows["s"].isin([2, 3]) & rows["L"].isin([2, 3])]


def _constant(curves: pd.DataFrame, depth: Scale) -> Panel:
    """P* over Eq. 3 without its constant, and guides through the first P*; nothing is fitted."""
    root = curves["s"] ** (curves["L"] / 2)
    rows = with_ends(curves.assign(root=root), unit=curves["prediction"] / root).sort_values("root")
    shapes = Scale(column="s", title="B: $s$", looks={
        s: Look(f"${s}$", marker=marker)
        for s, marker in ((2, "<"), (3, ">")) if s in set(rows["s"])
    })  # fmt: skip
    known, ends = rows[(rows["y_beyond"] == 0) & rows["y"].notna()], (1.4, 6.8)
    guides = [
        guide for x, y in known[["root", "y"]].head(1).to_numpy(dtype=float)
        for guide in (law(ends, [y, y], "B: a constant", line=":", name="flat"),
                      law(ends, [y * end / x for end in ends], "B: $\\propto s^{L/2}$", line="-.",
                          name="rising"))
    ]  # fmt: skip
    return Panel(
        title=f"$v=n_c=m={N_FEATURES}$, $s_0={N_EMPTY}$",
        marks=[*complexity_marks(rows, x="root", by=[depth, shapes]), *guides],
        x=Axis("$s^{L/2}$", log=True, limits=ends, ticks=[2.0, 3.0, 4.0, 6.0]),
        y=Axis("$P^*\\;/\\;(s_0+1)^L\\,n_c\\,m^L$", log=True),
    )  # fmt: skip


def authors_points(
    sample_complexity: pd.DataFrame, cells: pd.DataFrame, published: pd.DataFrame, *, preset: str
) -> Figure:
    """The authors' P* over ours, by their practice, a panel for each net of s = 2, one for s = 3.

    Bars: 95 % of what one reading of one grammar on the authors' grid of P would give.
    """
    points = practice_points(sample_complexity, cells, published)
    over = {end: points["published"] / points[column] for end, column in
            (("ratio", "ours"), ("low_ratio", "high"), ("high_ratio", "low"))}  # fmt: skip
    points = points.assign(**{name: values.astype(float) for name, values in over.items()})
    # All panels from half the least to twice the largest: one has few points.
    ends = (points["ours"].min() / 2, points["ours"].max() * 2) if len(points) else (None, None)
    by = [net_colours(points["net"]), depths(points), empty_places(points["s0"])]
    factors = ", ".join(f"{str(net).upper()} ×{np.exp(ratios.mean()):.2f}" for net, ratios in
                        points[points["s"] == 2].groupby("net")["log_ratio"])  # fmt: skip
    return mosaic([
        Panel(title=title, x=Axis("our $P^*$", log=True, limits=ends),
              y=Axis("the authors' $P^*$ / our $P^*$", log=True), marks=[
                  level(1, "equal", name="equal", line="--"),
                  *(level(at, "tolerance of the mean", name=f"tolerance {at:.2f}")
                    for at in (1 / TOLERANCE, TOLERANCE)),
                  Marks(rows=points[points["net"].isin(nets) & (points["s"] == s)], x="ours",
                        y="ratio", low="low_ratio", high="high_ratio", by=by, name="point",
                        bar_label="95 % of a reading"),
              ])
        for title, nets, s in AUTHORS
    ], columns=3, preset=preset, height=2.4, share="y", notes=[
        f"{int(points['inside'].sum())} of {len(points)} points lie within their bar of 1;"
        f" {factors} at s = 2."
    ] if len(points) else [])  # fmt: skip


def practice(
    sample_complexity: pd.DataFrame, *, width: int, threshold: float, preset: str
) -> Figure:
    """P* of the CNN under each choice of the practice, divided by that of the text's protocol.

    Both P* at this threshold, the divisor that of the error at the stop; s = 2, n_c = v,
    m = v^(s-1), sparsity A, this width. A panel for each L, a row for each choice of the table.
    """
    tables = [_choices(at_threshold(sample_complexity, threshold, criterion=criterion), width)
              for criterion in CRITERIA.looks]  # fmt: skip
    rows = pd.concat(tables, ignore_index=True)
    # Data models that were learnt in another way than the text's too; the text's own error at the
    # stop over itself is 1.
    kinds = rows.groupby(list(NET_AND_DATA))["choice"].transform("nunique")
    known = rows[rows["curve"].isin(rows["curve"][kinds > 1])]
    known = known[(known["choice"] != TEXT) | (known["criterion"] != "test_error")]
    text = text_protocol(tables[0], width=width)
    text = text[text["status"] == "reached"].rename(columns={"P_star": "unit"})
    both = known.merge(text[[*NET_AND_DATA, "unit"]], on=list(NET_AND_DATA))
    names = list(dict.fromkeys(both.sort_values("rank")["choice"]))
    aside = 0.3 * ranks(both["criterion"], CRITERIA.looks)
    drawn = with_ends(both, unit=both["unit"])
    drawn = drawn.assign(place=both["choice"].map(names.index).astype(float) + aside)
    lost = len(known) - len(both)
    return mosaic([
        Panel(title=f"CNN, $L={depth}$", x=Axis("$P^*$ in units of the text's $P^*$", log=True),
              y=Axis(limits=(len(names) - 0.5, -0.5), ticks=dict(enumerate(names))), marks=[
                  Marks(rows=shown, x="y", y="place", x_beyond="y_beyond", by=[CRITERIA], size=2.5,
                        alpha=0.4, name="curve", label="a curve", arrow_label="censored: $P^*$"),
                  Marks(rows=averaged(shown[shown["y_beyond"] == 0], "y", at="place",
                                      by=["criterion"], logarithmic=True), x="value", y="place",
                        x_low="low", x_high="high", by=[CRITERIA], size=5, name="mean",
                        label="geometric mean over curves, with its 95 % interval"),
                  level(1, "$P^*$ of the text", name="text", line="--", across="y"),
              ])
        for depth in (2, 3) for shown in [drawn[drawn["L"] == depth]]
    ], columns=2, preset=preset, height=0.35 * len(names) + 1, share="y", notes=[
        *(f"CNN, L = {depth}, v = {', '.join(map(str, sorted(set(shown['v']))))}:"
          f" {curves_and_seeds(shown)}." for depth, shown in drawn.groupby("L")),
        *([f"{lost} P* are left out, as the text's P* is censored."] if lost else []),
    ])  # fmt: skip


def _choices(table: pd.DataFrame, width: int) -> pd.DataFrame:
    """Curves of the figure with their choice and its rank: the text, each, combinations, all."""
    rows = on_the_papers_grammars(table[(table["net"] == "cnn") & (table["width"] == width)],
                                  branching=2)  # fmt: skip
    names, order = [], []
    for row in rows.to_dict("records"):
        made = [i for i, (column, value, _) in enumerate(CHOICES) if row[column] == value]
        name = " +\n".join(CHOICES[i][2] for i in made) or TEXT
        if len(made) == len(CHOICES):
            name = "all three"
        # Whitening and biases need another engine; the reference without them checks the fast one.
        other = row["engine"] != FAST_ENGINE and not {0, 1} & set(made)
        names.append(f"{name},\nreference engine" if other else name)
        order.append(100 * len(made) + 10 * sum(made) + int(other))
    return rows.assign(rank=order, choice=names)
