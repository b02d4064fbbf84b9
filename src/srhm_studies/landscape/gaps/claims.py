"""Claims on gaps, cusps, N* and spectra at jamming (thesis, chapter 1, figures 5, 7 to 9, 11, 12).

N counts weights without biases, but in N_eff. Tolerances were fixed before the networks that are
measured were trained; methods.md says which trials came before them.
"""

from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from srhm.scorecard.claims import Measurement
from srhm.scorecard.estimators import Range, Ratio, Stored, as_ratio
from srhm.scorecard.expectations import Above, Below, Within
from srhm.scorecard.jamming_rows import BEYOND
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import Rows, Sheet, rows_in, rows_of
from srhm_studies.landscape.gaps import analysis
from srhm_studies.landscape.gaps.analysis import KINDS, NAMES
from srhm_studies.landscape.power_laws import FEWEST, GAMMA, HIGH, LOW, THETA, fitted_gaps

NORMAL = 1.96  # half a 95 % interval in standard deviations
FEW = f"jammed networks of an activation with fewer than {FEWEST}"


@rows_of("cells", "gaps", nothing="no exponent", what="seeds")
def exponents(cells: pd.DataFrame, gaps: pd.DataFrame, *, side: str) -> pd.DataFrame:
    """theta (side plus) or gamma (minus) of the pooled gaps of each kind, at the largest budget."""
    samples = {kind: analysis.gaps_by_seed(cells, gaps, kind=kind, side=side) for kind in KINDS}
    return fitted_gaps(samples, side=side)


@rows_of("cells", "histories", nothing="no two sizes P", what="pairs of N*")
def stars_in_time(
    cells: pd.DataFrame, histories: pd.DataFrame, *, loss: str = "quadratic_hinge"
) -> pd.DataFrame:
    """N* of each data set in time."""
    return _known(analysis.stars_in_time(cells, histories, loss=loss))


def _known(found: pd.DataFrame) -> pd.DataFrame:
    return left_out(found, {BEYOND: found["status"] != "reached"})


stars = rows_in("cells", what="pairs of N*").then(
    lambda cells: _known(analysis.stars_by_seed(analysis.star_cells(cells)))
)


@rows_of("cells", "hessians", nothing="no jammed network", what="networks")
def scales(cells: pd.DataFrame, hessians: pd.DataFrame) -> pd.DataFrame:
    """Spectra of Hp of jammed networks by activation, as `scales_of_hp`."""
    parts = [
        analysis.scales_of_hp(cells, hessians, activation=name).assign(activation=name)
        for name in ("relu", "tanh")
    ]
    spectra = pd.concat([part for part in parts if len(part)] or parts[:1])
    n = spectra.groupby("activation")["scale"].transform("size")
    return left_out(spectra, {FEW: n < FEWEST})


negative = rows_of("cells", "hessians", "cusps", nothing="no jammed network", what="networks")(
    analysis.negative_modes
)


@rows_of("cells", "cusps", nothing="no converged network", what="networks")
def cusps(cells: pd.DataFrame, table: pd.DataFrame, *, settled: bool) -> pd.DataFrame:
    """N_c/N of jammed networks of each kind; settled: those that have not converged left out."""
    parts = [analysis.cusps_by_network(cells, table, kind=kind).assign(kind=kind) for kind in KINDS]
    networks = pd.concat([part for part in parts if len(part)] or parts[:1])
    reasons = {"without a plateau about 1e-4": ~(networks["plateau"] <= analysis.PLATEAU)}
    return left_out(networks, reasons if settled else {})


class RatioOfSteppedSizes(Ratio):
    """Geometric mean of ratios of N*, its interval wider by the steps of the widths, in squares.

    Widths are integers, so that N* may be anywhere between the two it lies between: data sets that
    share them have this error together, uniform, of standard deviation step/sqrt(12) in log N.
    """

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        ratio = Ratio.of(replace(self, scale="log"), table)
        steps = [np.log(table[f"N_high{end}"] / table[f"N_low{end}"]).mean()
                 for end in ("", "_over")]  # fmt: skip
        grid = NORMAL * float(np.hypot(*steps)) / 12**0.5
        low = ratio.value - float(np.hypot(ratio.value - ratio.low, grid))
        high = ratio.value + float(np.hypot(ratio.high - ratio.value, grid))
        note = f"{ratio.note} and the steps of the widths"
        return as_ratio(replace(ratio, low=low, high=high, note=note))


def ratio_of_n_star(rows: Rows, where: dict[str, Any], over: dict[str, Any]) -> Any:
    """N* of some data sets divided by that of others."""
    return rows.number(
        RatioOfSteppedSizes, "N_star", where=where, over=over, on=("seed", "P", "budget"),
        note_rows="{ratio:.2f}",
    )  # fmt: skip


WINDOW = f"{{gaps}} gaps between {LOW:g} and {HIGH:g}"
RELU = ("relu-2", "relu-3", "relu-5")
LAST = {"time": analysis.TIMES[-1]}
THIRD = {"hidden_layers": 3, "loss": "quadratic_hinge"}
TOPIC = "Jamming: gaps, cusps, N* and spectra"
A_STEP = "0.3: a step of the widths is 15 to 40 % of N"

sheet = Sheet()
gaps = sheet.topic(
    TOPIC, "gaps",
    why="0.1, ours: exponents of spheres, 0.42 and 0.41, are further than that from ReLU's",
)  # fmt: skip
for kind in NAMES:
    for letter, side, points, value in (
        ("θ", "plus", "unsatisfied", THETA[kind]), ("γ", "minus", "satisfied", GAMMA[kind]),
    ):  # fmt: skip
        if isfinite(value):
            gaps(f"gaps-{side}-{kind}",
                 f"{NAMES[kind]}: exponent {letter} of the gaps of {points} points",
                 exponents.given(side=side).number(Stored, where={"kind": kind}, note_rows=WINDOW),
                 Within(value, 0.1),
                 place=f"thesis, ch. 1, Fig. {'9d' if kind == 'digits-3' else '8'}")  # fmt: skip

n_star = sheet.topic(TOPIC, "gaps_n_star", why=A_STEP, expected=Within(1, 0.3),
                     place="thesis, ch. 1, Fig. 5b, c")  # fmt: skip
n_star("gaps-n-star-time",
       "Weights N* needed to fit: after 10,000 evaluations divided by after 1000",
       ratio_of_n_star(stars_in_time, LAST, {"time": analysis.TIMES[0]}),
       Below(1), "an upper bound: with time narrower networks fit",
       place="thesis, ch. 1, Fig. 5a")  # fmt: skip
n_star("gaps-n-star-logistic-late",
       "Cross-entropy, weights N* needed to fit: after 10,000 evaluations divided by after 3000",
       ratio_of_n_star(stars_in_time.given(loss="logistic"), LAST, {"time": analysis.TIMES[1]}),
       place="thesis, ch. 2a, Fig. B1: it converges with time")  # fmt: skip
for name, says, depths, loss in (
    ("depth", "two and five hidden layers divided by three", (2, 5), "quadratic_hinge"),
    ("loss", "soft hinge divided by quadratic hinge", (3,), "soft_hinge"),
    ("logistic", "cross-entropy divided by quadratic hinge", (3,), "logistic"),
):
    n_star(f"gaps-n-star-{name}", f"Weights N* needed to fit: {says}",
           ratio_of_n_star(stars, {"hidden_layers": depths, "loss": loss}, THIRD))  # fmt: skip

spectra = sheet.topic(TOPIC, "gaps_spectra")
for sigma, name, place in (("relu", "ReLU", "Fig. 7a, b"), ("tanh", "tanh", "Fig. 7e")):
    spectra(f"gaps-hp-scale-{sigma}",
            f"{name}: exponent of the loss in the scale of the spectrum of the Hessian term Hp",
            scales.slope("scale", "mean_loss", activation=sigma),
            Within(0.5, 0.1), "0.1, ours: as for exponents of gaps",
            place=f"thesis, ch. 1, {place}")  # fmt: skip
# Written after seeing results.
LARGEST = partial(negative.number, Range, "over", largest=True)
FRACTION = "fraction of negative modes of the Hessian H"
for name, sigma, says, place, expected, why, measure in (
    ("bound", "tanh", "negative modes of Hessian term Hp / unsatisfied points N_Δ, largest",
     "N_Δ ≥ N_−", Below(1), "an upper bound: at a minimum N_Δ modes of H0 outweigh them", LARGEST),
    ("bound", "relu", "(negative modes of Hessian term Hp − cusps N_c) / N_Δ, largest",
     "N_Δ ≥ N_− − N_c",
     Below(1), "an upper bound: at a minimum H0 and cusps outweigh them", LARGEST),
    ("negative", "tanh", FRACTION, "Fig. 7: 11 of 2232",
     Below(0.02), "an upper bound, ours: four times the thesis's", partial(negative.mean, "part")),
    ("negative", "relu", FRACTION, "Fig. 7: 10 %",
     Within(0.1, 0.05), "0.05, ours: half of it", partial(negative.mean, "part")),
    ("hp-negative", "relu", "negative fraction of the nonzero modes of the Hessian term Hp",
     "Fig. 7a: symmetric", Within(0.5, 0.05), "0.05, ours: as in the study jamming",
     partial(negative.mean, "negative_hp", per="seed")),
    ("unsatisfied", "tanh", "jammed: unsatisfied points N_Δ / weights N", "Fig. 6d: a jump",
     Above(0.43), "a lower bound: C_0 of tanh, the least that a smooth minimum has (section II)",
     partial(negative.mean, "unsatisfied", per="seed")),
):  # fmt: skip
    spectra(f"gaps-{name}-{sigma}", f"{'ReLU' if sigma == 'relu' else sigma}: {says}",
            measure(activation=sigma), expected, f"{why}; written after seeing results",
            place=f"thesis, ch. 1, {place}", fixed="after")  # fmt: skip
for name, says, source, expected, why, kinds, column, settled in (
    ("random", "ReLU, random data, jammed networks: cusps N_c divided by weights N",
     ": 0.21, 0.25", Within(0.23, 0.06),
     "0.06, ours: 0.21 (L = 5) and 0.25 (L = 2), and their distance again", RELU, "training", True),
    ("digits", "ReLU, digits, jammed networks: cusps N_c divided by weights N", ": 0.19",
     Within(0.19, 0.06), "0.06, ours: as for random data", ("digits-3",), "training", True),
    ("tanh", "tanh, jammed networks: cusps N_c divided by weights N", "", Below(0.02),
     "an upper bound: a smooth network has no cusps", ("tanh-3",), "training", False),
    ("fresh", "ReLU: fresh points at cusps divided by weights N", "", Below(0.02),
     "an upper bound, ours: a tenth of N_c", RELU, "fresh", False),
):  # fmt: skip
    spectra(f"gaps-cusps-{name}", says,
            cusps.given(settled=settled).mean(column, per="seed", where={"kind": kinds}),
            expected, why, place=f"thesis, ch. 1, Fig. 12{source}")  # fmt: skip

CLAIMS = sheet.finished(
    changed={
        "gaps-plus-* gaps-minus-*":
            "networks of the largest budget, before of the only one; seeds drawn again; "
            "jammed digits at a last rate of 1e-7",
        "gaps-n-star-time gaps-n-star-depth gaps-n-star-loss gaps-n-star-logistic":
            "the interval has the steps of the widths",
        "gaps-cusps-*":
            "networks of the largest budget, seeds averaged; jammed digits at a last rate of "
            "1e-7",
    },
)  # fmt: skip
