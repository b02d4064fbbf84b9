"""Claims on relative stability (chapter 4 of the thesis).

Tolerances were fixed before the grids of quick and laptop were run. One network of each of four
kinds had been seen at P = 1200, with one seed, and one seed of the stripe model and of the SRHM.
Those on images of 28 x 28 are the same, fixed before their first rows; another's trial had given
R_f of 0.25 for one ResNet18 on 4,000 digits of MNIST. What was changed later stands in CLAIMS.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import pi, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from srhm.scorecard.claims import Measurement
from srhm.scorecard.estimators import Estimator, Range, Slope, no_points
from srhm.scorecard.expectations import Above, Below, Factor, Within
from srhm.scorecard.sheet import Rows, Sheet, rows_of
from srhm_studies.smoothness.relative_stability.analysis import (
    N_RESAMPLES,
    at_largest,
    by_network,
    interval,
    log_correlations,
    measured,
    pairs,
)

MIN_NETWORKS = 4
FEW = 1200  # training images: as many as the small digits have
LAZY = 10.0  # alpha_tilde above which training is called lazy


@rows_of("cells", nothing="no fields", what="cut-offs and temperatures")
def fields(cells: pd.DataFrame) -> pd.DataFrame:
    """Drawn fields; largest_xi: the median of their largest Xi divided by Eq. 13."""
    rows = cells[cells["experiment"] == "fields"]
    c, T = rows["cutoff"], rows["temperature"]
    return rows.assign(largest_xi=rows["compression"] / (c / 2 * np.sqrt(pi**3 * T * np.log(c))))


@rows_of("cells", "stability", nothing="no such network", what="networks and seeds")
def networks(
    cells: pd.DataFrame, table: pd.DataFrame, *, largest: bool = False, P: int | None = None,
    lazy: bool | None = None, **options: Any,
) -> pd.DataFrame:  # fmt: skip
    """Stabilities of one part and data, as `measured`; largest: at the largest P alone.

    P: at this one alone. lazy: of models, those above or below LAZY. Added: inverse, 1/R_f.
    """
    rows = measured({"cells": cells, "stability": table}, **options)
    if P is not None:
        rows = rows[rows["P"] == P]
    if lazy is not None:
        rows = rows[(rows["alpha_tilde"] > LAZY) == lazy]
    if largest:
        rows = at_largest(rows)
    R = rows["R"].astype(float)
    return rows.assign(R=R, inverse=1 / R)


@rows_of("cells", "stability", nothing="no network with both", what="networks and seeds")
def changes(
    cells: pd.DataFrame, table: pd.DataFrame, *, column: str, ends: tuple[Any, Any] | None = None,
    inverse: bool = False, quantity: str = "R", **options: Any,
) -> pd.DataFrame:  # fmt: skip
    """Ratio of a quantity of each net and seed at the second value of a column to the first.

    ends: those values; without them the smallest and the largest that there is. inverse: the first
    divided by the second.
    """
    rows = networks.function(cells, table, **options)
    first, second = ends or (rows[column].min(), rows[column].max())
    if rows.empty or first == second:
        return pd.DataFrame()
    logs = pairs(rows, column, (second, first) if inverse else (first, second), quantity=quantity)
    return pd.DataFrame({"ratio": np.exp(logs)}).reset_index()


@rows_of("cells", "stability", nothing="no trained network", what="networks")
def monotonies(cells: pd.DataFrame, table: pd.DataFrame, *, data: str = "digits") -> pd.DataFrame:
    """Spearman's correlation of R of the layers with their depth in each trained network: rho."""
    rows = networks.function(cells, table, part="layers", when="end", kind="deep", data=data)
    rho = {
        net: float(stats.spearmanr(by_depth.index, by_depth).statistic)
        for net, of_net in rows.groupby("net")
        for by_depth in [of_net.groupby("depth")["R"].mean()]
    }
    return pd.DataFrame({"net": rho.keys(), "rho": rho.values()})


@rows_of("cells", "stability", nothing="no network with a test error", what="networks")
def errors(
    cells: pd.DataFrame, table: pd.DataFrame, *, average: str = "median", data: str = "digits"
) -> pd.DataFrame:
    """Test error and stabilities of each network at the largest P."""
    trained = networks.function(cells, table, largest=True, average=average, data=data)
    return by_network(trained).reset_index()


@rows_of("cells", "stability", nothing="no network with scans", what="networks")
def errors_by_displacement(
    cells: pd.DataFrame, table: pd.DataFrame, *, displacement: float
) -> pd.DataFrame:
    """Test error and R of each network at δ = 1, and at another one: R_there."""
    scans = partial(networks.function, cells, table, largest=True, part="displacements")
    here, there = (by_network(scans(displacement=size)) for size in (1.0, displacement))
    return here.join(there["R"].rename("R_there"), how="inner").reset_index()


@rows_of("cells", "stability", nothing="no network on both", what="networks and seeds")
def controls(
    cells: pd.DataFrame, table: pd.DataFrame, *, of: str, over: str, augmented: bool = False
) -> pd.DataFrame:
    """R_f on one kind of images divided by that on another, of trained nets, seeds and P of both.

    augmented: the first of networks that were trained on crops and mirror images.
    """
    first = networks.function(cells, table, data=of, when="end", augmented=augmented)
    second = networks.function(cells, table, data=over, when="end")
    both = first.merge(second, on=["net", "seed", "P", "max_steps"], suffixes=("", "_over"))
    return both.assign(ratio=both["R"] / both["R_over"])


@rows_of("cells", "stability", nothing="no network of two trainings", what="networks and seeds")
def prolonged(cells: pd.DataFrame, table: pd.DataFrame, *, data: str) -> pd.DataFrame:
    """R_f of deep networks after the longest training divided by that after the shortest."""
    of_data = cells[cells["data"] == data]
    steps = of_data["max_steps"]
    asked: dict[str, Any] = {"data": data, "kind": "deep", "when": "end"}
    parts = (
        networks.function(of_data[steps == n], table, **asked) for n in (steps.max(), steps.min())
    )
    long, short = (part[["net", "seed", "P", "R"]] for part in parts)
    if steps.nunique() < 2:
        return short[:0]
    both = long.merge(short, on=["net", "seed", "P"], suffixes=("", "_short"))
    return both.assign(ratio=both["R"] / both["R_short"])


@rows_of("cells", "stability", nothing="no such network", what="networks and seeds")
def starts(cells: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """R_f on the SRHM before training, once for each net and seed."""
    rows = networks.function(cells, table, data="srhm", when="start", lazy=False)
    return rows.drop_duplicates(["net", "seed"])


@rows_of("cells", "stability", nothing="no such network", what="seeds")
def layers_of_models(cells: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """R of the output divided by R of the first layer of the CNN at the largest P on the SRHM."""
    kinds: dict[str, Any] = {"data": "srhm", "kind": "cnn", "when": "end", "lazy": False}
    parts = (networks.function(cells, table, part=part, **kinds) for part in ("layers", "output"))
    logs = pairs(at_largest(pd.concat(parts)), "depth", (0.0, 1.0))
    return pd.DataFrame({"ratio": np.exp(logs)}).reset_index()


@dataclass(frozen=True)
class LogCorrelation(Estimator):
    """Correlation of log test error and log of a column, the interval by a bootstrap over rows.

    less: another column, whose correlation is subtracted.
    """

    column: str = field(kw_only=False)
    less: str = field(default="", kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        if len(table) < MIN_NETWORKS:
            return no_points(f"{len(table)} {self.what} with a test error")
        names = [name for name in (self.column, self.less) if name]
        values, resampled = log_correlations(table, names, generator=np.random.default_rng(0))
        signs = np.array([1, -1])[: len(names)]
        low, high = interval(resampled @ signs)
        note = f"{len(table)} {self.what}; bootstrap over them"
        return Measurement(value=float(values @ signs), low=low, high=high, n=len(table), note=note)


@dataclass(frozen=True)
class MeanCorrelation(Estimator):
    """Mean of correlations, a row each, the interval by a bootstrap over rows.

    It stays within [-1, 1], as that of a mean of numbers with ends does not; Fisher's z has none
    for a correlation of 1.
    """

    column: str = field(kw_only=False)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        values = table[self.column].dropna().to_numpy(dtype=float)
        n = len(values)
        if n < MIN_NETWORKS:
            return no_points(f"{n} {self.what} with a correlation")
        drawn = np.random.default_rng(0).integers(n, size=(N_RESAMPLES, n))
        low, high = interval(values[drawn].mean(axis=1))
        note = f"{n} {self.what}; bootstrap over them"
        return Measurement(value=float(values.mean()), low=low, high=high, n=n, note=note)


@dataclass(frozen=True)
class _SlopeOfErrors(Slope):
    """A slope over networks, of MIN_NETWORKS or more."""

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        enough = len(table) >= MIN_NETWORKS
        return super().of(table) if enough else no_points(f"{len(table)} networks")


def over_networks(rows: Rows, column: str = "ratio", scale: str = "log") -> Any:
    """A mean over networks, of which each counts once, whatever the number of its seeds."""
    return rows.mean(column, scale=scale, per="net")


def growth(**options: Any) -> Any:
    """Slope of log R_f against log P of trained networks."""
    return networks.given(when="end", **options).slope("R", "P", within=("net", "seed"),
                                                       what="points")  # fmt: skip


ABOVE_ONE = "R_f 'remains larger than unity' on all data but CIFAR-10"
HALF = "0.5: 'approximately compatible' with a drawn slope"
FALLING = "an upper bound: it falls 'monotonically', with noise"
QUARTER = "a quarter: R_f 'becomes independent' of it at δ of order one"
BOUND = "an upper bound: the thesis says that it changes in this direction, not by how much"
TWO = "a factor of two: the thesis says 'close to unity', on axes of several decades"
CORRELATED = "the thesis finds 0.97 on CIFAR-10 and 0.74 to 0.94 on other images: 0.25 below"
PIXELS = "predicted: few pixels, not few images, are why R_f grows on the small digits"
UNITY = Factor(1, within=2)
HUNDREDTHS = Factor(sqrt(0.01 * 0.1), within=sqrt(0.1 / 0.01))  # from 0.01 to 0.1
SAME = Factor(1, within=10**0.1)

sheet = Sheet()
drawn = sheet.topic("Deformations", "stability_deformations")
drawn("stability-compression",
      "Random deformations, cut-off c, temperature T: median max Ξ / (c/2 (π³ T ln c)^(1/2))",
      fields.number(Range, "largest_xi"), Within(1, 0.25),
      "a quarter: it 'can be approximated' by it, on log axes",
      place="thesis, ch. 4, Eq. 13, Fig. 8")  # fmt: skip
drawn("stability-bound",
      "Random deformations: fraction with max Ξ ≥ 1 at the bound on the temperature T",
      fields.number(Range, "part_above_one", times_bound=1.0), Within(0.5, 0.25),
      "the bound is where the median is 1; a quarter of the fields",
      place="thesis, ch. 4, Eq. 14")  # fmt: skip


def of_images(
    data: str, before: str, words: str, topics: Sequence[str], figures: Sequence[str], *,
    correlation: float, why: str, why_slope: str, at: str = "", other: str = "Fig. 3, left",
    table: str = "Fig. 20, Table 2", without: Sequence[str] = (),
) -> None:  # fmt: skip
    """Statements on one set of images, at the end of the sheet.

    before, words: what identifiers and statements begin with. topics, figures: of training, depth,
    scans and errors. correlation: that of the thesis on such images. without: places whose
    statements are of CIFAR-10 alone, on the largest set in its place.
    """
    training, depth, scans, erring = (
        sheet.topic(topic, f"stability_{figure}")
        for topic, figure in zip(topics, figures, strict=True)
    )

    def say(topic: Any, name: str, says: str, place: str, *claimed: Any) -> None:
        if place not in without:
            topic(f"stability-{before}{name}", f"{words}: {says}", *claimed,
                  place=f"thesis, ch. 4, {place}")  # fmt: skip

    nets, asked = networks.given(data=data, largest=True), changes.given(data=data)
    trained = asked.given(column="when", ends=("start", "end"), largest=True)
    sizes = asked.given(column="P", when="end")
    depths = asked.given(column="depth", ends=(0.0, 1.0), part="layers", when="start")
    drawing = asked.given(column="interpolation", ends=("bilinear", "gaussian"), when="end",
                          part="displacements", displacement=1.0)  # fmt: skip
    known, known_means = errors.given(data=data), errors.given(data=data, average="mean")
    expected = Within(correlation, 0.25)
    say(training, "start", "relative stability R_f before training, mean of networks", "Fig. 3, 4",
        over_networks(nets.given(when="start"), "R"), UNITY, TWO)  # fmt: skip
    say(training, "fc-grows",
        "fully connected networks, R_f before training divided by R_f after", "Fig. 4",
        over_networks(trained.given(kind="fc", inverse=True), scale="ratio"),
        Below(1), BOUND)  # fmt: skip
    say(training, "lenet-above-one",
        "LeNet, inverse 1/R_f of the relative stability after training", "Fig. 4",
        nets.given(kind="lenet", when="end").mean("inverse", scale="ratio"),
        Below(1), ABOVE_ONE)  # fmt: skip
    say(training, "deep-falls", "deep networks, R_f after training divided by R_f before", "Fig. 3",
        over_networks(trained.given(kind="deep"), scale="ratio"), Below(1), BOUND)  # fmt: skip
    say(training, "deep-level", "deep networks, relative stability R_f after training", "sec. 3",
        over_networks(nets.given(when="end", kind="deep"), "R"), HUNDREDTHS,
        "'in the range [0.01, 0.1]'")  # fmt: skip
    say(training, "size-falls",
        "deep networks, R_f at the largest P divided by R_f at the smallest P", "Fig. 3, 6",
        over_networks(sizes.given(kind="deep"), scale="ratio"), Below(1), BOUND)  # fmt: skip
    say(training, "size-slope", "ResNet18, slope of log R_f (relative stability) against log P",
        "Fig. 3, 13", growth(kind="resnet18", data=data), Within(-1, 0.5), HALF)  # fmt: skip
    say(training, "noise-grows",
        "response to noise G_f at the smallest P divided by G_f at the largest P", "Fig. 6",
        over_networks(sizes.given(quantity="G", inverse=True), scale="ratio"),
        Below(1), BOUND)  # fmt: skip
    say(depth, "depth-start",
        "untrained networks, relative stability R of the output divided by R of the first layer",
        "Fig. 14", over_networks(depths), UNITY, TWO)  # fmt: skip
    say(depth, "depth-monotone",
        "trained deep networks, rank correlation of a layer's relative stability with its depth",
        "Fig. 14", monotonies.given(data=data).number(MeanCorrelation, "rho"),
        Below(-0.8), FALLING)  # fmt: skip
    say(scans, "interpolation", f"{at}R_f with Gaussian divided by R_f with bilinear interpolation",
        other, over_networks(drawing), SAME, QUARTER)  # fmt: skip
    if data == "digits":
        for name, delta in (("small", 0.125), ("large", 1.3)):
            say(scans, f"correlation-{name}",
                f"correlation of log test error and log R_f at δ = {delta:g} minus that at δ = 1",
                "Fig. 21", errors_by_displacement.given(displacement=delta).number(
                    LogCorrelation, "R_there", less="R"),
                Within(0, 0.25), "0.25, as of the correlation: 'results are robust'")  # fmt: skip
    say(erring, "correlation", "correlation of log test error and log R_f across networks", table,
        known.number(LogCorrelation, "R"), expected, why)  # fmt: skip
    say(erring, "correlation-mean",
        "correlation of log test error and log R_f, with means of images", "Fig. 17",
        known_means.number(LogCorrelation, "R"), expected, why)  # fmt: skip
    say(erring, "error-slope", "slope of log test error against log R_f across networks", "Fig. 5",
        known.number(_SlopeOfErrors, "test_error", against="R"), Within(0.5, 0.25),
        why_slope)  # fmt: skip


BY_DEPTH = "Depth, noise and displacement"
of_images("digits", "", "8 × 8 digits", ("Training", BY_DEPTH, BY_DEPTH, "Test error"),
          ("training", "depth", "scans", "errors"), correlation=0.97, why=CORRELATED,
          why_slope="0.25, half of it: a line through 15 points on axes of two decades",
          at="trained networks, δ = 1, ", other="Fig. 3", table="Fig. 5")  # fmt: skip

model = sheet.topic("Models of invariance", "stability_models")
model("stability-stripe-slope",
      "Stripe model, α̃ = 0.1: slope of log R_f against log P (R_f: relative stability)",
      growth(data="stripe", kind="fcn", lazy=False), Within(-1, 0.25),
      "a quarter, as of P of less than two decades", place="thesis, ch. 4, Fig. 7")  # fmt: skip
model("stability-srhm-start", "SRHM: relative stability R_f before training",
      starts.mean("R", scale="log", per="seed"), UNITY, TWO,
      place="thesis, ch. 4, not there")  # fmt: skip
model("stability-srhm-slope",
      "SRHM, CNN, α̃ = 0.1: slope of log R_f against log P (R_f: relative stability)",
      growth(data="srhm", kind="cnn", lazy=False), Within(-1, 0.5), "as of ResNet18 on images",
      place="thesis, ch. 4, not there")  # fmt: skip
model("stability-srhm-depth",
      "SRHM, CNN: relative stability R of the output divided by R of the first layer",
      layers_of_models.mean("ratio", scale="ratio"), Below(1), BOUND,
      place="thesis, ch. 4, Fig. 14")  # fmt: skip

for data, words, correlation, without in (
    ("mnist5k", "MNIST", 0.75, ("Fig. 3, left", "Fig. 5", "Fig. 14", "Fig. 17")),
    ("fashion", "Fashion-MNIST", 0.94, ()),
):
    of_images(data, f"{data}-", words, (f"{words}, 28 × 28",) * 4,
              (data, data, f"{data}_scans", data), correlation=correlation,
              why="0.25, as of the small digits",
              why_slope="0.25, half of it, as of the small digits", without=without)  # fmt: skip
of_clothes = sheet.topic("Fashion-MNIST, 28 × 28", "stability_fashion")
of_clothes("stability-fashion-augmentation",
           "Fashion-MNIST: R_f with crops and mirror images in training divided by R_f without",
           controls.given(of="fashion", over="fashion", augmented=True).mean(
               "ratio", scale="log", what="seeds"),
           UNITY, "a factor of two: augmentation changes it little, on a log axis",
           place="thesis, ch. 4, Fig. 12")  # fmt: skip
of_clothes("stability-fashion-longer",
           "Fashion-MNIST, deep networks: R_f after 3000 steps divided by R_f after 300 steps",
           over_networks(prolonged.given(data="fashion"), scale="ratio"), Below(1),
           "predicted: short training is why R_f stayed near one",
           place="thesis, ch. 4, not there")  # fmt: skip
small = sheet.topic("Why R_f grows on the small digits", "stability_pixels", why=PIXELS,
                    place="thesis, ch. 4, not there")  # fmt: skip
before_after = changes.given(column="when", ends=("start", "end"))
small("stability-coarse-rises",
      "MNIST reduced to 8 × 8 pixels and back: R_f after training divided by R_f before",
      over_networks(before_after.given(data="mnist5k_coarse", largest=True), scale="ratio"),
      Above(1))  # fmt: skip
small("stability-coarse-over-sharp",
      "Trained networks: R_f on MNIST reduced to 8 × 8 pixels and back divided by R_f on MNIST",
      over_networks(controls.given(of="mnist5k_coarse", over="mnist5k"), scale="ratio"),
      Above(2), f"{PIXELS}; a factor of two, as above")  # fmt: skip
small("stability-few-fall",
      f"MNIST, P = {FEW}, deep networks: R_f after training divided by R_f before",
      over_networks(before_after.given(P=FEW, data="mnist5k", kind="deep"), scale="ratio"),
      Below(1))  # fmt: skip

# What was changed after seeing results.
LONGER = "3000 steps in place of 300, nine networks in place of seven"
CLUSTERS = "seeds of a network are one cluster"
CLAIMS = sheet.finished(
    committed={
        "stability-srhm-start stability-srhm-slope": "2026-11-22, 5b7ce3f5",
        "stability-coarse-* stability-few-fall": "2026-11-25, 520ddbe8",
        "stability-fashion-longer": "2026-11-27, 4084aec9",
    },
    changed={
        "stability-correlation-small stability-correlation-large": "written then",
        "stability-depth-monotone":
            "an upper bound, before -1 ± 0.2; an interval within [-1, 1], before one beyond 1",
        "stability-fashion-[!l]* stability-fashion-lenet-above-one": LONGER,
        "stability-*fc-grows stability-*deep-falls stability-*size-falls stability-*noise-grows"
        " stability-coarse-* stability-few-fall": CLUSTERS,
        "stability-fashion-longer": "written when some of the rows were there, not looked at",
        "stability-fashion-depth-monotone": "an interval within [-1, 1]",
        "stability-srhm-start": "the interval over grammars, which two nets share",
    },
)  # fmt: skip
