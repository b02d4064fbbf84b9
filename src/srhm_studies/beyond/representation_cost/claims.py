"""Claims of the talk on representation cost, bottleneck and summary statistics.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2 November 2023), by the
titles of its slides. Tolerances were fixed before the runs that are scored (after trial networks).
"""

from functools import partial

import numpy as np
import pandas as pd

from srhm.scorecard.expectations import Above, Below, Within
from srhm.scorecard.sheet import Rows, Sheet, rows_in
from srhm_studies.beyond.representation_cost.analysis import (
    FIRST_DEPTH,
    bottleneck_ranks,
    deepest,
    finished,
    fits_its_points,
    in_middle,
    large_by_frequency,
    of_cells,
    stable,
)
from srhm_studies.beyond.representation_cost.configuration import MAPS, SINGULAR_VALUES

# Below the rank by more: not a singular value that a layer or two of the middle lack.
LOW = 0.5
# Maps with Rank_J = Rank_BN, which the statement on planar representations is about.
PLANAR = [name for name, target in MAPS.items() if target.jacobian_rank == target.bottleneck_rank]
cells = rows_in("cells", what="networks")


def of(experiment: str) -> Rows:
    """Finished networks of an experiment."""
    return cells.then(lambda table: finished(table, experiment))


def halfway(task: str) -> Rows:
    """Layer L / 2 of the deepest networks of the four classes of a task."""
    return of(task).then(
        lambda own, layers: layers.merge(deepest(own)[["key", "L"]], on="key"), "layers"
    ).keep(lambda rows: rows["k"] == rows["L"] // 2)  # fmt: skip


def affine(own: pd.DataFrame) -> pd.DataFrame:
    """R^(1) of deep linear networks minus 2 log |A|_+, `apart`, for each matrix.

    R / L is fitted by a parabola in 1 / L from L = 6 on: what comes after R^(1) is not small there.
    """
    apart = []
    for _, group in own[own["L"] >= FIRST_DEPTH].groupby(["rank", "seed"]):
        if group["L"].nunique() > 3:
            inverse = 1 / group["L"].to_numpy(dtype=float)
            heights = group["squared_parameters"].to_numpy(dtype=float) * inverse
            known = np.prod(SINGULAR_VALUES[: int(group["rank"].iloc[0])])
            apart.append(float(np.polyfit(inverse, heights, 2)[1] - 2 * np.log(known)))
    return pd.DataFrame({"apart": apart})


def low_ranks(own: pd.DataFrame) -> pd.DataFrame:
    """(2/N) max ||J_theta f||_op^2 / L of the right rank divided by that of too low a rank.

    `ratio` for each of too low a rank, of the largest of the right one of its map. Only networks
    that fit their points, from L = 6 on.
    """
    own = own[fits_its_points(own) & (own["L"] >= FIRST_DEPTH)]
    low = own["weight_rank"] < bottleneck_ranks(own) - LOW
    height = own["sharpness"] / own["L"]
    usual = height[~low].groupby(own["map"][~low]).max()
    # Without a network of too low a rank the names stay text, from which no number is taken.
    ratio = own["map"][low].map(usual).astype(float) / height[low]
    return own[low].assign(ratio=ratio).dropna(subset=["ratio"])


def frequencies(own: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """Large singular values of middle layers of each network at frequency 0, 1 and above, `of`."""
    counts = large_by_frequency(values, own)
    kind = counts["frequency"].clip(upper=2).map({0: "0", 1: "1", 2: "higher"})
    return counts.groupby(["key", kind.rename("of")])["n_large"].sum().reset_index()


linear = of("linear").let(
    off_target=lambda rows: (rows["squared_parameters"] / rows["cost_of_target"] - 1).abs()
)
# The theorems are about networks whose Jacobian has the rank of the map, which those that lose a
# direction have in name alone: a singular value of it is not zero by rounding. excess: large
# singular values of middle layers minus the rank; deepest: of each map.
maps = (
    of("maps")
    .keep(stable, nothing="no stable network")
    .let(
        excess=lambda rows: rows["weight_rank"] - bottleneck_ranks(rows),
        is_rank=lambda rows: rows["map"].astype(str).str.startswith("rank"),
        deepest=lambda rows: rows["L"] == rows.groupby("map")["L"].transform("max"),
        of_many_depths=lambda rows: rows["L"].nunique() > 2,
    )
)
# Middle layers of the deepest stable networks of maps with Rank_J = Rank_BN = k.
middles = maps.keep(lambda rows: rows["deepest"] & rows["map"].isin(PLANAR), what="layers").let(
    rank=bottleneck_ranks
).then(
    lambda own, layers: in_middle(layers.merge(own[["key", "L", "rank"]], on="key")), "layers"
).let(excess=lambda rows: rows["n_visible"] - rows["rank"])  # fmt: skip
# Networks that fit four groups.
zigzag = of("zigzag").let(
    deep=lambda rows: rows["L"] == rows["L"].max(),
    shallow=lambda rows: rows["L"] == rows["L"].min(),
).keep(lambda rows: rows["train_error"] < 0.05)  # fmt: skip
# Middle layers of the networks of 1 and of 3 outputs that fit their points.
halves = (
    of("half")
    .keep(fits_its_points, nothing="no network that fits its points")
    .then(lambda own, layers: in_middle(of_cells(layers, own, "outputs")), "layers", what="layers")
)
losses = of("factorisation").then(deepest)
# Last hidden layers of networks that learn a grammar.
last_layers = of("hierarchy").keep(
    lambda rows: rows["test_error"] < 0.3, nothing="no network has learnt its grammar"
).then(
    lambda own, layers: layers.merge(own[["key", "L", "n_c"]], on="key"), "layers"
).keep(lambda rows: rows["k"] == rows["L"] - 1).let(
    excess=lambda rows: rows["n_visible"] - (rows["n_c"] - 1)
)  # fmt: skip

QUARTER = "0.25: half of the way to where two whole ranks could be confused"
HALF = "below 0.5: the nearest whole number is the expected one"
TENTH_OF_ANY = "0.1 of the distance of independent pairs, ours"
sheet = Sheet()


def slide(title: str) -> str:
    """Where the talk says it."""
    return f"talk, slide '{title}'"


say = sheet.topic("Representation cost against depth", "cost_depth", why=QUARTER,
                  place=slide("Infinite Depth Limit"))  # fmt: skip
corrections = rows_in("limits", what="seeds")
for rank in (1, 2, 3):
    say(f"cost-R0-rank-{rank}", f"Representation cost per layer, R^(0), of a map of rank {rank}",
        corrections.mean("R0", map=f"rank {rank}", note_columns="L"),
        Within(rank, 0.25))  # fmt: skip
say("cost-R0-square", "Representation cost per layer, R^(0), of the identity on a square",
    corrections.mean("R0", map="square", note_columns="L"), Within(2, 0.25),
    place=slide("Identity cost"))  # fmt: skip
say("cost-R0-circle-conjecture",
    "Representation cost per layer, R^(0), of the identity on a circle",
    corrections.mean("R0", map="circle", note_columns="L"), Within(2, 0.25))  # fmt: skip
say("cost-R1-square", "First correction R^(1) to the cost of the identity on a positive square",
    corrections.mean("R1", map="square", note_columns="L"), Within(0, 0.5),
    "0.5: a map that decay flattens by a tenth in two directions costs 0.4 less",
    place=slide("Identity cost"))  # fmt: skip
say("cost-linear-target",
    "Linear networks with product A: relative deviation of ||theta||^2 from L sum s_i(A)^(2/L)",
    linear.mean("off_target"), Below(0.01),
    "0.01, far below the difference to any other exponent of the singular values",
    place=slide("L2 regularization"))  # fmt: skip
say("cost-sharpness", "Exponent of the depth L in the sharpness max_i (2/N) ||J_theta f(x_i)||^2",
    maps.slope("sharpness", "L", within="map", of_many_depths=True), Within(1, 0.35),
    "below 0.5, so that no value is within the tolerance of two whole exponents",
    place=slide("Minima stability"))  # fmt: skip
say("cost-R1-affine", "Linear networks with product A: first correction R^(1) minus 2 log|A|_+",
    of("linear").then(affine, nothing="fewer than four depths", what="matrices").mean("apart"),
    Within(0, 0.1), "0.1: a parabola in 1/L through the closed form from L = 6 on is off by 0.02",
    place=slide("First correction"))  # fmt: skip
say("cost-unstable-ranks",
    "Sharpness (2/N) max ||J_theta f||^2 / L: right rank divided by too low a rank",
    of("maps").then(low_ranks, nothing="no network of too low a rank fits its points",
                    what="networks of too low a rank").mean("ratio", scale="ratio"), Below(1),
    "fits of too low a rank are the unstable ones", place=slide("Minima stability"))  # fmt: skip

BOTTLENECK = slide("Bottleneck Structure on the Weights")
say = sheet.topic("Bottleneck structure of the weights", "cost_weights", why=HALF, place=BOTTLENECK)
say("cost-weight-rank",
    "Maps of known rank: singular values near 1 in middle layers minus the rank",
    maps.mean("excess", is_rank=True, deepest=True, note_columns="L"), Within(0, 0.5))  # fmt: skip
say("cost-planar", "Maps of bottleneck rank k: directions of middle representations minus k",
    middles.mean("excess", per="key"), Within(0, 0.5), place=slide("Identity cost"))  # fmt: skip
say("cost-geodesic",
    "Linear networks with product A: relative distance of Sigma_l from (A^T A)^(l/L)",
    linear.mean("geodesic_distance"), Below(0.02),
    "0.02 of the norm of Sigma_l: not to be seen in a figure",
    place=slide("Representation geodesics"))  # fmt: skip

say = sheet.topic("Four classes in the plane", "cost_classes", why=HALF,
                  place=slide("Implications: Classification"))  # fmt: skip
say("cost-class-rank", "Four classes in the plane: directions of the middle layer of deep networks",
    halfway("classes").mean("n_visible", note_columns="L"), Within(1, 0.49))  # fmt: skip
OURS = "0.5: the number is ours, from two triangles of groups with a tripoint each"
for word, n, why in (("shallow", 2, OURS), ("deep", 0, HALF)):
    say(f"cost-zigzag-{word}",
        f"Four groups on a zigzag, {word} networks: points where three classes meet",
        zigzag.mean("tripoints", **{word: True}, note_columns="L"),
        Within(n, 0.5), why)  # fmt: skip
say("cost-zigzag-rank", "Four groups on a zigzag: directions of the middle layer of deep networks",
    halfway("zigzag").mean("n_visible", note_columns="L"), Within(1, 0.49))  # fmt: skip

say = sheet.topic("Fewer outputs than the symmetry leaves", "cost_half", fixed="after",
                  place=slide("Impact of the Output Dim."))  # fmt: skip
for name, words, outputs, column, expected, why in (
    ("full", "One output: distance of pairs with equal output",
     1, "apart_full", Below(0.1), TENTH_OF_ANY),
    ("three", "Three outputs: distance of pairs with equal first output",
     3, "apart_full", Above(0.5), "0.5: one output of three is equal for them, two not"),
    ("true", "Three outputs: distance of pairs related by the symmetry",
     3, "apart_true", Below(0.1), TENTH_OF_ANY),
):  # fmt: skip
    say(f"cost-half-{name}", f"{words} divided by distance of any pair, middle layers",
        halves.mean(column, outputs=outputs, per="key"), expected, why)  # fmt: skip

say = sheet.topic("A ball under gravity", "cost_ball", why=HALF,
                  place=slide("Learning Newtonian Mechanics"))  # fmt: skip
at_frequency = partial(of("ball").then(frequencies, "values").mean, "n_large")
say("cost-ball-frequency-1",
    "Ball under gravity: singular values near 1 in middle layers at frequency 1",
    at_frequency(of="1"), Within(2, 0.5))  # fmt: skip
say("cost-ball-higher",
    "Ball under gravity: singular values near 1 in middle layers at frequencies above 1",
    at_frequency(of="higher"), Within(0, 0.5))  # fmt: skip

say = sheet.topic(
    "Summary statistics of gradient descent", "cost_factorisation",
    why="0.1 of the variance, ours", place=slide("Summary Statistics"),
)  # fmt: skip
say("cost-factorisation-rank",
    "Network of the losses of gradient descent: singular values near 1 in middle layers",
    losses.mean("weight_rank", note_columns="L"), Within(2, 0.49), HALF)  # fmt: skip
for name, column, words, n in (
    ("overlap", "overlap", "|w^T theta|", 1),
    ("rest", "rest", "||(I - w w^T) theta||", 1),
    ("signed", "signed_overlap", "w^T theta with its sign", 0),
    ("coordinate", "one_coordinate", "one coordinate orthogonal to w", 0),
):
    say(f"cost-explained-{name}",
        f"Network of the losses of gradient descent: R^2 of {words} from two components",
        losses.mean(f"explained_{column}", note_columns="L"), Within(n, 0.1))  # fmt: skip

say = sheet.topic("Ranks by layer on a grammar", "cost_hierarchy", place=BOTTLENECK)
say("cost-hierarchy-rank",
    "Networks on a grammar: directions of the last hidden layer minus (n_c - 1)",
    last_layers.mean("excess"), Within(0, 1),
    "1, ours, as for other networks on a grammar")  # fmt: skip

CLAIMS = sheet.finished(
    changed={
        "cost-R0-* cost-R1-square cost-sharpness cost-weight-rank":
            "stable networks alone, before all",
        "cost-unstable-ranks": "written when gradients of some of the networks were known",
    },
)  # fmt: skip
