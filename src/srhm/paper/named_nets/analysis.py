"""Test error beside the sensitivities of one layer, of different networks on one grammar.

For Figures 1, 9, 17 and their claims: named nets (VGG, ResNet, EfficientNet), and LCN and CNN
beside them. Sensitivities are those to transformations of the input's level, l = 1 (Eq. 6, 7), as
the text defines them.
"""

from math import log
from typing import Any, Literal

import numpy as np
import pandas as pd

from srhm.figures.selection import trained_as
from srhm.model import theory
from srhm.model.grammar import DATA_MODEL
from srhm.networks.relative_depth import layer_at
from srhm.scorecard.rows import chosen
from srhm.statistics.rank_correlation import RankCorrelation, rank_correlation

# A relative depth between 0 and 1, or the logits.
Place = float | Literal["output"]
# Which grammar is drawn: that of most cells, or of most networks.
Most = Literal["cells", "networks"]
DEPTHS = (0.2, 0.5, 0.8)
DEEP = 0.8
# The paper's P = 7400 at v = 10, over Eq. 4 (9000).
PAPER_SIZE = 7400 / 9000
# What the paper shows beside the named nets.
BESIDE = ("lcn", "cnn")


def one_grammar(cells: pd.DataFrame, most: Most = "cells") -> pd.DataFrame:
    """Cells of named nets on one grammar, one curve for each network.

    most: the grammar that most cells have, for curves over P, or most networks, for the comparison
    at one P; of equal ones that of most cells.
    """
    if cells.empty:
        return cells
    counts = cells.groupby(list(DATA_MODEL), as_index=False).agg(
        networks=("net", "nunique"), cells=("net", "size")
    )
    ranked = counts.sort_values([most, "cells"], ascending=False, kind="stable")
    return _one_curve_each(_of_grammar(cells, ranked.iloc[0]))


def all_networks(core: pd.DataFrame, named: pd.DataFrame, most: Most = "cells") -> pd.DataFrame:
    """Cells of the named nets, as `one_grammar` gives them, and of LCN and CNN beside them.

    LCN and CNN as the text trains them, on the same grammar and at the P of the named ones.
    """
    named = one_grammar(named, most)
    if named.empty:
        return named
    beside = core["net"].isin(BESIDE) & core["P"].isin(named["P"])
    core = core[beside & trained_as(core, batch="shuffled", corrected=False)]
    core = _of_grammar(core, named.iloc[0])
    return named if core.empty else pd.concat([_one_curve_each(core), named], ignore_index=True)


def _of_grammar(cells: pd.DataFrame, grammar: Any) -> pd.DataFrame:
    return chosen(cells, {name: grammar[name] for name in DATA_MODEL})


def _one_curve_each(cells: pd.DataFrame) -> pd.DataFrame:
    """Of several curves of a network (widths, rates, engines) that with most cells.

    Of equal ones the widest, of those that of the fast engine.
    """
    by = ["net", "width", "engine", "curve"]
    sizes = cells.groupby(by, sort=False).size().rename("n").reset_index()
    order = ["n", "width", "engine", "curve"]
    ranked = sizes.sort_values(order, ascending=[False, False, False, True])
    return cells[cells["curve"].isin(ranked.drop_duplicates("net")["curve"])]


def at_place(sensitivities: pd.DataFrame, place: Place) -> pd.DataFrame:
    """Rows of the layer of each network that lies at this relative depth, or of the output.

    Those of the text's definition at l = 1 that have a value.
    """
    rows = sensitivities[(sensitivities["l"] == 1) & (sensitivities["variant"] == "text")]
    hidden = rows["layer"] != "output"
    at_place = ~hidden
    if place != "output":
        n_layers = rows[hidden].groupby("curve")["k"].max()
        wanted = n_layers.map(lambda n: layer_at(place, int(n)))
        at_place = hidden & (rows["k"] == rows["curve"].map(wanted))
    return rows[at_place & (rows["n"] > 0) & rows["value"].notna()]


def side_by_side(cells: pd.DataFrame, sensitivities: pd.DataFrame, place: Place) -> pd.DataFrame:
    """A row for each network, P and kind (S, D), averaged over the seeds.

    Columns: net, curve, width, P, kind, error and value with their lowest and highest seed
    (error_low, error_high, value_low, value_high), n_seeds, n_capped, n_test. Cells that diverged
    have neither and are not in it.
    """
    columns = ["curve", "key", "kind", "value"]
    networks = cells[["curve", "key", "net", "width", "P", "status", "n_test", "test_error"]]
    rows = at_place(sensitivities, place)[columns].merge(networks, on=["curve", "key"])
    rows = rows[rows["test_error"].notna()].assign(capped=rows["status"] == "capped")
    groups = rows.groupby(["net", "curve", "width", "P", "kind"], sort=False)
    return groups.agg(
        error=("test_error", "mean"),
        error_low=("test_error", "min"),
        error_high=("test_error", "max"),
        value=("value", "mean"),
        value_low=("value", "min"),
        value_high=("value", "max"),
        n_seeds=("key", "nunique"),
        n_capped=("capped", "sum"),
        n_test=("n_test", "min"),
    ).reset_index()


def fixed_size(cells: pd.DataFrame, points: pd.DataFrame) -> int | None:
    """The P at which networks are compared: as the paper's 7400 at v = 10, over Eq. 4.

    Of the P at which most networks were trained that which is nearest to it, in its logarithm. What
    came out has no part in the choice: networks that diverged, and so have no point, count as the
    others do. The cells share a grammar, the points are theirs (`side_by_side`). None without any
    point.
    """
    if points.empty:
        return None
    first: Any = cells.iloc[0]
    wanted = PAPER_SIZE * theory.predicted(first, "cnn")
    n_networks = cells.groupby("P")["net"].nunique()
    shared = n_networks.index[n_networks == n_networks.max()].to_numpy()
    return int(shared[np.argmin(np.abs(np.log(shared) - log(wanted)))])


def correlation(
    points: pd.DataFrame, *, across_sizes: bool, generator: np.random.Generator
) -> RankCorrelation:
    """Spearman's ρ of error and value over points of one kind.

    Across networks at one P a network is a point; across sizes it is a group of points, so that the
    interval is that of another choice of networks, and chance orders the P of each network. Points
    are taken by name, so that a figure and a claim have the same resamples.
    """
    points = points.sort_values(["net", "P"])
    groups = points["net"].to_numpy(dtype=str) if across_sizes else None
    value, error = (points[name].to_numpy(dtype=float) for name in ("value", "error"))
    return rank_correlation(value, error, groups, generator=generator)
