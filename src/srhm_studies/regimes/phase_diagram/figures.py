"""The plane of h and alpha_tilde, that of N and P, and learning curves (thesis, chapter 3b)."""

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srhm.figures.averaging import INTERVAL, averaged, means, spread
from srhm.figures.looks import BLACK, GREEN, GREY, PURPLE, REGIMES, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import POINTS, Axis, Marks, Panel, law, laws
from srhm.figures.regimes import (
    ALPHA_TILDE,
    CHANGE,
    WIDTH,
    changes,
    error_map,
    expected_slope,
    protocol,
    shares,
    tildes,
)
from srhm.figures.scales import by_name, ranks
from srhm.statistics.jamming import smallest_that_fit
from srhm.statistics.regimes import families, fitted_in
from srhm_studies.regimes.phase_diagram import analysis

BUDGETS = (PURPLE, VERMILION, "#7F0000", GREEN)  # of the smallest first
SHARES = by_name("share", ("all", "some", "none"), {
    "all": Look("all fit", BLACK, filled=False), "some": Look("some do not fit", GREY, filled=True),
    "none": Look("none fits", BLACK, filled=True),
}, "A, C")  # fmt: skip
# Regimes of networks, and what the kernel before training learns of.
LEARNERS = {
    "feature": Look("network, feature: $\\tilde\\alpha=0.1$", REGIMES["feature"].colour),
    "lazy": Look("network, lazy: $\\tilde\\alpha=10^3$", REGIMES["lazy"].colour),
    "whole": Look("$\\Theta_0$, inputs as they are", SKY),
    "compressed": Look("$\\Theta_0$ of $(x_\\parallel, x_\\perp/\\Lambda)$", GREEN),
}
THEORY = "C, D: theory, $-d/(3d-2)$ and $-(d+(d-1)/2)/(3d-2)$"
STATES = {
    "before": Look("before training", "0.45", "o", "-"),
    "feature": Look("after, feature ($\\tilde\\alpha=0.1$)", REGIMES["feature"].colour, "s", "-"),
    "lazy": Look("after, lazy ($\\tilde\\alpha=10^3$)", REGIMES["lazy"].colour, "^", "-"),
}
KINDS = {
    "stripes": analysis.STRIPE,
    "digits, FCN": analysis.DIGITS,
    "digits, CNN": analysis.PATCHES,
}
LABELS = {
    "omega": "fraction of labels $\\omega_\\rho$",
    "information": "$I(\\phi_\\rho; y)$ (nats)",
}


def phase_diagram(
    cells: pd.DataFrame, ensembles: pd.DataFrame, histories: pd.DataFrame, *, preset: str
) -> Figure:
    """A: the error of ensembles in the plane; B: errors at three alpha_tilde; C: what fits.

    B: of single networks and ensembles, with h* of each; C: in (N, P), with N* and N = 4 P.
    """
    plane, sizes = analysis.plane_of(cells), analysis.of_kind(cells, analysis.SIZES)
    in_plane = ensembles[ensembles["curve"].isin(plane["curve"])] if len(plane) else plane
    if in_plane.empty or sizes.empty or histories.empty:
        return mosaic([], columns=3, preset=preset)
    lines = analysis.jamming_lines(plane, histories)
    known = sorted(in_plane["alpha_tilde"].unique())
    chosen = [known[0], known[len(known) // 2], known[-1]]
    single = in_plane[in_plane["alpha_tilde"].isin(chosen)].groupby(["alpha_tilde", "width"])
    errors = single[["mean_error", "ensemble_error"]].mean().reset_index()
    stars = lines[(lines["part"] == 1) & lines["alpha_tilde"].isin(chosen)]
    scale = tildes(chosen, "B: $\\tilde\\alpha$")
    P = np.array([sizes["P"].min(), sizes["P"].max()], dtype=float)
    return mosaic([
        _together(plane, in_plane, lines, analysis.longest_line(cells)),
        Panel(title="single and ensemble", x=WIDTH,
              y=Axis("test error $\\varepsilon$ (%)", percent=True), marks=[
            Marks(rows=errors, x="width", y="mean_error", by=[scale], line="-", size=3,
                  label="single networks"),
            Marks(rows=errors, x="width", y="ensemble_error", by=[scale], line="--", marker="s",
                  size=3, label="ensemble"),
            laws(stars, "h_star", "", "$h^*$", by=[scale], name="star", line="-"),
        ]),
        Panel(title="networks that fit", x=Axis("weights $N$", log=True),
              y=Axis("training points $P$", log=True,
                     ticks={size: f"${size}$" for size in set(sizes["P"])}), marks=[
            Marks(rows=shares(sizes, "n_weights", "P"), x="n_weights", y="P", by=[SHARES],
                  name="fits", size=4),
            Marks(rows=smallest_that_fit(sizes).query("status == 'reached'"), x="N_star", y="P",
                  name="N*", label="$N^*$ (C)", colour=VERMILION, marker="", line="-", width=1.4,
                  sort=False),
            law(4 * P, P, "$N=4P$ (C)", name="bound", line=":"),
        ]),
    ], columns=3, preset=preset, height=3.4, notes=[
        f"{protocol(family)}." for family in families(plane, study="phase_diagram")
    ])  # fmt: skip


def _together(
    cells: pd.DataFrame, ensembles: pd.DataFrame, lines: pd.DataFrame, longest: pd.DataFrame
) -> Panel:
    """A map of the ensembles' error, which networks fit, h* by budget, levels of the change."""
    widths, scales = (sorted(cells[name].unique()) for name in ("width", "alpha_tilde"))
    error = ensembles.groupby(["alpha_tilde", "width"])["ensemble_error"].mean().unstack("width")
    error = error.reindex(index=scales, columns=widths)  # some may have no ensemble
    fitted = shares(cells, "width", "alpha_tilde")
    longer = longest[longest["budget"] > lines["budget"].max()]
    known = pd.concat([lines["budget"], longer["budget"]])
    budgets = by_name("budget", known, {
        budget: Look(f"{budget:,.0f} evaluations", tint)
        for budget, tint in zip(sorted(known.unique()), BUDGETS, strict=False)
    }, "A: $h^*$ after")  # fmt: skip
    return Panel(
        title="error $\\varepsilon$ of ensembles (%)", x=WIDTH, y=Axis(ALPHA_TILDE, log=True),
        marks=[
            Marks(rows=fitted[fitted["share"] != "all"], x="width", y="alpha_tilde", by=[SHARES],
                  name="fits", size=3),
            Marks(rows=lines, x="h_star", y="alpha_tilde", by=[budgets], name="jamming", marker="",
                  line="-", width=1.6, sort=False),
            Marks(rows=longer, x="h_star", y="alpha_tilde", by=[budgets], name="longest",
                  marker="D", size=6),
            changes(cells, f"A: {CHANGE}"),
        ],
        extra=partial(error_map, errors=error),  # the title says of what
    )  # fmt: skip


def phase_learning(cells: pd.DataFrame, compressed: pd.DataFrame, *, preset: str) -> Figure:
    """A digits, B with a CNN; C stripes, networks and frozen flows; D, support vector machines."""
    digits, patches, stripes = (
        analysis.of_kind(cells, kind)
        for kind in (analysis.DIGITS, analysis.PATCHES, analysis.STRIPE)
    )
    if digits.empty or stripes.empty or compressed.empty:
        return mosaic([], columns=2, preset=preset)
    shown = families(pd.concat([digits, patches, stripes]), study="phase_diagram")
    last = {(family.data, family.net): family for family in shown}  # of each kind, the largest P
    known = compressed.rename(columns={"test_error": "flow_error", "inputs": "learner"})
    known = known.merge(stripes[["key", "P", "seed"]][stripes["status"] == "fitted"], on="key")
    d = float(stripes["n_inputs"].iloc[0])
    slopes = [-(d + share * (d - 1)) / (3 * d - 2) for share in (0.0, 0.5)]

    def kernels(column: str, rows: pd.DataFrame) -> list[Marks]:
        guides = [_slope(known, column, slope, THEORY) for slope in slopes]
        return [_curves(rows, column, open_label="a kernel's flow stopped at its limit"), *guides]

    thesis = "B: the thesis, −1/2 and −1/3"
    titles = ("digits, FCN", "digits, CNN", "stripes, gradient flow", "stripes, widest margin")
    marks = (
        [_networks(digits)],
        [_networks(patches), *(_slope(patches, "test_error", -k, thesis) for k in (1 / 2, 1 / 3))],
        [_networks(stripes), *kernels("flow_error", known)],
        kernels("svm_error", known.assign(status="")),
    )
    return mosaic([
        Panel(title=title, x=POINTS, y=Axis("test error $\\varepsilon$", log=True), marks=curves)
        for title, curves in zip(titles, marks, strict=True)
    ], columns=2, preset=preset,
       notes=[f"{protocol(family)}." for family in last.values()])  # fmt: skip


def _slope(rows: pd.DataFrame, column: str, slope: float, label: str) -> Marks:
    return expected_slope(rows, "P", column, slope, label=label, factor=0.8, lowest=True)


def _networks(cells: pd.DataFrame) -> Marks:
    """Errors of fitted networks in both regimes."""
    rows = pd.concat([
        fitted_in(cells, lazy=lazy).assign(learner=name)
        for name, lazy in (("feature", False), ("lazy", True))
    ])  # fmt: skip
    return _curves(rows, "test_error", name="network")


def _curves(rows: pd.DataFrame, column: str, *, name: str = "", open_label: str = "") -> Marks:
    points = averaged(rows, column, at="P", by=["learner"], logarithmic=True)
    return means(points, "P", [by_name("learner", points["learner"], LEARNERS)],
                 name=name or column, bar_label=INTERVAL, open_label=open_label)  # fmt: skip


def phase_alignment(cells: pd.DataFrame, alignment: pd.DataFrame, *, preset: str) -> Figure:
    """Columns: omega and mutual information of each eigenvector; rows: stripes, digits by net."""
    panels: list[Panel] = []
    for name, kind in KINDS.items() if len(alignment) else ():
        networks = analysis.of_kind(cells, kind)
        networks = networks[networks["P"] == networks["P"].max()] if len(networks) else networks
        if networks.empty:
            panels += [Panel(title=name)] * len(LABELS)
            continue
        keys = {lazy: fitted_in(networks, lazy=lazy)["key"] for lazy in (False, True)}
        n = ", ".join(str(len(some)) for some in keys.values())
        for column, label in LABELS.items():
            rows = pd.concat([
                spread(alignment[alignment["key"].isin(keys[lazy]) & (alignment["when"] == when)],
                       column, ["rank"]).assign(state=state)
                for state, lazy, when in (("before", False, "initial"), ("feature", False, "end"),
                                          ("lazy", True, "end"))
            ])  # fmt: skip
            rows["at"] = rows["rank"] + 0.15 * ranks(rows["state"], STATES)
            panels.append(Panel(
                title=f"{name}, $P={networks['P'].max()}$, $n={n}$", y=Axis(label),
                x=Axis("rank $\\rho$ of the eigenvector",
                       ticks={k: str(k) for k in range(1, int(alignment["rank"].max()) + 1, 3)}),
                marks=[Marks(rows=rows, x="at", y=column, low="low", high="high", name=column,
                             by=[by_name("state", rows["state"], STATES)], line="-", size=3.6,
                             bar_label="least to most")],
            ))  # fmt: skip
    return mosaic(panels, columns=2, preset=preset, height=1.7)
