"""Claims of the talk on representation cost, bottleneck and summary statistics.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2 November 2023), by the
titles of its slides. Tolerances were fixed before the runs that are scored (after trial networks).
"""

from functools import partial

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Mean, Slope
from srhm.scorecard.expectations import Above, Below, NoExpectation, Within
from srhm.scorecard.rows import rows_of
from srhm.studies.representation_cost.known import MAPS
from srhm.studies.representation_cost.limits import FIRST_DEPTH
from srhm.studies.representation_cost.readings import (
    SINGULAR_VALUES,
    bottleneck_ranks,
    deepest,
    finished,
    fits_its_points,
    in_middle,
    large_by_frequency,
    of_cells,
    stable,
    underestimating,
)

# Below the rank by more: not a singular value that a layer or two of the middle lack.
LOW = 0.5
# Of the mean squared distance of independent pairs; below it a pair counts as close.
TENTH_APART = 0.1
# Maps with Rank_J = Rank_BN, which the statement on planar representations is about.
PLANAR = [name for name, one in MAPS.items() if one.jacobian_rank == one.bottleneck_rank]


@rows_of("limits")
def corrections(limits: pd.DataFrame) -> pd.DataFrame:
    """R^(0) and R^(1) of each map and seed; `below`: 2 log |Jf|_+ minus R^(1)."""
    is_rank = limits["map"].astype(str).str.startswith("rank")
    return limits.assign(below=2 * limits["log_jacobian"] - limits["R1"], is_rank=is_rank)


@rows_of("cells")
def linear(cells: pd.DataFrame) -> pd.DataFrame:
    """Deep linear networks: relative distance of ||theta||^2 from R of their target."""
    own = finished(cells, "linear")
    return own.assign(off_target=(own["squared_parameters"] / own["cost_of_target"] - 1).abs())


@rows_of("cells", nothing="fewer than four depths")
def affine(cells: pd.DataFrame) -> pd.DataFrame:
    """R^(1) of deep linear networks minus 2 log |A|_+, `apart`, for each matrix.

    R / L is fitted by a parabola in 1 / L from L = 6 on: what comes after R^(1) is not small there.
    """
    own, apart = finished(cells, "linear"), []
    for _, group in own[own["L"] >= FIRST_DEPTH].groupby(["rank", "seed"]):
        if group["L"].nunique() > 3:
            inverse = 1 / group["L"].to_numpy(dtype=float)
            heights = group["squared_parameters"].to_numpy(dtype=float) * inverse
            known = np.prod(SINGULAR_VALUES[: int(group["rank"].iloc[0])])
            apart.append(float(np.polyfit(inverse, heights, 2)[1] - 2 * np.log(known)))
    return pd.DataFrame({"apart": apart})


@rows_of("cells", nothing="no stable network")
def maps(cells: pd.DataFrame) -> pd.DataFrame:
    """Stable networks of all maps.

    The theorems are about networks whose Jacobian has the rank of the map, which those that lose a
    direction have in name alone: a singular value of it is not zero by rounding.

    `excess`: large singular values of middle layers minus the rank; `structure_part`,
    `signal_part`: one side of a bound over the other; `deepest` of each map.
    """
    own = finished(cells, "maps")
    own = own[stable(own)]
    return own.assign(
        excess=own["weight_rank"] - bottleneck_ranks(own),
        structure_part=own["structure"] / own["structure_bound"],
        signal_part=own["signal"] / own["signal_bound"],
        is_rank=own["map"].astype(str).str.startswith("rank"),
        deepest=own["L"] == own.groupby("map")["L"].transform("max"),
        of_many_depths=own["L"].nunique() > 2,
    )


@rows_of("cells", nothing="no network of too low a rank fits its points")
def low_ranks(cells: pd.DataFrame) -> pd.DataFrame:
    """(2/N) max ||J_theta f||_op^2 / L of networks of the right rank over that of too low a rank.

    `ratio` for each of too low a rank, over the largest of the right one of its map. Only networks
    that fit their points, from L = 6 on.
    """
    own = finished(cells, "maps")
    own = own[fits_its_points(own) & (own["L"] >= FIRST_DEPTH)]
    low = own["weight_rank"] < bottleneck_ranks(own) - LOW
    height = own["sharpness"] / own["L"]
    usual = height[~low].groupby(own["map"][~low]).max()
    # Without a network of too low a rank the names stay text, from which no number is taken.
    ratio = own["map"][low].map(usual).astype(float) / height[low]
    return own[low].assign(ratio=ratio).dropna(subset=["ratio"])


@rows_of("cells")
def few_points(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks that fit their points of the rank-2 map; `fewest`, `most`: of all that were tried.

    C below a tenth of the variance.
    """
    own = finished(cells, "few_points")
    n = own["n"]
    return own.assign(fewest=n == n.min(), most=n == n.max())[fits_its_points(own)]


@rows_of("cells")
def trees(cells: pd.DataFrame) -> pd.DataFrame:
    """Slope against log N of twice the logarithm of the length of a tree, by rank and seed."""
    rows = []
    for (rank, _), one in finished(cells, "paths").groupby(["rank", "seed"]):
        if len(one) > 1:
            x, y = np.log(one["n"].to_numpy(dtype=float)), one["path_bound"]
            rows.append({"rank": rank, "slope": float(np.polyfit(x, y, 1)[0])})
    return pd.DataFrame(rows, columns=["rank", "slope"])


@rows_of("cells", nothing="fewer than three N")
def fits_of_rank_1(cells: pd.DataFrame) -> pd.DataFrame:
    """`readings.underestimating`: k* = 2 alone, networks that fit their points; of three N."""
    rows = underestimating(cells)
    return rows if len(rows) and rows["n"].nunique() > 2 else rows.head(0)


@rows_of("cells", "layers", nothing="no stable network")
def middles(cells: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """Middle layers of the deepest stable networks of maps with Rank_J = Rank_BN = k.

    `excess`: directions of their representations minus k.
    """
    own = maps.function(cells)
    own = own[own["deepest"] & own["map"].isin(PLANAR)]
    own = own.assign(rank=bottleneck_ranks(own))
    joined = in_middle(layers.merge(own[["key", "L", "rank"]], on="key"))
    return joined.assign(excess=joined["n_visible"] - joined["rank"])


@rows_of("cells", "layers")
def distant(cells: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """Layers of stable networks; `above`: further than 2/L of the bound from V_l V_(l-1)^T."""
    known = maps.function(cells).dropna(subset=["structure_bound"])
    rows = layers.merge(known[["key", "L", "structure_bound"]], on="key")
    return rows.assign(above=rows["distance"] > rows["structure_bound"] / (0.5 * rows["L"]))


@rows_of("cells")
def tripoints(cells: pd.DataFrame, *, task: str) -> pd.DataFrame:
    """Networks that fit four curves (classes), or four groups (zigzag): `deep`, `shallow`."""
    own = finished(cells, task)
    depths = own["L"]
    return own.assign(deep=depths == depths.max(), shallow=depths == depths.min())[
        own["train_error"] < 0.05
    ]


@rows_of("cells", "layers")
def halfway(cells: pd.DataFrame, layers: pd.DataFrame, *, task: str) -> pd.DataFrame:
    """Layer L / 2 of the deepest networks of the four classes of a task."""
    rows = layers.merge(deepest(finished(cells, task))[["key", "L"]], on="key")
    return rows[rows["k"] == rows["L"] // 2]


@rows_of("cells", "layers", nothing="no network that fits its points")
def halves(cells: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """Middle layers of the networks of 1 and of 3 outputs that fit their points."""
    own = finished(cells, "half")
    return in_middle(of_cells(layers, own[fits_its_points(own)], "outputs"))


@rows_of("cells", "layers", nothing="no network that fits its points")
def firsts(cells: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """First layers in which pairs of each symmetry, `of`, are closer than a tenth of any pairs."""
    own = finished(cells, "half")
    rows = of_cells(layers, own[fits_its_points(own)], "outputs")
    parts = [rows[rows[f"apart_{of}"] < TENTH_APART].assign(of=of) for of in ("true", "full")]
    return pd.concat(parts).sort_values("k").drop_duplicates(["key", "of"])


@rows_of("cells", "values")
def frequencies(cells: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """Large singular values of middle layers of each network at frequency 0, 1 and above, `of`."""
    counts = large_by_frequency(values, finished(cells, "ball"))
    of = counts["frequency"].clip(upper=2).map({0: "0", 1: "1", 2: "higher"})
    return counts.groupby(["key", of.rename("of")])["n_large"].sum().reset_index()


@rows_of("cells")
def losses(cells: pd.DataFrame) -> pd.DataFrame:
    """The deepest networks that learn losses."""
    return deepest(finished(cells, "factorisation"))


@rows_of("cells", "layers", nothing="no network has learnt its grammar")
def last_layers(cells: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """Last hidden layers of networks that learn a grammar; `excess`: directions minus n_c - 1."""
    own = finished(cells, "hierarchy")
    learnt = own[own["test_error"] < 0.3]
    rows = layers.merge(learnt[["key", "L", "n_c"]], on="key")
    rows = rows[rows["k"] == rows["L"] - 1]
    return rows.assign(excess=rows["n_visible"] - (rows["n_c"] - 1))


@rows_of("cells", "layers")
def narrowings(cells: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """First layer whose representation has n_c - 1 directions or fewer, over L: `first`."""
    rows = layers.merge(finished(cells, "hierarchy")[["key", "L", "n_c"]], on="key")
    rows = rows[rows["n_visible"] <= rows["n_c"] - 1]
    return rows.assign(first=rows["k"] / rows["L"]).sort_values("k").drop_duplicates("key")


NO_NUMBER = "the talk has no number"
QUARTER = "a quarter: half of the way to where two whole ranks could be confused"
HALF = "less than half: the nearest whole number is the expected one"
PERCENT = "1 %, far below the difference to any other power of the singular values"
THEOREM = "a theorem: the ratio cannot exceed 1"
TENTH_OF_ANY = "a tenth of the distance of independent pairs, ours"
TENTH = "a tenth of the variance, ours"
BOTTLENECK, CONVERGENCE, OVERFITTING, STABILITY, GEODESICS, STATISTICS = (
    f"talk, slide '{title}'" for title in (
        "Bottleneck Structure on the Weights", "Convergence of the representations",
        "Symmetry overfitting?", "Minima stability", "Representation geodesics",
        "Summary Statistics",
    )
)  # fmt: skip
CORRECTION, IDENTITY, L2 = (
    f"talk, slide '{title}'" for title in ("First correction", "Identity cost", "L2 regularization")
)
reported = partial(Claim, expected=NoExpectation(), why=NO_NUMBER)
depth = partial(Claim, topic="Representation cost against depth", figure="cost_depth")
limit = partial(depth, place="talk, slide 'Infinite Depth Limit'", why=QUARTER)
overfitting = partial(reported, topic="Fits of too low a rank", figure="cost_overfitting")
weights = partial(Claim, topic="Bottleneck structure of the weights", figure="cost_weights")
classes = partial(
    reported, topic="Four classes in the plane", figure="cost_classes",
    place="talk, slide 'Implications: Classification'",
)  # fmt: skip
half = partial(
    Claim, topic="Fewer outputs than the symmetry leaves", figure="cost_half",
    place="talk, slide 'Impact of the Output Dim.'",
)  # fmt: skip
ball = partial(
    reported, topic="A ball under gravity", figure="cost_ball",
    place="talk, slide 'Learning Newtonian Mechanics'",
)  # fmt: skip
factorisation = partial(
    Claim, topic="Summary statistics of gradient descent", figure="cost_factorisation",
    place=STATISTICS,
)  # fmt: skip
hierarchy = partial(reported, topic="Ranks by layer on a grammar", figure="cost_hierarchy")
R0 = partial(Mean, "R0", rows=corrections, what="seeds", tells=("L",))
OF_NETWORKS = partial(Mean, what="networks")
IN_MIDDLE = partial(Mean, per=("key",), rows=halves, what="layers")
AT_FREQUENCY = partial(OF_NETWORKS, "n_large", rows=frequencies)
OF_LOSSES = partial(OF_NETWORKS, rows=losses, tells=("L",))

STATED = (
    *(
        limit(
            f"cost-R0-rank-{rank}", f"R^(0) of a map of rank {rank}", expected=Within(rank, 0.25),
            measure=R0(where={"map": f"rank {rank}"}),
        )
        for rank in (1, 2, 3)
    ),
    limit(
        "cost-R0-square", "R^(0) of the identity on a square", place=IDENTITY,
        expected=Within(2, 0.25), measure=R0(where={"map": "square"}),
    ),
    limit(
        "cost-R0-circle-conjecture", "R^(0) = Rank_BN = 2: identity on a circle",
        expected=Within(2, 0.25), measure=R0(where={"map": "circle"}),
    ),
    depth(
        "cost-R1-square", "R^(1) of the identity on a positive square", place=IDENTITY,
        expected=Within(0, 0.5),
        why="a map that decay flattens by a tenth in two directions has 0.4 less",
        measure=Mean("R1", where={"map": "square"}, rows=corrections, what="seeds", tells=("L",)),
    ),
    depth(
        "cost-R1-bound", "2 log|Jf|_+ - R^(1), maps of rank k (not above 0)", place=CORRECTION,
        expected=NoExpectation(), why="a theorem: not above 0",
        measure=Mean("below", where={"is_rank": True}, rows=corrections, what="maps and seeds"),
    ),
    depth(
        "cost-linear-target", "linear networks: ||theta||^2 against L sum s_i(A)^(2/L)", place=L2,
        expected=Below(0.01), why=PERCENT, measure=OF_NETWORKS("off_target", rows=linear),
    ),
    depth(
        "cost-sharpness", "exponent of L in max_i (2/N) ||J_theta f(x_i)||^2", place=STABILITY,
        expected=Within(1, 0.35),
        why="below 0.5, so that no value is within the tolerance of two whole exponents",
        measure=Slope(
            "sharpness", against="L", within=("map",), where={"of_many_depths": True}, rows=maps,
            what="networks",
        ),
    ),
    depth(
        "cost-R1-affine", "linear networks: R^(1) less 2 log|A|_+", place=CORRECTION,
        expected=Within(0, 0.1),
        why="0.1: a parabola in 1/L through the closed form from L = 6 on is off by 0.02",
        measure=Mean("apart", rows=affine, what="matrices"),
    ),
    depth(
        "cost-unstable-ranks", "(2/N) max ||J_theta f||^2 / L, right rank over too low a rank",
        place=STABILITY, expected=Below(1), why="fits of too low a rank are the unstable ones",
        measure=Mean("ratio", scale="ratio", rows=low_ranks, what="networks of too low a rank"),
    ),
    *(
        overfitting(
            f"cost-path-{rank}", f"slope in log N of the least R^(1) of rank-1 fits, k* = {rank}",
            place=f"{OVERFITTING}: {law}", why="of random points alone: no network enters",
            measure=Mean("slope", where={"rank": rank}, rows=trees, what="seeds"),
        )
        for rank, law in ((2, "1"), (3, "4/3"))
    ),
    overfitting(
        "cost-underestimation",
        "slope in log N of log ||J_theta f||^2 over L e^(-c1) N^2, fits of rank 1",
        place=STABILITY,
        why="the theorem bounds the ratio by a constant that is not known, whatever its slope",
        measure=Slope(
            "log_over_bound", against="n", logs="x", rows=fits_of_rank_1, what="networks"
        ),
    ),
    *(
        overfitting(
            f"cost-rank-{word}-points",
            f"singular values near 1 of fits of rank 2 to the {word} points", place=OVERFITTING,
            measure=OF_NETWORKS("weight_rank", where={word: True}, rows=few_points, tells=("n",)),
        )
        for word in ("fewest", "most")
    ),
    weights(
        "cost-weight-rank", "singular values near 1 of middle layers, minus the rank",
        place=BOTTLENECK, expected=Within(0, 0.5), why=HALF,
        measure=OF_NETWORKS(
            "excess", where={"is_rank": True, "deepest": True}, rows=maps, tells=("L",)
        ),
    ),
    weights(
        "cost-structure-bound", "min sum ||W_l - V_l V_(l-1)^T||^2 over c_1 - 2 log|Jf|_+",
        place=BOTTLENECK, expected=NoExpectation(), why=THEOREM,
        measure=OF_NETWORKS("structure_part", rows=maps),
    ),
    weights(
        "cost-uneven-layers",
        "part of the layers further than 2/L of the bound from V_l V_(l-1)^T",
        place=BOTTLENECK, expected=NoExpectation(),
        why="a theorem at p = 1/2: not above one half",
        measure=OF_NETWORKS("above", per=("key",), rows=distant),
    ),
    weights(
        "cost-signal-bound", "sum_l ||alpha_(l-1)(x)||^2 over its bound",
        place=CONVERGENCE, expected=NoExpectation(), why=THEOREM,
        measure=OF_NETWORKS("signal_part", rows=maps),
    ),
    weights(
        "cost-planar", "directions of middle representations, minus k",
        place=IDENTITY, expected=Within(0, 0.5), why=HALF,
        measure=Mean("excess", per=("key",), rows=middles, what="layers"),
    ),
    weights(
        "cost-geodesic", "linear networks: distance of Sigma_l from (A^T A)^(l/L)",
        place=GEODESICS, expected=Below(0.02),
        why="2 % of the norm of Sigma_l: not to be seen in a figure",
        measure=OF_NETWORKS("geodesic_distance", rows=linear),
    ),
    classes(
        "cost-tripoints-deep", "tripoints of deep networks",
        why="0 in the talk; shallow ones have none here, too, so that depth is not tested",
        measure=OF_NETWORKS(
            "tripoints", where={"deep": True}, rows=tripoints.given(task="classes"), tells=("L",)
        ),
    ),
    classes(
        "cost-tripoints-shallow", "tripoints of shallow networks",
        measure=OF_NETWORKS(
            "tripoints", where={"shallow": True}, rows=tripoints.given(task="classes"), tells=("L",)
        ),
    ),
    classes(
        "cost-class-rank", "directions of the middle layer of deep networks",
        expected=Within(1, 0.49), why=HALF,
        measure=OF_NETWORKS("n_visible", rows=halfway.given(task="classes"), tells=("L",)),
    ),
    *(
        classes(
            f"cost-zigzag-{word}", f"four groups on a zigzag: tripoints, {word}",
            expected=Within(expected, 0.5), why=why,
            measure=OF_NETWORKS(
                "tripoints", where={word: True}, rows=tripoints.given(task="zigzag"), tells=("L",)
            ),
        )
        for word, expected, why in (
            ("shallow", 2,
             "half: the number is ours, from two triangles of groups with a tripoint each"),
            ("deep", 0, HALF),
        )
    ),
    classes(
        "cost-zigzag-rank", "the same: directions of the middle layer, deep",
        expected=Within(1, 0.49), why=HALF,
        measure=OF_NETWORKS("n_visible", rows=halfway.given(task="zigzag"), tells=("L",)),
    ),
    *(
        half(
            f"cost-half-{name}", f"{words}, middle layers", expected=expected, fixed="after",
            why=why,
            measure=IN_MIDDLE(column, where={"outputs": outputs}),
        )
        for name, words, outputs, column, expected, why in (
            ("directions", "one output: directions", 1, "n_visible", NoExpectation(),
             "one direction of |z| makes these pairs equal: the next claim judges it"),
            ("full", "one output: distance of x, y with f*(x) = f*(y) over any",
             1, "apart_full", Below(0.1), TENTH_OF_ANY),
            ("three", "three outputs: the same pairs",
             3, "apart_full", Above(0.5), "half: one output of three is equal for them, two not"),
            ("true", "three outputs: pairs that the true symmetry makes equal",
             3, "apart_true", Below(0.1), TENTH_OF_ANY),
            ("three-directions", "three outputs: directions", 3, "n_visible", NoExpectation(),
             "2 at infinite depth; trial networks of L = 12 had 3"),
        )
    ),
    *(
        half(
            f"cost-half-first-{of}", f"one output: first layer in which pairs {words} are close",
            expected=NoExpectation(), why="the talk: the true symmetry could be learnt before",
            measure=OF_NETWORKS("k", where={"outputs": 1, "of": of}, rows=firsts),
        )
        for of, words in (("true", "of the true symmetry"), ("full", "of equal f*"))
    ),
    ball(
        "cost-ball-frequency-1", "singular values near 1 at frequency 1",
        expected=Within(2, 0.5), why=HALF, measure=AT_FREQUENCY(where={"of": "1"}),
    ),
    ball(
        "cost-ball-frequency-0", "singular values near 1 at frequency 0",
        measure=AT_FREQUENCY(where={"of": "0"}),
    ),
    ball(
        "cost-ball-higher", "singular values near 1 at frequencies above 1",
        expected=Within(0, 0.5), why=HALF, measure=AT_FREQUENCY(where={"of": "higher"}),
    ),
    factorisation(
        "cost-factorisation-rank", "singular values near 1 of middle layers",
        expected=Within(2, 0.49), why=HALF, measure=OF_LOSSES("weight_rank"),
    ),
    *(
        factorisation(
            f"cost-explained-{name}", f"R^2 of {words}", expected=Within(expected, 0.1), why=TENTH,
            measure=OF_LOSSES(column),
        )
        for name, column, words, expected in (
            ("overlap", "explained_overlap", "|w^T theta| from two components", 1),
            ("rest", "explained_rest", "||(I - w w^T) theta|| from them", 1),
            ("signed", "explained_signed_overlap", "w^T theta, with its sign, from them", 0),
            ("coordinate", "explained_one_coordinate", "one coordinate across w, from them", 0),
        )
    ),
    hierarchy(
        "cost-hierarchy-rank", "directions of the last hidden layer, minus n_c - 1",
        place=BOTTLENECK, expected=Within(0, 1),
        why="1, ours, as for the other networks on a grammar",
        measure=OF_NETWORKS("excess", rows=last_layers),
    ),
    hierarchy(
        "cost-hierarchy-narrowing", "first layer of n_c - 1 directions, over L",
        place=CONVERGENCE, measure=OF_NETWORKS("first", rows=narrowings),
    ),
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "cost-R0-* cost-R1-square cost-R1-bound cost-sharpness cost-weight-rank "
        "cost-structure-bound cost-signal-bound":
            "stable networks alone, before all",
        "cost-R1-bound cost-path-* cost-structure-bound cost-uneven-layers "
        "cost-signal-bound cost-tripoints-deep":
            "not judged any more",
        "cost-unstable-ranks cost-underestimation":
            "written when gradients of some of the networks were known",
    },
)  # fmt: skip
