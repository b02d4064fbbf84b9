"""Claims on gaps, cusps, N* and spectra at jamming (thesis, chapter 1, figures 5, 7 to 9, 11, 12).

N counts weights without biases, but in N_eff. Tolerances were fixed before the networks that are
measured were trained; the README says which trials came before them.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from math import isfinite, nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.model.seeding import generator
from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables, once
from srhm.scorecard.fits import as_ratio, listed_as_left_out, mean_of, no_points, of_fit, part_of
from srhm.scorecard.rows import chosen as where
from srhm.statistics.regression import CONFIDENCE, slope_with_group_intercepts
from srhm.studies.gaps import analysis

LEAST = 0.25  # N_Delta/N of a jammed network, chapter 2a
DRAWS = 400
NORMAL = 1.96  # half a 95 % interval in standard deviations


def _of(*names: str) -> Callable[[Callable[..., Measurement]], Callable[..., Measurement]]:
    """Gives a measurement these tables by position; without one of them nothing is measured."""

    def wrapped(measure: Callable[..., Measurement]) -> Callable[..., Measurement]:
        @wraps(measure)
        def measured(tables: Tables, **options: Any) -> Measurement:
            own = [tables.get(name, pd.DataFrame()) for name in names]
            return measure(*own, **options) if all(map(len, own)) else NOT_MEASURED

        return measured

    return wrapped


def _of_stars(measure: Callable[[pd.DataFrame], Measurement]) -> Callable[[Tables], Measurement]:
    """Gives a measurement N* of each data set in time, which several claims look at."""

    @wraps(measure)
    def measured(tables: Tables) -> Measurement:
        own = [tables.get(name, pd.DataFrame()) for name in ("cells", "histories")]
        if not all(map(len, own)):
            return NOT_MEASURED
        return measure(once(tables, "stars in time", lambda: analysis.stars_in_time(*own)))

    return measured


@_of("cells", "gaps")
def of_gaps(
    cells: pd.DataFrame, gaps: pd.DataFrame, *, kind: str, side: str, longest: bool = True
) -> Measurement:
    """theta (side plus, median) or gamma (minus, fitted) of the pooled gaps of a kind of networks.

    longest: of those of the largest budget; else of the smallest, where there are two.
    """
    if not longest and where(cells, analysis.KINDS[kind]).pipe(analysis.budgets) < 2:
        return NOT_MEASURED
    samples = analysis.gaps_by_seed(cells, gaps, kind=kind, side=side, longest=longest)
    end = analysis.TAIL if side == "median" else analysis.HIGH
    found = analysis.gap_exponent(samples, high=end)
    if found.n_samples < analysis.FEWEST:
        return no_points(
            f"seeds with such networks: {found.n_samples}, fewer than {analysis.FEWEST}"
        )
    value, low, high = found.value, found.low, found.high
    if side not in ("plus", "median"):
        value, low, high = -value, -high, -low
    window = f"between {analysis.LOW:g} and {end:g}"
    note = f"{found.n} gaps of networks of {found.n_samples} seeds, {window}"
    return Measurement(value=value, low=low, high=high, n=found.n_samples, note=note)


@_of_stars
def growth(stars: pd.DataFrame) -> Measurement:
    """Slope of log N* against log P at the longest time, an intercept for each data set."""
    last = _at(stars, -1)
    known = last[last["status"] == "reached"]
    x, y = (np.log(known[name].to_numpy(dtype=float)) for name in ("P", "N_star"))
    fit = slope_with_group_intercepts(x, y, known["seed"].to_numpy(), [])
    end = listed_as_left_out({"beyond the widths": len(last) - len(known)})
    return of_fit(fit, f"{fit.n} N*{end}") if fit.n else no_points(f"no two sizes P{end}")


@_of_stars
def in_time(stars: pd.DataFrame) -> Measurement:
    """N* at the last of TIMES over that at the first, geometric mean over data sets and P."""
    return _ratio(_at(stars, -1), _at(stars, 0))


@_of_stars
def load(stars: pd.DataFrame) -> Measurement:
    """P/N* at the longest time, mean over data sets and P."""
    last = _at(stars, -1).query("status == 'reached'")
    return mean_of((last["P"] / last["N_star"]).tolist(), "N*")


def _at(stars: pd.DataFrame, place: int) -> pd.DataFrame:
    return stars[stars["time"] == analysis.TIMES[place]]


@_of("cells")
def over_three_layers(
    cells: pd.DataFrame, *, hidden_layers: tuple[int, ...], loss: str
) -> Measurement:
    """N* of other depths, or another loss, over that of three layers with the quadratic hinge."""
    stars = analysis.stars_by_seed(analysis.star_cells(cells))
    base = stars[(stars["hidden_layers"] == 3) & (stars["loss"] == "quadratic_hinge")]
    return _ratio(stars[stars["hidden_layers"].isin(hidden_layers) & (stars["loss"] == loss)], base)


def _ratio(upper: pd.DataFrame, lower: pd.DataFrame) -> Measurement:
    """Geometric mean of N* over N* of equal data sets, P and budget.

    Widths are integers, so that N* may be anywhere between the two it lies between: data sets that
    share them have this error together. It is added to that of the scatter in squares.
    """
    pairs = upper.merge(lower, on=["seed", "P", "budget"], suffixes=("", "_lower"))
    known = (pairs["status"] == "reached") & (pairs["status_lower"] == "reached")
    logs = np.log(pairs.loc[known, "N_star"] / pairs.loc[known, "N_star_lower"])
    end = listed_as_left_out({"beyond the widths": int((~known).sum())})
    found = mean_of(logs.tolist(), "")
    note = f"{len(logs)} pairs of N*; the error is their scatter and the steps of the widths{end}"
    if not len(logs):
        return no_points(f"nothing to average of pairs of N*{end}")
    own = pairs[known]
    steps = [np.log(own[f"N_high{end}"] / own[f"N_low{end}"]).mean() for end in ("", "_lower")]
    # Uniform between the two, of standard deviation step/sqrt(12) in log N.
    grid = NORMAL * float(np.hypot(*steps)) / 12**0.5
    low, high = (found.value - np.hypot(found.value - found.low, grid),
                 found.value + np.hypot(found.high - found.value, grid))  # fmt: skip
    return as_ratio(replace(found, low=float(low), high=float(high), note=note))


@_of("cells", "hessians")
def loss_exponent(cells: pd.DataFrame, hessians: pd.DataFrame, *, activation: str) -> Measurement:
    """Slope of the log of the root mean square eigenvalue of Hp against the log of the loss."""
    table = analysis.scales_of_hp(cells, hessians, activation=activation)
    if len(table) < analysis.FEWEST:
        return no_points(f"{len(table)} jammed networks")
    x, y = (np.log(table[name].to_numpy(dtype=float)) for name in ("mean_loss", "scale"))
    fit = slope_with_group_intercepts(x, y, np.zeros(len(x)), [])
    least, most = table["mean_loss"].min(), table["mean_loss"].max()
    return of_fit(fit, f"{len(x)} networks, loss {least:.1g} to {most:.1g}; error of the scatter")


@_of("cells", "hessians")
def collapsed(cells: pd.DataFrame, hessians: pd.DataFrame, *, activation: str) -> Measurement:
    """Spread of quantiles of sp(Hp) over networks, with lambda/sqrt(Loss) over without."""
    table = analysis.scales_of_hp(cells, hessians, activation=activation)
    if len(table) < analysis.FEWEST:
        return no_points(f"{len(table)} jammed networks")
    stream, groups = generator(1, role="drawing"), table.groupby("seed").indices
    seeds = pd.Series(list(groups))
    draws = (seeds.sample(len(seeds), replace=True, random_state=stream) for _ in range(DRAWS))
    found = [analysis.collapse(table.iloc[np.concatenate([groups[seed] for seed in drawn])])
             for drawn in draws if drawn.nunique() >= analysis.FEWEST]  # fmt: skip
    low, high = map(float, np.quantile(found, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]))
    value, note = analysis.collapse(table), f"{len(table)} networks, {len(seeds)} seeds drawn again"
    return Measurement(value=value, low=low, high=high, n=len(seeds), note=note)


@_of("cells", "hessians")
def shrinking(cells: pd.DataFrame, hessians: pd.DataFrame) -> Measurement:
    """Slope of the log of the gap of sp(H0) against N_Delta/N, an intercept by activation."""
    whole = analysis.gaps_of_h0(cells, hessians)
    table = whole.dropna()
    x, y = table["ratio"].to_numpy(dtype=float), np.log(table["gap"].to_numpy(dtype=float))
    fit = slope_with_group_intercepts(x, y, table["activation"].to_numpy(), [])
    end = listed_as_left_out({"whose H0 has a rank below N_Δ": len(whole) - len(table)})
    return of_fit(fit, f"{fit.n} networks{end}; error of the scatter")


@_of("ranks")
def effective(ranks: pd.DataFrame) -> Measurement:
    """N_eff over N less the hidden neurons, where all neurons have a kink within the points.

    A network before and after training is one: its values are averaged first.
    """
    bent = ranks[ranks["n_straight"] == 0]
    ratios = (bent["rank"] / (bent["n_parameters"] - bent["n_neurons"])).groupby(bent["key"]).mean()
    end = listed_as_left_out(
        {"states with neurons that are dead or linear": len(ranks) - len(bent)}
    )
    return mean_of(ratios.tolist(), f"networks, mean of before and after training{end}")


@_of("cells", "cusps")
def cusps(
    cells: pd.DataFrame, table: pd.DataFrame, *, kinds: tuple[str, ...], column: str = "training",
    settled: bool = True,
) -> Measurement:  # fmt: skip
    """N_c/N of jammed networks, or of fresh points; settled: of those that have converged only.

    Networks of a seed share data: their values are averaged first.
    """
    found = pd.concat([analysis.cusps_by_network(cells, table, kind=kind) for kind in kinds])
    kept = found[found["plateau"] <= analysis.PLATEAU] if settled else found
    end = listed_as_left_out({"without a plateau about 1e-4": len(found) - len(kept)})
    means = kept.groupby("seed")[column].mean()
    measured = mean_of(means.tolist(), f"seeds of {len(kept)} networks{end}")
    return measured if isfinite(measured.value) else no_points(f"no converged network{end}")


@_of("cells")
def few_unsatisfied(cells: pd.DataFrame, *, longest: bool, initialisation: str) -> Measurement:
    """Part of the jammed SRHM networks with N_Delta/N < 1/4 at the longest or the first budget."""
    marked = analysis.hierarchical(cells, initialisation=initialisation)
    if marked.empty:
        return NOT_MEASURED
    budget = marked["budget"].max() if longest else marked["budget"].min()
    own = marked[marked["budget"] == budget]
    jammed = own.loc[own["jammed"], "unsatisfied"]
    note = f"{len(jammed)} jammed of {len(own)} networks after {budget} evaluations"
    if jammed.empty:
        return no_points(note)
    low = int((jammed < LEAST).sum())
    return part_of(low, len(jammed), f"{low} of {note}; the lowest has {jammed.min():.3f}")


TOPIC = "Jamming: gaps, cusps, N* and spectra"
CLOSE = "0.1, ours: exponents of spheres, 0.42 and 0.41, are further than that from ReLU's"
THIRTY = "30 %: a step of the widths is 15 to 40 % of N"
SILENT = "the source gives no number"
CHAPTER = "thesis, ch. 1, Fig."
NAMES = {
    **{f"relu-{layers}": f"ReLU, L = {layers}, random data" for layers in (2, 3, 5)},
    **{"tanh-3": "tanh, L = 3, random data", "digits-3": "ReLU, L = 3, digits"},
}
THETA = {"relu-2": 0.3, "relu-3": 0.3, "relu-5": 0.3, "tanh-3": 0.2, "digits-3": nan}
GAMMA = {"relu-2": 0.2, "relu-3": 0.2, "relu-5": 0.2, "tanh-3": 0.16, "digits-3": 0.25}


FIELDS = (
    *("identifier", "statement", "place", "expected", "tolerance", "tolerance_reason"),
    *("measure", "figure"),
)


def _claim(*row: Any) -> Claim:
    return Claim(topic=TOPIC, **dict(zip(FIELDS, row, strict=True)))


def _exponents() -> list[Claim]:
    found = []
    for kind, name in NAMES.items():
        for letter, side, expected in (
            ("θ", "plus", THETA[kind]),
            ("γ", "minus", GAMMA[kind]),
            ("γ, networks that fit", "fitted", nan),
        ):
            known = isfinite(expected)
            place = f"{CHAPTER} 9d" if kind == "digits-3" else f"{CHAPTER} 8"
            found.append(
                _claim(f"gaps-{side}-{kind}", f"{letter}: {name}", place, expected,
                       0.1 if known else nan, CLOSE if known else SILENT,
                       partial(of_gaps, kind=kind, side=side), "gaps")
            )  # fmt: skip
            if side == "plus":
                over = partial(of_gaps, kind=kind, side="median")
                found.append(
                    _claim(f"gaps-median-{kind}", f"θ of Δ over its median: {name}", place, nan,
                           nan, "reported: chosen when θ of Δ/√Loss was known", over, "gaps")
                )  # fmt: skip
            if kind != "digits-3" and side != "fitted":
                short = partial(of_gaps, kind=kind, side=side, longest=False)
                found.append(
                    _claim(f"gaps-{side}-{kind}-short", f"{letter}, smallest budget: {name}", place,
                           nan, nan, "reported: beside the networks trained longest", short, "gaps")
                )  # fmt: skip
    return found


def _thresholds() -> list[Claim]:
    depth = partial(over_three_layers, hidden_layers=(2, 5), loss="quadratic_hinge")
    soft = partial(over_three_layers, hidden_layers=(3,), loss="soft_hinge")
    logistic = partial(over_three_layers, hidden_layers=(3,), loss="logistic")
    rows = (
        ("growth", "Slope of log N* against log P", f"{CHAPTER} 5", 1.0, 0.25,
         "0.25, ours: two sizes, widths 15 to 40 % of N apart", growth),
        ("time", "N* after 10,000 evaluations over that after 1000", f"{CHAPTER} 5a", 1.0, nan,
         "an upper bound: with time narrower networks fit", in_time),
        ("depth", "N* of two and five hidden layers over that of three", f"{CHAPTER} 5b, c", 1.0,
         0.3, THIRTY, depth),
        ("loss", "N* with the soft hinge over that with the quadratic one", f"{CHAPTER} 5b, c", 1.0,
         0.3, THIRTY, soft),
        ("logistic", "N* with the cross-entropy over that with the quadratic hinge",
         f"{CHAPTER} 5b, c", 1.0, 0.3, THIRTY, logistic),
        ("load", "P/N* after 10,000 evaluations", f"{CHAPTER} 6a: 2.8 to 2.9", nan, nan,
         "reported: N* depends on the budget, which is far shorter here", load),
    )  # fmt: skip
    return [_claim(f"gaps-n-star-{name}", *row, "gaps_n_star") for name, *row in rows]


def _spectra() -> list[Claim]:
    found = []
    for activation, name, place in (("relu", "ReLU", "7a, b"), ("tanh", "tanh", "7e")):
        found += [
            _claim(f"gaps-hp-scale-{activation}", f"Exponent of the loss in sp(Hp): {name}",
                   f"{CHAPTER} {place}", 0.5, 0.1, "0.1, ours: as for exponents of gaps",
                   partial(loss_exponent, activation=activation), "gaps_spectra"),
            _claim(f"gaps-hp-collapse-{activation}",
                   f"Spread of λ/√Loss over that of λ, quantiles of sp(Hp): {name}",
                   f"{CHAPTER} {place}", 0.5, nan, "an upper bound, ours: a collapse halves it",
                   partial(collapsed, activation=activation), "gaps_spectra"),
        ]  # fmt: skip
    found.append(
        _claim("gaps-h0-shrinks", "Slope of the log of the gap of sp(H0) against N_Δ/N",
               f"{CHAPTER} 7c", 0.0, nan, "an upper bound: the gap shrinks", shrinking,
               "gaps_spectra")
    )  # fmt: skip
    return found


def _cusps() -> list[Claim]:
    relu = ("relu-2", "relu-3", "relu-5")
    rows = (
        ("n-eff", "N_eff over N less the hidden neurons, digits", f"{CHAPTER} 11", 1.0, 0.01,
         "0.01, ours: a rank is exact where all neurons have a kink", effective),
        ("cusps-random", "N_c/N of jammed networks, ReLU, random data", f"{CHAPTER} 12: 0.21, 0.25",
         0.23, 0.06, "0.06, ours: 0.21 (L = 5) and 0.25 (L = 2), and their distance again",
         partial(cusps, kinds=relu)),
        ("cusps-digits", "N_c/N of jammed networks, ReLU, digits", f"{CHAPTER} 12: 0.19", 0.19,
         0.06, "0.06, ours: as for random data", partial(cusps, kinds=("digits-3",))),
        ("cusps-tanh", "N_c/N of jammed networks, tanh", f"{CHAPTER} 12", 0.02, nan,
         "an upper bound: a smooth network has no cusps",
         partial(cusps, kinds=("tanh-3",), settled=False)),
        ("cusps-fresh", "Fresh points at cusps, ReLU, over N", f"{CHAPTER} 12", 0.02, nan,
         "an upper bound, ours: a tenth of N_c",
         partial(cusps, kinds=relu, column="fresh", settled=False)),
        *((f"few-unsatisfied{start}-{word}",
           f"Jammed SRHM networks with N_Δ/N < 1/4, {text}, {kind} start",
           "thesis, ch. 2a, Fig. 3B: none", nan, nan, "reported: few networks",
           partial(few_unsatisfied, longest=word == "long", initialisation=kind))
          for start, kind in (("", "gaussian"), ("-orthogonal", "orthogonal"))
          for word, text in (("short", "3000 evaluations"), ("long", "ten times as many"))),
    )  # fmt: skip
    return [_claim(f"gaps-{name}", *row, "gaps_spectra") for name, *row in rows]


CLAIMS: tuple[Claim, ...] = (*_exponents(), *_thresholds(), *_spectra(), *_cusps())
