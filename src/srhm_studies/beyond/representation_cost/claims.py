"""Claims of the talk on representation cost, bottleneck and summary statistics.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2 November 2023), by the
titles of its slides. Tolerances were fixed before the runs that are scored (after trial networks).
"""

from functools import partial

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Mean, Slope
from srhm.scorecard.expectations import Above, Below, Within
from srhm.scorecard.rows import rows_of
from srhm_studies.beyond.representation_cost.known import MAPS
from srhm_studies.beyond.representation_cost.limits import FIRST_DEPTH
from srhm_studies.beyond.representation_cost.readings import (
    SINGULAR_VALUES,
    bottleneck_ranks,
    deepest,
    finished,
    fits_its_points,
    in_middle,
    large_by_frequency,
    of_cells,
    stable,
)

# Below the rank by more: not a singular value that a layer or two of the middle lack.
LOW = 0.5
# Maps with Rank_J = Rank_BN, which the statement on planar representations is about.
PLANAR = [name for name, one in MAPS.items() if one.jacobian_rank == one.bottleneck_rank]


@rows_of("limits")
def corrections(limits: pd.DataFrame) -> pd.DataFrame:
    """R^(0) and R^(1) of each map and seed."""
    return limits


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

    `excess`: large singular values of middle layers minus the rank; `deepest` of each map.
    """
    own = finished(cells, "maps")
    own = own[stable(own)]
    return own.assign(
        excess=own["weight_rank"] - bottleneck_ranks(own),
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


QUARTER = "a quarter: half of the way to where two whole ranks could be confused"
HALF = "less than half: the nearest whole number is the expected one"
PERCENT = "1 %, far below the difference to any other power of the singular values"
TENTH_OF_ANY = "a tenth of the distance of independent pairs, ours"
TENTH = "a tenth of the variance, ours"
BOTTLENECK, STABILITY, GEODESICS, STATISTICS = (
    f"talk, slide '{title}'" for title in (
        "Bottleneck Structure on the Weights", "Minima stability", "Representation geodesics",
        "Summary Statistics",
    )
)  # fmt: skip
CORRECTION, IDENTITY, L2 = (
    f"talk, slide '{title}'" for title in ("First correction", "Identity cost", "L2 regularization")
)
depth = partial(Claim, topic="Representation cost against depth", figure="cost_depth")
limit = partial(depth, place="talk, slide 'Infinite Depth Limit'", why=QUARTER)
weights = partial(Claim, topic="Bottleneck structure of the weights", figure="cost_weights")
classes = partial(
    Claim, topic="Four classes in the plane", figure="cost_classes",
    place="talk, slide 'Implications: Classification'",
)  # fmt: skip
half = partial(
    Claim, topic="Fewer outputs than the symmetry leaves", figure="cost_half",
    place="talk, slide 'Impact of the Output Dim.'",
)  # fmt: skip
ball = partial(
    Claim, topic="A ball under gravity", figure="cost_ball",
    place="talk, slide 'Learning Newtonian Mechanics'",
)  # fmt: skip
factorisation = partial(
    Claim, topic="Summary statistics of gradient descent", figure="cost_factorisation",
    place=STATISTICS,
)  # fmt: skip
hierarchy = partial(Claim, topic="Ranks by layer on a grammar", figure="cost_hierarchy")
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
    weights(
        "cost-weight-rank", "singular values near 1 of middle layers, minus the rank",
        place=BOTTLENECK, expected=Within(0, 0.5), why=HALF,
        measure=OF_NETWORKS(
            "excess", where={"is_rank": True, "deepest": True}, rows=maps, tells=("L",)
        ),
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
            ("full", "one output: distance of x, y with f*(x) = f*(y) over any",
             1, "apart_full", Below(0.1), TENTH_OF_ANY),
            ("three", "three outputs: the same pairs",
             3, "apart_full", Above(0.5), "half: one output of three is equal for them, two not"),
            ("true", "three outputs: pairs that the true symmetry makes equal",
             3, "apart_true", Below(0.1), TENTH_OF_ANY),
        )
    ),
    ball(
        "cost-ball-frequency-1", "singular values near 1 at frequency 1",
        expected=Within(2, 0.5), why=HALF, measure=AT_FREQUENCY(where={"of": "1"}),
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
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "cost-R0-* cost-R1-square cost-sharpness cost-weight-rank":
            "stable networks alone, before all",
        "cost-unstable-ranks": "written when gradients of some of the networks were known",
    },
)  # fmt: skip
