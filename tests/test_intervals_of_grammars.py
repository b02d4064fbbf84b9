"""How often intervals over grammars hold the truth, on invented grammars with measured noise.

Run as a program it writes reference/coverage_of_intervals.csv: of 400 invented runs with 3, 5, 9,
15 and 40 grammars how many intervals hold the truth, and how many would say "reproduced" where the
truth lies on the edge of the tolerance.
"""

from itertools import product
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from srhm.scorecard.claims import Measurement
from srhm.scorecard.estimators import FEWEST, CensoredMean, Fraction, Mean, Slope
from srhm.scorecard.sheet import rows_in
from srhm.statistics.regression import FLOOR

ROOT = Path(__file__).parents[1]
STORED = ROOT / "reference" / "coverage_of_intervals.csv"

# v of the curves of `grid` that enter fits at s = 2, by net and L, with the s_0 of each.
GRID = {
    ("lcn", 2): {3: (1, 2, 3), 4: (1, 2, 3, 4), 5: (1, 2, 3, 4), 6: (1, 2, 3, 4), 7: (1, 2, 3, 4),
                 8: (1, 2, 3, 4), 9: (1, 2, 4), 10: (1, 2, 3, 4)},
    ("lcn", 3): dict.fromkeys((3, 4, 5, 6, 7, 8, 10), (0, 1, 2)),
    ("cnn", 2): {3: (1, 2, 4, 6), 4: (1, 2, 4, 6), 5: (1, 2, 4), 6: (1, 2, 4), 7: (1, 2, 4),
                 8: (1, 2, 4), 9: (1, 2, 4), 10: (1, 2), 12: (1,)},
    ("cnn", 3): {4: (0, 1, 2, 4), 5: (0, 1, 2), 6: (0, 1, 2, 4), 7: (0, 1, 2), 8: (0, 1, 2, 4),
                 10: (0, 1, 2), 12: (1,)},
}  # fmt: skip
# Those with sparsity B; curves that reach no P* are absent.
GRID_B = {
    ("lcn", 2): {v: (1, 2) if v == 7 else (1, 2, 4) for v in range(3, 11)},
    ("lcn", 3): {3: (1, 2), 4: (1, 2), 5: (1,), 6: (1, 2), 7: (1,)},
    ("cnn", 2): dict.fromkeys(range(3, 11), (1, 2, 4)),
    ("cnn", 3): {5: (1, 2), 6: (1, 2, 4), 7: (1,)},
}
# Points of the paper at s = 2 that its practice is compared with, of each v.
POINTS = {3: 4, 4: 14, 6: 11, 8: 10, 10: 8, 12: 1}


def table_of(grid):
    """A row for each curve of a grid."""
    rows = [(net, L, v, s0) for (net, L), own in grid.items() for v in own for s0 in own[v]]
    return pd.DataFrame(rows, columns=["net", "L", "v", "s0"])


CURVES, CURVES_B = table_of(GRID), table_of(GRID_B)
SEEDS = 4
TESTED = 200
# Of the rows of `grid`: standard deviation of log P* over the grammars of a v, and how much of its
# variance grammars of two s_0, nets or L have in common.
SPREADS = {2: {3: 0.22, 4: 0.16, 5: 0.12, 6: 0.10, 7: 0.09, 8: 0.08}, 3: {}}
SPREAD, LARGE_V = {2: 0.07, 3: 0.2}, 0.07
ALIKE = {"s0": 0.85, "L": 0.52}


def of_seeds(curves, n=SEEDS):
    """The curves with a row for each of n seeds."""
    rows = curves.loc[curves.index.repeat(n)].reset_index(drop=True)
    names = curves[["net", "L", "v", "s0"]].astype(str).agg(" ".join, axis=1)
    return rows.assign(s=2, seed=np.tile(np.arange(n), len(curves)), rate=0.01,
                       curve=np.repeat(names.to_numpy(), n), places=rows["s0"] + 1.0)  # fmt: skip


def drawn(rows, rng, tested=TESTED):
    """log P* less the law, shape (tested, n_rows): of grammars, of curves, of single networks."""
    spread = [SPREADS[L].get(v, SPREAD[L]) for L, v in zip(rows["L"], rows["v"], strict=True)]
    grammar = ["s", "v", "seed"]
    parts = ((ALIKE["L"], grammar), (ALIKE["s0"] - ALIKE["L"], [*grammar, "L"]),
             (1 - ALIKE["s0"], [*grammar, "L", "s0", "net"]))  # fmt: skip
    found = np.zeros((tested, len(rows)))
    for part, by in parts:
        number = rows.groupby(by).ngroup().to_numpy()
        found += sqrt(part) * rng.standard_normal((tested, number.max() + 1))[:, number]
    curve = rows.groupby("curve").ngroup().to_numpy()
    found *= np.array(spread)
    return found + FLOOR * rng.standard_normal((tested, curve.max() + 1))[:, curve]


def law(curves):
    """Logarithm of Eq. 3 (LCN) and Eq. 4 (CNN)."""
    power = np.where(curves["net"] == "lcn", curves["L"], 2)
    return power * np.log1p(curves["s0"]) + (curves["L"] + 1) * np.log(curves["v"])


def of(net, L, curves=CURVES):
    return curves[(curves["net"] == net) & (curves["L"] == L)].reset_index(drop=True)


def of_b(net):
    """Curves of a net with sparsity B, whose law has an intercept for each rate: that of L."""
    return CURVES_B[CURVES_B["net"] == net].reset_index(drop=True)


cells = rows_in("cells", nothing="no rows")


def shown(estimator, table):
    return estimator({"cells": table})


OF_GRAMMARS = {"rows": cells, "error": "clusters"}
PLACES = Slope("P_star", against="places", within=("v", "seed"), **OF_GRAMMARS)
FEATURES = Slope("P_star", against="v", within=("s0",), **OF_GRAMMARS)
MEAN = Mean("P_star", scale="log", read=1, **OF_GRAMMARS)
OF_LAW = Slope("P_star", against="law", within=("net", "L"), **OF_GRAMMARS)
CASES = {
    **{f"s_0+1, {net}, L = {L}": (of(net, L), PLACES)
       for net, L in product(("lcn", "cnn"), (2, 3))},
    **{f"v, {net}, L = {L}": (of(net, L), FEATURES)
       for net, L in product(("lcn", "cnn"), (2, 3))},
    "the law": (CURVES, OF_LAW),
    "mean": (of("lcn", 2), MEAN),
    **{f"the law, {net}, B": (of_b(net), OF_LAW) for net in ("lcn", "cnn")},
}  # fmt: skip


def invented(curves, *, n=SEEDS, seed=3, tested=TESTED):
    """Rows of P* that scatter about 1, `tested` times."""
    rows = of_seeds(curves, n)
    rows = rows.assign(law=np.exp(law(rows)))
    for one in drawn(rows, np.random.default_rng(seed), tested):
        yield rows.assign(P_star=np.exp(one))


# Above by chance alone once in a thousand.
MOST = stats.binom.ppf(1 - 1e-3, TESTED, 0.98)


@pytest.mark.parametrize("case", CASES)
def test_intervals_of_the_shipped_curves_cover_90_to_98_of_100(case):
    curves, estimator = CASES[case]
    found = [shown(estimator, rows) for rows in invented(curves)]
    covered = sum(one.low < 0 < one.high for one in found)
    # At L = 3 and in the mean the shared error counts for more than it varies.
    assert stats.binom.ppf(1e-3, TESTED, 0.93) <= covered
    assert covered <= MOST or "L = 3" in case or "mean" in case
    assert all(one.decides for one in found)


def test_more_networks_of_one_grammar_are_not_more_grammars():
    # As if each P* were of a grammar of its own.
    curves = of("lcn", 2)
    found = [shown(FEATURES, rows.assign(seed=np.arange(len(rows)))) for rows in invented(curves)]
    covered = sum(one.low < 0 < one.high for one in found)
    assert covered < stats.binom.ppf(1e-3, TESTED, 0.93)


# Grammars as v and seeds of each, by their number: as many as in runs of minutes, or of hours.
GRAMMARS = {3: {4: 3}, 5: {4: 3, 5: 2}, 9: dict.fromkeys((4, 5, 6), 3),
            15: dict.fromkeys((3, 4, 5, 6, 8), 3), 40: dict.fromkeys(range(3, 11), 5)}  # fmt: skip
# Estimator, L, tolerance, kind of FEWEST.
FITS = {
    "exponent of s_0+1, L = 2": (PLACES, 2, 0.35, "mean"),
    "exponent of s_0+1, L = 3": (PLACES, 3, 0.35, "mean"),
    "exponent of v, L = 2": (FEATURES, 2, 0.35, "slope"),
    "ratio of P*_S, 20 % censored": (
        CensoredMean("P_star", scale="log", read=2, rows=cells), 2, np.log(1.5), "mean"),
}  # fmt: skip


def covering(fit, n, tested=TESTED):
    """Parts of intervals that hold the truth, and that lie within a tolerance it is the edge of."""
    estimator, L, tolerance, _ = FITS[fit]
    grammars = pd.DataFrame(
        [(v, seed) for v, many in GRAMMARS[n].items() for seed in range(many)],
        columns=["v", "seed"],
    )
    curves = table_of({("lcn", L): dict.fromkeys(GRAMMARS[n], (1, 2, 3))})
    held, inside, halves = 0, 0, []
    for rows in invented(curves, n=5, seed=n, tested=tested):
        own = rows.merge(grammars, on=["v", "seed"])
        if isinstance(estimator, CensoredMean):  # a window that ends at the 80th of 100
            most = np.exp(0.84 * np.log(own["P_star"]).std())
            own = own.assign(side=(own["P_star"] > most).astype(int),
                             P_star=own["P_star"].clip(upper=most))  # fmt: skip
        found = shown(estimator, own)
        low, high = (end if np.isfinite(end) else sign * inf
                     for end, sign in ((found.low, -1), (found.high, 1)))  # fmt: skip
        held += low <= 0 <= high
        inside += low >= -2 * tolerance and high <= 0
        halves.append((high - low) / 2)
    return held / tested, inside / tested, float(np.median(halves))


def row_of(fit, n, tested):
    """A row of STORED: what is told, whether this number of grammars decides, and what is off."""
    held, inside, half = covering(fit, n, tested)
    least, of_v = FEWEST[FITS[fit][3]]
    decides = n >= least and len(GRAMMARS[n]) >= of_v
    off = [] if 0.90 <= held <= 0.98 else ["coverage"]
    off += ["edge"] if inside > 0.05 else []
    return {"number": fit, "grammars": n, "v": len(GRAMMARS[n]), "runs": tested, "held": held,
            "reproduced_at_edge": inside, "half_width": round(half, 3), "decides": decides,
            "outside": " ".join(off)}  # fmt: skip


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("n", [5, 15])
def test_few_grammars_cover_as_often_as_the_table_says(fit, n):
    stored = pd.read_csv(STORED, keep_default_na=False).set_index(["number", "grammars"])
    held, inside, _ = covering(fit, n, tested=100)
    few, many = stats.binom.ppf([5e-4, 1 - 5e-4], 100, stored.loc[(fit, n), "held"])
    assert few <= 100 * held <= many
    assert 100 * inside <= stats.binom.ppf(1 - 1e-3, 100, 0.05)


def test_where_a_number_decides_it_is_reproduced_at_the_edge_in_5_of_100_at_most():
    stored = pd.read_csv(STORED, keep_default_na=False)
    deciding = stored[stored["decides"].astype(str) == "True"]
    print(stored[stored["outside"] != ""].to_string())
    assert set(stored["number"]) == set(FITS)
    assert (deciding["reproduced_at_edge"] <= 0.05).all()
    assert (deciding["held"] >= 0.90).all()
    # What covers too often is printed, as it is: wide.
    assert set(stored.loc[stored["held"] < 0.90, "outside"]) <= {"coverage", "coverage edge"}


def test_a_trend_over_v_widens_the_interval_to_that_over_v():
    rows = of_seeds(of("lcn", 2))
    flat = np.exp(2 * np.log(rows["places"]) + 0.02 * drawn(rows, np.random.default_rng(0), 1)[0])
    bent = flat * rows["places"] ** (-0.4 * np.log(rows["v"] / 6))
    narrow, wide = (shown(PLACES, rows.assign(P_star=one)) for one in (flat, bent))
    assert "per ln v" not in narrow.note
    assert "per ln v" in wide.note
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)
    at_largest = Slope("P_star", against="places", within=("v", "seed"), at_largest=True,
                       **OF_GRAMMARS)  # fmt: skip
    found = shown(at_largest, rows.assign(P_star=bent))
    assert found.value == pytest.approx(2 - 0.4 * np.log(10 / 6), abs=0.02)


def test_too_few_grammars_or_v_decide_nothing_and_tell_their_number():
    rows = of_seeds(of("lcn", 2)).assign(P_star=1.0)
    rows["P_star"] = np.exp(2 * np.log(rows["places"]) + 0.1 * (rows["seed"] + rows["v"]))
    one_v, two_v = rows[rows["v"] == 4], rows[rows["v"].isin((4, 5))]
    found = shown(PLACES, one_v)
    assert not found.decides
    assert found.value == pytest.approx(2)
    assert "too few to decide: 4 grammars with 1 v, needed are 5 with 2" in found.note
    assert shown(PLACES, two_v).decides
    assert not shown(FEATURES, two_v).decides
    assert shown(FEATURES, rows[rows["v"].isin((4, 5, 6))]).decides


def test_values_above_their_bounds_move_a_mean_as_if_they_were_known():
    rng, off, dropped = np.random.default_rng(5), [], []
    rows = of_seeds(of("lcn", 2))
    for one in drawn(rows, rng, 40):
        most = np.quantile(one, 0.75)
        own = rows.assign(P_star=np.exp(np.minimum(one, most)), side=(one > most).astype(int))
        found = shown(CensoredMean("P_star", scale="log", read=2, rows=cells), own)
        off.append(found.value - one.mean())
        dropped.append(one[one <= most].mean() - one.mean())
    assert abs(np.mean(off)) < 0.3 * abs(np.mean(dropped))
    assert "25% of the values are bounds" in found.note
    assert found.decides
    most = np.quantile(one, 0.6)
    own = rows.assign(P_star=np.exp(np.minimum(one, most)), side=(one > most).astype(int))
    found = shown(CensoredMean("P_star", scale="log", read=2, rows=cells), own)
    assert not found.decides
    assert isinstance(found, Measurement)


def parts(part, *, shared):
    """How many intervals hold a part of POINTS, where those of one grammar are all alike."""
    v = np.repeat(list(POINTS), list(POINTS.values()))
    own = np.unique(v, return_inverse=True)[1]
    estimator = Fraction("inside", rows=cells, shared=shared)
    count = 0
    for alike in np.random.default_rng(3).random((TESTED, len(POINTS))) < part:
        rows = pd.DataFrame({"s": 2, "v": v, "inside": alike[own]})
        found = shown(estimator, rows)
        count += found.low <= part <= found.high
    return count


@pytest.mark.parametrize("part", [0.5, 0.95])
def test_intervals_of_a_part_of_points_that_share_rules_cover_90_to_98_of_100(part):
    assert 0.90 * TESTED <= parts(part, shared=True) <= MOST
    assert parts(part, shared=False) < stats.binom.ppf(1e-3, TESTED, 0.95)


if __name__ == "__main__":
    table = pd.DataFrame([row_of(fit, n, 400) for fit in FITS for n in GRAMMARS])
    table.to_csv(STORED, index=False)
    print(table.to_string())
