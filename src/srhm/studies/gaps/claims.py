"""Claims on gaps, cusps, N* and spectra at jamming (thesis, chapter 1, figures 5, 7 to 9, 11, 12).

N counts weights without biases, but in N_eff. Tolerances were fixed before the networks that are
measured were trained; the README says which trials came before them.
"""

from functools import partial
from math import isfinite, log, nan
from typing import Any

import numpy as np
import pandas as pd

from srhm.model.seeding import generator
from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.fits import (
    as_ratio,
    listed_as_left_out,
    mean_of,
    no_points,
    of_fit,
    part_of,
)
from srhm.statistics.regression import CONFIDENCE, slope_with_group_intercepts
from srhm.studies.gaps.analysis import (
    HIGH,
    LOW,
    PLATEAU,
    TIMES,
    collapse,
    cusps_by_network,
    gap_exponent,
    gaps_by_network,
    gaps_of_h0,
    hierarchical,
    scales_of_hp,
    star_cells,
    stars_by_seed,
    stars_in_time,
)

LEAST = 0.25  # N_Delta/N of a jammed network, chapter 2a
DRAWS = 400
FEWEST = 3


def _table(tables: Tables, name: str) -> pd.DataFrame:
    return tables.get(name, pd.DataFrame())


def of_gaps(tables: Tables, *, kind: str, side: str) -> Measurement:
    """theta (side plus) or gamma (minus, fitted) of the pooled gaps of a kind of networks."""
    cells, gaps = _table(tables, "cells"), _table(tables, "gaps")
    if cells.empty or gaps.empty:
        return NOT_MEASURED
    samples = gaps_by_network(cells, gaps, kind=kind, side=side)
    found = gap_exponent(samples)
    if not found.n:
        return no_points("no such network")
    value, low, high = found.value, found.low, found.high
    if side != "plus":
        value, low, high = -value, -high, -low
    note = f"{found.n} gaps of {found.n_samples} networks, between {LOW:g} and {HIGH:g}"
    return Measurement(value=value, low=low, high=high, n=found.n_samples, note=note)


def growth(tables: Tables) -> Measurement:
    """Slope of log N* against log P at the longest time, an intercept for each data set."""
    stars = stars_in_time(_table(tables, "cells"), _table(tables, "histories"))
    if stars.empty:
        return NOT_MEASURED
    last = stars[stars["time"] == TIMES[-1]]
    known = last[last["status"] == "reached"]
    x, y = (np.log(known[name].to_numpy(dtype=float)) for name in ("P", "N_star"))
    fit = slope_with_group_intercepts(x, y, known["seed"].to_numpy(), [])
    end = listed_as_left_out({"beyond the widths": len(last) - len(known)})
    return (
        of_fit(fit, f"{fit.n} N*{end}") if fit.n else no_points(f"no two sizes P{end}")
    )


def in_time(tables: Tables) -> Measurement:
    """N* at the last of TIMES over that at the first, geometric mean over data sets and P."""
    stars = stars_in_time(_table(tables, "cells"), _table(tables, "histories"))
    if stars.empty:
        return NOT_MEASURED
    first, last = (stars[stars["time"] == time] for time in (TIMES[0], TIMES[-1]))
    return _ratio(last, first)


def load(tables: Tables) -> Measurement:
    """P/N* at the longest time, mean over data sets and P."""
    stars = stars_in_time(_table(tables, "cells"), _table(tables, "histories"))
    if stars.empty:
        return NOT_MEASURED
    last = stars[(stars["time"] == TIMES[-1]) & (stars["status"] == "reached")]
    return mean_of((last["P"] / last["N_star"]).tolist(), "N*")


def over_three_layers(
    tables: Tables, *, hidden_layers: tuple[int, ...], loss: str
) -> Measurement:
    """N* of other depths, or another loss, over that of three layers with the quadratic hinge."""
    stars = stars_by_seed(star_cells(_table(tables, "cells")))
    if stars.empty:
        return NOT_MEASURED
    base = stars[(stars["hidden_layers"] == 3) & (stars["loss"] == "quadratic_hinge")]
    other = stars[stars["hidden_layers"].isin(hidden_layers) & (stars["loss"] == loss)]
    return _ratio(other, base)


def _ratio(upper: pd.DataFrame, lower: pd.DataFrame) -> Measurement:
    pairs = upper.merge(lower, on=["seed", "P", "budget"], suffixes=("", "_lower"))
    known = (pairs["status"] == "reached") & (pairs["status_lower"] == "reached")
    logs = np.log(pairs.loc[known, "N_star"] / pairs.loc[known, "N_star_lower"])
    end = listed_as_left_out({"beyond the widths": int((~known).sum())})
    return as_ratio(mean_of(logs.tolist(), f"pairs of N*{end}"))


def loss_exponent(tables: Tables, *, activation: str) -> Measurement:
    """Slope of the log of the root mean square eigenvalue of Hp against the log of the loss."""
    table = _hp(tables, activation)
    if table.empty:
        return NOT_MEASURED
    x, y = (
        np.log(table[name].to_numpy(dtype=float)) for name in ("mean_loss", "scale")
    )
    fit = slope_with_group_intercepts(x, y, np.zeros(len(x)), [])
    least, most = table["mean_loss"].min(), table["mean_loss"].max()
    return of_fit(
        fit, f"{len(x)} networks, loss {least:.1g} to {most:.1g}; error of the scatter"
    )


def collapsed(tables: Tables, *, activation: str) -> Measurement:
    """Spread of quantiles of sp(Hp) over networks, with lambda/sqrt(Loss) over without."""
    table = _hp(tables, activation)
    if len(table) < FEWEST:
        return NOT_MEASURED if table.empty else no_points(f"{len(table)} networks only")
    stream = generator(1, role="drawing")
    draws = (
        table.sample(len(table), replace=True, random_state=stream)
        for _ in range(DRAWS)
    )
    found = [collapse(one) for one in draws if one["key"].nunique() >= FEWEST]
    low, high = np.quantile(found, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    note = f"{len(table)} networks, drawn again"
    return Measurement(
        value=collapse(table), low=float(low), high=float(high), n=len(table), note=note
    )


def _hp(tables: Tables, activation: str) -> pd.DataFrame:
    cells, hessians = _table(tables, "cells"), _table(tables, "hessians")
    if cells.empty or hessians.empty:
        return pd.DataFrame()
    return scales_of_hp(cells, hessians, activation=activation)


def shrinking(tables: Tables) -> Measurement:
    """Slope of the log of the gap of sp(H0) against N_Delta/N, an intercept by activation."""
    cells, hessians = _table(tables, "cells"), _table(tables, "hessians")
    table = (
        gaps_of_h0(cells, hessians) if len(cells) and len(hessians) else pd.DataFrame()
    )
    if table.empty:
        return NOT_MEASURED
    x = table["ratio"].to_numpy(dtype=float)
    fit = slope_with_group_intercepts(
        x, np.log(table["gap"]), table["activation"].to_numpy(), []
    )
    return of_fit(fit, f"{fit.n} networks; error of the scatter")


def effective(tables: Tables) -> Measurement:
    """N_eff over N less the hidden neurons, where all neurons have a kink within the points."""
    ranks = _table(tables, "ranks")
    if ranks.empty:
        return NOT_MEASURED
    bent = ranks[ranks["n_straight"] == 0]
    ratios = bent["rank"] / (bent["n_parameters"] - bent["n_neurons"])
    end = listed_as_left_out(
        {"with neurons that are dead or linear": len(ranks) - len(bent)}
    )
    return mean_of(ratios.tolist(), f"networks, before and after training{end}")


def cusps(
    tables: Tables,
    *,
    kinds: tuple[str, ...],
    column: str = "training",
    settled: bool = True,
) -> Measurement:
    """N_c/N of jammed networks, or of fresh points; settled: of those that have converged only."""
    cells, table = _table(tables, "cells"), _table(tables, "cusps")
    if cells.empty or table.empty:
        return NOT_MEASURED
    found = pd.concat([cusps_by_network(cells, table, kind=kind) for kind in kinds])
    kept = found[found["plateau"] <= PLATEAU] if settled else found
    end = listed_as_left_out({"without a plateau about 1e-4": len(found) - len(kept)})
    measured = mean_of(kept[column].tolist(), f"networks{end}")
    return (
        measured
        if isfinite(measured.value)
        else no_points(f"no converged network{end}")
    )


def few_unsatisfied(tables: Tables, *, longest: bool) -> Measurement:
    """Part of the jammed SRHM networks with N_Delta/N < 1/4 at the longest or the first budget."""
    marked = hierarchical(_table(tables, "cells"))
    if marked.empty:
        return NOT_MEASURED
    budget = marked["budget"].max() if longest else marked["budget"].min()
    own = marked[marked["budget"] == budget]
    jammed = own[own["jammed"]]
    if jammed.empty:
        return no_points(
            f"none of {len(own)} networks is jammed after {budget} evaluations"
        )
    low = int((jammed["unsatisfied"] < LEAST).sum())
    note = f"{low} of {len(jammed)} jammed of {len(own)} networks after {budget} evaluations"
    return part_of(
        low, len(jammed), f"{note}; the lowest has {jammed['unsatisfied'].min():.3f}"
    )


TOPIC = "Jamming: gaps, cusps, N* and spectra"
CLOSE = (
    "0.1, ours: exponents of spheres, 0.42 and 0.41, are further than that from ReLU's"
)
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
    return found


def _thresholds() -> list[Claim]:
    depth = partial(over_three_layers, hidden_layers=(2, 5), loss="quadratic_hinge")
    soft = partial(over_three_layers, hidden_layers=(3,), loss="soft_hinge")
    rows = (
        ("growth", "Slope of log N* against log P", f"{CHAPTER} 5", 1.0, 0.25,
         "0.25, ours: two sizes, widths 15 to 40 % of N apart", growth),
        ("time", "log of N* after 10,000 evaluations over that after 1000", f"{CHAPTER} 5a", 0.0, nan,
         "an upper bound: with time narrower networks fit", lambda t: _logged(in_time(t))),
        ("depth", "N* of two and five hidden layers over that of three", f"{CHAPTER} 5b, c", 1.0, 0.3,
         THIRTY, depth),
        ("loss", "N* with the soft hinge over that with the quadratic one", f"{CHAPTER} 5b, c", 1.0,
         0.3, THIRTY, soft),
        ("load", "P/N* after 10,000 evaluations", f"{CHAPTER} 6a: 2.8 to 2.9", nan, nan,
         "reported: N* depends on the budget, which is far shorter here", load),
    )  # fmt: skip
    return [_claim(f"gaps-n-star-{name}", *row, "gaps_n_star") for name, *row in rows]


def _logged(one: Measurement) -> Measurement:
    ends = {
        name: log(getattr(one, name)) if getattr(one, name) > 0 else nan
        for name in ("value", "low", "high")
    }
    return Measurement(**ends, n=one.n, note=one.note)


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
        ("cusps-digits", "N_c/N of jammed networks, ReLU, digits", f"{CHAPTER} 12: 0.19", 0.19, 0.06,
         "0.06, ours: as for random data", partial(cusps, kinds=("digits-3",))),
        ("cusps-tanh", "N_c/N of jammed networks, tanh", f"{CHAPTER} 12", 0.02, nan,
         "an upper bound: a smooth network has no cusps",
         partial(cusps, kinds=("tanh-3",), settled=False)),
        ("cusps-fresh", "Fresh points at cusps, ReLU, over N", f"{CHAPTER} 12", 0.02, nan,
         "an upper bound, ours: a tenth of N_c", partial(cusps, kinds=relu, column="fresh", settled=False)),
        ("few-unsatisfied-short", "Jammed SRHM networks with N_Δ/N < 1/4, 3000 evaluations",
         "thesis, ch. 2a, Fig. 3B: none", nan, nan, "reported: few networks",
         partial(few_unsatisfied, longest=False)),
        ("few-unsatisfied-long", "Jammed SRHM networks with N_Δ/N < 1/4, ten times as many",
         "thesis, ch. 2a, Fig. 3B: none", nan, nan, "reported: few networks",
         partial(few_unsatisfied, longest=True)),
    )  # fmt: skip
    return [_claim(f"gaps-{name}", *row, "gaps_cusps") for name, *row in rows]


CLAIMS: tuple[Claim, ...] = (*_exponents(), *_thresholds(), *_spectra(), *_cusps())
