"""Figures of the representation cost of deep networks, and of the weights that it leaves.

Letters: L weight matrices, l number of one of them, W_l with singular values s_i(W_l), theta all
parameters, N points; R^(0) and R^(1) limit and first correction of the representation cost, k* rank
of a map, c_1 = ||theta||^2 - k L, |Jf|_+ product of the k largest singular values of the Jacobian,
V_l semi-orthogonal matrices, Sigma_l Gram matrix of layer l.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from srhm.figures.averaging import mean_line
from srhm.figures.legends import Entry
from srhm.figures.looks import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, Look
from srhm.figures.mosaic import mosaic
from srhm.figures.panels import Axis, Marks, Panel, bars_of_seeds, law, laws, level, levels
from srhm.figures.scales import Scale, by_name, coloured, distinct, graded
from srhm.figures.words import GUIDE, described, several
from srhm_studies.beyond.representation_cost import analysis
from srhm_studies.beyond.representation_cost.analysis import FIRST_DEPTH, level_directions
from srhm_studies.beyond.representation_cost.configuration import LARGE, MAPS

LOOKS = dict(zip(MAPS, (
    Look("rank 1", BLUE, "o"), Look("rank 2", VERMILION, "s"), Look("rank 3", GREEN, "^"),
    Look("circle", PURPLE, "D"), Look("square", ORANGE, "v"),
), strict=True))  # fmt: skip
COUNTS = {"n_visible": Look("of the representation", BLUE),
          "n_large": Look(f"of the weights: above {LARGE:g}", VERMILION)}  # fmt: skip
PARTS = {"below": Look("layers below the cut", BLACK, "o"),
         "above": Look("layers above the cut", SKY, "x")}  # fmt: skip
PAIRS = {"apart_true": Look("equal $z$", marker="o", line="--"),
         "apart_full": Look("equal length of $z$", marker="s", line="-")}  # fmt: skip
OUTPUTS = {1: Look("1", VERMILION), 3: Look("3", BLUE)}
REGIONS = (SKY, ORANGE, GREEN, PURPLE)
HALF = 1.8  # of the square, as in `experiment`
RANKS = pd.DataFrame({"rank_of": [1, 2, 3]})
KNOWN = {"overlap": r"$|w^T\theta|$", "rest": r"$\|(I-ww^T)\theta\|$"}
ALL = {**KNOWN, "signed_overlap": r"$w^T\theta$", "one_coordinate": r"$\theta_2$"}
LAYER = Axis("layer $l$", whole=True)
DIRECTIONS = Axis("directions", limits=(0, None))


def _maps(rows: pd.DataFrame) -> Scale:
    return by_name("map", rows["map"], LOOKS, "Map")


def _lines(rows: pd.DataFrame, y: str, *by: Scale, **look: Any) -> Marks:
    """A line against the layer for each family: means over seeds with their range."""
    return mean_line(rows, "k", y, *by, **{"band": True, "size": 3, **look})


def _singular_values(title: str, rows: pd.DataFrame) -> Panel:
    """The six largest singular values of each layer: medians over seeds with the range."""
    ranks = graded("number", range(1, 7), "$s_i(W_l)$, $i=$", palette="flare_r")
    largest = rows[rows["number"].isin(ranks.looks)]
    return Panel(title=title, x=LAYER, y=Axis("singular values of $W_l$", limits=(0, None)), marks=[
        _lines(largest, "value", ranks, middle="median", size=2.5, width=0.8),
        level(LARGE, f"{LARGE:g}: counted as near 1", name="large"),
    ])  # fmt: skip


def _counts(title: str, rows: pd.DataFrame, *guides: Marks) -> Panel:
    """Directions of each layer's representation and weights."""
    long = rows.melt(["k", "seed"], list(COUNTS), "kind", "count")
    kinds = by_name("kind", long["kind"], COUNTS, "Directions")
    return Panel(title=title, x=LAYER, y=DIRECTIONS, marks=[_lines(long, "count", kinds), *guides])


def _by_stability(cells: pd.DataFrame, x: str, y: str, by: Scale) -> list[Marks]:
    """Stable networks as open markers, the others as small crosses."""
    kept = analysis.stable(cells)
    return [
        Marks(rows=cells[kept], x=x, y=y, by=[by], filled=False, size=3.5, alpha=0.8),
        Marks(rows=cells[~kept], x=x, y=y, by=[by.without("marker")], marker="x", size=3.5,
              alpha=0.8, label="does not fit, or unstable"),
    ]  # fmt: skip


def cost_depth(cells: pd.DataFrame, limits: pd.DataFrame, *, preset: str) -> Figure:
    """A: ||theta||^2 / L with its fit; B: linear networks; C: R^(0), R^(1); D: stability."""
    relu, linear = (
        rows.assign(norm=rows["squared_parameters"] / rows["L"])
        for rows in (
            analysis.finished(cells, "maps"),
            analysis.finished(cells, "linear").dropna(subset="rank"),
        )
    )
    linear = linear.assign(known=linear["cost_of_target"] / linear["L"]).astype({"rank": int})
    by = _maps(pd.concat([relu, limits]) if len(limits) else relu)
    ranks, norm = coloured("rank", linear["rank"], "Rank (B)"), Axis(r"$\|\theta\|^2/L$",
                                                                     limits=(0, None))  # fmt: skip
    depth, depth_linear = (Axis("depth $L$", log=True, ticks=rows["L"]) for rows in (relu, linear))
    ends = np.array([relu["L"].min(), relu["L"].max()], dtype=float) if len(relu) else np.array([])
    # The least R^(1) of maps of which it is known, at their rank.
    bounds = pd.DataFrame([
        {"map": name, "R0": target.bottleneck_rank, "R1": target.first_correction}
        for name, target in MAPS.items()
        if name in set(limits["map"]) and np.isfinite(target.first_correction)
    ])  # fmt: skip
    errors = ", ".join(f"{100 * (group['loss'] / group['variance']).mean():.1f} % ({name})"
                       for name, group in relu.groupby("map"))  # fmt: skip
    return mosaic([
        Panel(title="ReLU networks", x=depth, y=norm, marks=[
            *_by_stability(relu, "L", "norm", by),
            laws(_fits(relu, limits), "L", "norm", f"fit from $L={FIRST_DEPTH}$ on", by=[by],
                 name="fit", line="-"),
            levels(RANKS, "rank_of", "rank (A, C)", name="rank", line=":"),
        ]),
        Panel(title="linear networks", x=depth_linear, y=norm, marks=[
            Marks(rows=linear, x="L", y="norm", by=[ranks], name="linear", filled=False, size=3.5),
            laws(linear.drop_duplicates(["rank", "L"]), "L", "known", "closed form", by=[ranks]),
        ]),
        Panel(title="limits", x=Axis("$R^{(0)}$"), y=Axis("$R^{(1)}$"), marks=[
            Marks(rows=limits, x="R0", y="R1", by=[by], name="limit", filled=False),
            Marks(rows=bounds, x="R0", y="R1", by=[by.without("marker")], name="bound",
                  marker="_", size=14, label="lower bound of $R^{(1)}$", guide=True),
            laws(RANKS, "rank_of", "", "rank (A, C)", name="rank", line=":"),
        ]),
        Panel(title="stability", x=depth, marks=[
            *_by_stability(relu, "L", "sharpness", by),
            law(ends, analysis.STABLE * ends, f"${analysis.STABLE:g}L$", name="stable", line="-."),
        ], y=Axis(r"$\max_i\,\frac{2}{N}\|J_\theta f(x_i)\|_{op}^2$", log=True)),
    ], columns=2, preset=preset, notes=[
        *described(relu, "Width {width:g}, N = {n:g}, λL = {penalty:g}, {steps:g} steps, {seeds}."),
        *described(relu, "C over the variance: {errors}.", errors=errors),
    ])  # fmt: skip


def _fits(cells: pd.DataFrame, limits: pd.DataFrame) -> pd.DataFrame:
    """R0 + R1/L of each map, means over seeds, along the depths."""
    return pd.DataFrame([
        {"map": name, "L": L, "norm": mean["R0"] + mean["R1"] / L}
        for name, mean in limits.groupby("map")[["R0", "R1"]].mean().iterrows()
        for L in np.geomspace(FIRST_DEPTH, cells.loc[cells["map"] == name, "L"].max(), 50)
    ])  # fmt: skip


def cost_overfitting(cells: pd.DataFrame, *, preset: str) -> Figure:
    """A: ranks of networks that fit N points; B: bound on R^(1); C: fits of rank 1 over a bound."""
    few, over = analysis.finished(cells, "few_points"), analysis.underestimating(cells)
    # Seeds side by side, so that equal ranks do not cover each other.
    few = few.assign(place=few["n"] * 1.06 ** (few["seed"] - few["seed"].mean()),
                     unfit=~analysis.fits_its_points(few))  # fmt: skip
    paths = (
        analysis.finished(cells, "paths").groupby(["rank", "n"])["path_bound"].mean().reset_index()
    )
    paths = paths.astype({"rank": int})
    last = paths.groupby("rank")[["n", "path_bound"]].transform("last")
    slope = 2 * (1 - 1 / paths["rank"])
    paths = paths.assign(law=last["path_bound"] + slope * np.log(paths["n"] / last["n"]))
    ranks = distinct("rank", paths["rank"], "$k^*$ (B)")
    most = max(analysis.TRUE_RANK, few["weight_rank"].max()) + 0.6
    least = min(0.0, float(over["log_over_bound"].min())) if len(over) else 0.0
    few_sizes, over_sizes = (
        Axis("training points $N$", log=True, ticks=rows["n"] if len(rows) else [])
        for rows in (few, over)
    )
    return mosaic([
        Panel(title="rank of fits to $N$ points", x=few_sizes,
              y=Axis("singular values near 1", limits=(0, most)), marks=[
                  Marks(rows=few, x="place", y="weight_rank", open="unfit", name="few",
                        colour=BLUE, size=4.5, label="a network (A)",
                        open_label="does not fit (A)"),
                  level(analysis.TRUE_RANK, "rank of the map (A)", name="rank"),
              ]),
        Panel(title="curves through $N$ points", x=Axis("points $N$", log=True),
              y=Axis("2 log length of the tree"), marks=[
                  Marks(rows=paths, x="n", y="path_bound", name="path", by=[ranks]),
                  laws(paths, "n", "law", "slope $2(1-1/k^*)$", name="law", by=[ranks.without()]),
              ]),
        Panel(title="fits of rank 1", x=over_sizes,
              y=Axis(r"$\log\,(\|J_\theta f\|^2/(L\,e^{-c_1}N^2))$", limits=(least, None)),
              marks=[Marks(rows=over, x="n", y="log_over_bound", name="over bound", filled=False,
                           by=[_maps(over)])] if len(over) else []),
    ], columns=3, preset=preset, height=2.3, notes=described(
        few, "A: L = {L:g}, width {width:g}, λL = {penalty:g}, {seeds}."
    ))  # fmt: skip


def cost_weights(
    cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str
) -> Figure:
    """A-C: singular values; D, E: bound; F: geodesic; G: directions; H: two parts."""
    maps, linear = analysis.finished(cells, "maps"), analysis.finished(cells, "linear")
    deep, by = analysis.deepest(maps[analysis.stable(maps)], by="map"), _maps(maps)
    known = maps.dropna(subset=["structure", "structure_bound"])
    both = known[["structure", "structure_bound"]].to_numpy(dtype=float)
    ends = [0.8 * float(both.min()), 1.2 * float(both.max())] if len(both) else []
    of_maps, of_linear = analysis.of_cells(layers, deep, "map"), analysis.of_cells(layers, linear)
    by_map = of_maps.groupby(["map", "L", "k"])[["distance", "n_visible"]].mean().reset_index()
    worst = of_linear.groupby(["L", "k"])["geodesic_distance"].max().reset_index()
    by_map, worst = (rows.assign(part=rows["k"] / rows["L"]) for rows in (by_map, worst))
    cut = analysis.two_parts(layers, linear) if len(of_linear) else pd.DataFrame()
    parts = pd.DataFrame([
        {"part": part, "cost": row[f"cost_{part}"], "norm": row[f"norm_{part}"]}
        for row in cut.to_dict("records") for part in PARTS
    ], columns=["part", "cost", "norm"])  # fmt: skip
    most = float(parts["cost"].max())
    thin: dict[str, Any] = {"line": "-", "size": 2.5, "width": 0.8}
    return mosaic([
        *(_singular_values(f"{name}{f', $L={rows.L.iloc[0]}$' if len(rows) else ''}",
                           analysis.of_cells(values, rows))
          for name in list(LOOKS)[:3] for rows in [deep[deep["map"] == name]]),
        Panel(title="bound on the sum", x=Axis("$c_1-2\\,\\log|Jf|_+$", log=True),
              y=Axis(r"$\min\,\Sigma_l\|W_l-V_lV_{l-1}^T\|_F^2$", log=True),
              marks=[*_by_stability(known, "structure_bound", "structure", by),
                     law(ends, ends, "equal (D, H)", name="equal")]),
        Panel(title="by layer", x=Axis("layer $l$"),
              y=Axis(r"$\|W_l-V_lV_{l-1}^T\|_F^2$", log=True), marks=[
                  Marks(rows=by_map.dropna(subset=["distance"]), x="k", y="distance", by=[by],
                        **thin)]),
        Panel(title=r"linear: $\Sigma_l$", x=Axis("$l/L$"),
              y=Axis(r"$\|\Sigma_l-(A^TA)^{l/L}\|/\|(A^TA)^{l/L}\|$", log=True),
              marks=[Marks(rows=worst, x="part", y="geodesic_distance", name="geodesic", line="-",
                           size=2, width=0.7, by=[graded("L", worst["L"], "$L$ (F)")])]),
        Panel(title="representations", x=Axis("$l/L$"),
              y=Axis(r"directions of $\alpha_l$", limits=(0, None)), marks=[
                  Marks(rows=by_map, x="part", y="n_visible", name="directions", by=[by], **thin)]),
        Panel(title="linear: two parts", x=Axis("$R$ of $(A^TA)^{l/2L}$, of the rest"),
              y=Axis(r"$\Sigma\,\|W_l\|^2$ of the part"),
              marks=[Marks(rows=parts, x="cost", y="norm", name="part", size=3, filled=False,
                           by=[by_name("part", parts["part"], PARTS)]),
                     law([0, most], [0, most], "equal (D, H)", name="equal parts")]),
    ], columns=3, preset=preset, height=2.0)  # fmt: skip


def cost_classes(
    cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, regions: pd.DataFrame, *,
    preset: str,
) -> Figure:  # fmt: skip
    """A, B: regions of seed 0; C, D: singular values; E: directions; F, G: zigzag."""
    networks, zigzag = analysis.finished(cells, "classes"), analysis.finished(cells, "zigzag")
    depths = _ends(networks) or [0, 0]
    shallow, deep = (networks[networks["L"] == L] if any(depths) else networks for L in depths)
    tripoints = [
        f"{words} at L = {L:g}: {row['min']:g} to {row['max']:g} in {row['size']:g} networks."
        for words, rows in (("Tripoints", networks), ("Tripoints of the zigzag", zigzag))
        for L, row in rows.groupby("L")["tripoints"].agg(["min", "max", "size"]).iterrows()
    ]
    return mosaic([
        _regions("", shallow, regions), _regions("", deep, regions),
        _singular_values(f"weights, $L={depths[0]}$", analysis.of_cells(values, shallow)),
        _singular_values(f"weights, $L={depths[1]}$", analysis.of_cells(values, deep)),
        _counts(f"directions, $L={depths[1]}$", analysis.of_cells(layers, deep)),
        *(_regions("zigzag, ", zigzag[zigzag["L"] == L], regions) for L in _ends(zigzag)),
    ], columns=4, preset=preset, height=2.0, notes=tripoints)  # fmt: skip


def _ends(cells: pd.DataFrame) -> list[int]:
    """The smallest and the largest depth, if there are two."""
    depths = sorted(set(cells["L"]))
    return [int(depths[0]), int(depths[-1])] if len(depths) > 1 else []


def _regions(before: str, cells: pd.DataFrame, regions: pd.DataFrame) -> Panel:
    """Class with the largest output on a grid, of seed 0."""
    first = cells[cells["seed"] == 0]
    points = regions[regions["key"].isin(first["key"])]

    def draw_grid(axes: Axes) -> Sequence[Entry]:
        grid = points.pivot(index="row", columns="column", values="class").to_numpy()
        axes.imshow(grid, origin="lower", extent=(-HALF, HALF, -HALF, HALF), vmin=-0.5, vmax=3.5,
                    cmap=ListedColormap(list(REGIONS)), interpolation="nearest",
                    aspect="auto")  # fmt: skip
        number = several(int(first["tripoints"].iloc[0]), "tripoint")
        axes.text(0.03, 0.03, number, transform=axes.transAxes,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
        return [Entry("Class", str(i + 1), Patch(color=tint)) for i, tint in enumerate(REGIONS)]

    depth = f"$L={first['L'].iloc[0]}$, seed 0" if len(first) else ""
    return Panel(title=f"{before}{depth}", x=Axis("$x_1$"), y=Axis("$x_2$"), extra=draw_grid,
                 has_extra=len(points) > 0)  # fmt: skip


def cost_half(cells: pd.DataFrame, layers: pd.DataFrame, *, preset: str) -> Figure:
    """A: distances of pairs that a symmetry makes equal, over those of any; B: directions.

    z: the two coordinates that matter.
    """
    networks = analysis.finished(cells, "half")
    rows = analysis.of_cells(layers, networks, "outputs")
    outputs = by_name("outputs", rows["outputs"], OUTPUTS, "Outputs")
    pairs = rows.melt(["k", "seed", "outputs"], list(PAIRS), "pairs", "apart")
    by = [outputs, by_name("pairs", pairs["pairs"], PAIRS, "Pairs of (A)")]
    return mosaic([
        Panel(title="pairs", x=LAYER, y=Axis("distance / distance of any pair", limits=(0, None)),
              marks=[_lines(pairs, "apart", *by), level(0.1, "a tenth (A)", name="tenth")]),
        Panel(title="representations", x=LAYER, y=DIRECTIONS,
              marks=[_lines(rows, "n_visible", outputs)]),
    ], columns=2, preset=preset, notes=described(
        networks, "L = {L:g}, width {width:g}, λL = {penalty:g}, N = {n:g}, d = {d:g}, {seeds}."
    ))  # fmt: skip


def cost_ball(
    cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str
) -> Figure:
    """A ball under gravity on a ring, omega: frequency on it, at which a layer has s_(omega, i).

    A: singular values of seed 0 by layer; B: how many are near 1 at each frequency.
    """
    networks = analysis.finished(cells, "ball")
    rows = analysis.of_cells(values, networks[networks["seed"] == 0])
    frequencies = sorted(set(rows["frequency"].astype(int)))
    # Beside each other, by frequency.
    shift = 0.5 * (rows["frequency"] / max(len(frequencies) - 1, 1) - 0.5)
    counts = pd.DataFrame(columns=["frequency", "n_large"])
    counts = analysis.large_by_frequency(values, networks) if len(networks) else counts
    return mosaic([
        Panel(title="singular values by layer, seed 0",
              y=Axis(r"$s_{\omega,i}(W_l)$", limits=(0, None)),
              x=Axis("layer $l$", ticks=rows["k"]), marks=[
                  Marks(rows=rows.assign(place=rows["k"] + shift), x="place", y="value", size=3,
                        by=[distinct("frequency", frequencies, r"$\omega$")], alpha=0.8),
                  level(0.5, "0.5: counted as near 1 (A)"),
              ]),
        Panel(title="middle layers, all seeds", x=Axis(r"frequency $\omega$", ticks=frequencies),
              y=Axis("singular values near 1", limits=(0, max(2.4, 1.2 * counts["n_large"].max()))),
              marks=[*bars_of_seeds(counts, "frequency", "n_large", name="count of a seed"),
                     law([0.6, 1.4], [2, 2], "the talk: two at frequency 1 (B)", name="talk")]),
    ], columns=2, preset=preset, height=2.4, notes=described(
        networks, "L = {L:g}, {width:g} channels, {places:g} positions, {n:g} films,"
        " λL = {penalty:g}, {seeds}; C over the variance {error:.1f} %.",
        error=100 * (networks["loss"] / networks["variance"]).mean(),
    ))  # fmt: skip


def cost_factorisation(
    cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, components: pd.DataFrame, *,
    preset: str,
) -> Figure:  # fmt: skip
    """What a deep network keeps of theta, the start of gradient descent; w: what is factorised.

    A: singular values; B: directions; C, D: middle representation; E: what explains it.
    """
    deepest = analysis.deepest(analysis.finished(cells, "factorisation"))
    explained = deepest.melt(["seed"], [f"explained_{name}" for name in ALL], "of", "R2")
    order = {f"explained_{name}": i for i, name in enumerate(ALL)}
    explained["place"] = explained["of"].map(order).astype(float)
    # One below the other, so that they do not touch.
    places: dict[float, str] = {i: "\n" * (i % 2) + words for i, words in enumerate(ALL.values())}
    return mosaic([
        _singular_values("weights", analysis.of_cells(values, deepest)),
        _counts("directions of each layer", analysis.of_cells(layers, deepest),
                level(2, "two statistics (B)", name="two statistics", line="--")),
        *(_components(words, components[components["key"].isin(deepest["key"])], name)
          for name, words in KNOWN.items()),
        Panel(title="from two components", y=Axis("$R^2$ on new starts", limits=(None, 1.08)),
              x=Axis(ticks=places),
              marks=bars_of_seeds(explained, "place", "R2", name="explained")),
    ], columns=3, preset=preset, notes=described(
        deepest, "L = {L:g}, width {width:g}, d = {d:g}, T = {T:g}, N = {n:g}, λL = {penalty:g},"
        " {seeds}; error on new starts over the variance {error:.1f} %.",
        error=100 * deepest["test_error"].mean(),
    ))  # fmt: skip


def _components(words: str, rows: pd.DataFrame, statistic: str) -> Panel:
    """Two components of the middle layer, coloured by a statistic."""

    def draw_points(axes: Axes) -> Sequence[Entry]:
        drawn = axes.scatter(rows["first"], rows["second"], c=rows[statistic], s=4, cmap="viridis",
                             linewidths=0, gid=f"components {statistic}")  # fmt: skip
        axes.figure.colorbar(drawn, ax=axes, shrink=0.9, pad=0.02, label=words)
        return []

    return Panel(title=f"layer $L/2$ by {words}", x=Axis("component 1"), y=Axis("component 2"),
                 extra=draw_points, has_extra=len(rows) > 0)  # fmt: skip


def cost_hierarchy(
    cells: pd.DataFrame, layers: pd.DataFrame, values: pd.DataFrame, *, preset: str
) -> Figure:
    """A: directions of representations and weights by layer; B: singular values of weights."""
    networks = analysis.finished(cells, "hierarchy")
    spans = []
    if len(networks):
        depth, s, v, n_c = (int(networks[name].iloc[0]) for name in ("levels", "s", "v", "n_c"))
        levels_of = pd.DataFrame([
            {"words": "class" if at > depth else f"level {at}", "directions": level_directions(
                at, depth=depth, branching=s, n_features=v, n_classes=n_c)}
            for at in range(1, depth + 2)
        ])  # fmt: skip
        spans = [Marks(rows=levels_of, y="directions", words="words", name="level", guide=True,
                       line="--", marker="", colour=GUIDE, width=0.7, order=1.0,
                       label="directions of a level")]  # fmt: skip
    return mosaic([
        _counts("directions of each layer", analysis.of_cells(layers, networks), *spans),
        _singular_values("weights", analysis.of_cells(values, networks)),
    ], columns=2, preset=preset, height=2.5, notes=described(
        networks, "FCN of L = {L:g}, width {width:g}, λL = {penalty:g}, P = {n:g}, {seeds}, test"
        " error {error:.1f} %; grammar of depth {levels:g}, v = {v:g}, m = {m:g}, n_c = {n_c:g},"
        " s = {s:g}, s_0 = {s0:g}.", error=100 * networks["test_error"].mean(),
    ))  # fmt: skip
