"""Claims on the sample complexity P* as a function of the grammar (section 4, appendices D, E)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import exp
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.claims import Claim, Measurement
from srhm.scorecard.curves import NO_CURVES, curves
from srhm.scorecard.estimators import Estimator, Mean, Slope, pairs_of
from srhm.scorecard.expectations import Below, NoExpectation, Within
from srhm.scorecard.fits import no_points
from srhm.scorecard.noise import SHARED_GRAMMAR, vocabularies
from srhm.scorecard.rows import RowFunction, chosen, counted, rows_of
from srhm.statistics.regression import CONFIDENCE, MIN_CLUSTERS, mean
from srhm.studies.sparse_hierarchy.claims.paper_points import Beside

every_grammar = curves.given(every_grammar=True)


@rows_of(curves, nothing=NO_CURVES)
def nets_beside(rows: pd.DataFrame) -> pd.DataFrame:
    """Curves of the LCN over those of the CNN, of equal grammars and learning rates."""
    halves = [chosen(rows, {"net": net}) for net in ("lcn", "cnn")]
    return pairs_of(*halves, on=[*GRAMMAR, "rate"], column="P_star")


@rows_of(curves, nothing=NO_CURVES)
def at_one_rate(rows: pd.DataFrame) -> pd.DataFrame:
    """Curves at the learning rate that most of their net, s and L have, the higher of two alike."""
    if rows.empty:
        return rows
    kind = ["net", "s", "L"]
    usual = rows.groupby([*kind, "rate"], dropna=False).size().rename("n").reset_index()
    usual = usual.sort_values(["n", "rate"]).drop_duplicates(kind, keep="last")
    return rows.merge(usual[[*kind, "rate"]], on=[*kind, "rate"])


@rows_of(curves, nothing=NO_CURVES)
def connected_beside(rows: pd.DataFrame) -> pd.DataFrame:
    """Curves of the FCN over those of the LCN, of equal grammars; each at the rate of its net."""
    halves = [chosen(rows, {"net": net}) for net in ("fcn", "lcn")]
    return pairs_of(*halves, on=GRAMMAR, column="P_star")


@rows_of(curves, every_grammar, curves.given(every_rate=True), nothing=NO_CURVES)
def branchings(
    rows: pd.DataFrame,
    others: pd.DataFrame,
    every_rate: pd.DataFrame,
    *,
    maximal: bool,
    equal_rates: bool = False,
) -> pd.DataFrame:
    """Curves of the LCN of equal v, n_c and L in which s varies, with C_0 and s^(L/2).

    C_0 = P*/((s_0+1)^L n_c m^L). maximal: those with m = v^(s-1), where Eq. 3 is stated; else those
    of equal m. `group`: curves with one intercept, of all L, since C_0 depends on both.
    equal_rates: those of one learning rate have one intercept, since P* depends on it.
    """
    wanted = (every_rate if equal_rates else rows) if maximal else others
    rows = chosen(counted(wanted)[0], {"net": "lcn"})
    by = ["v", "n_c"] if maximal else ["v", "n_c", "m"]
    by += ["rate"] if equal_rates else []
    # At one L: s^(L/2) is 2.8 at (2, 3) and 3 at (3, 2), which says nothing of a slope.
    own = rows[rows.groupby([*by, "L"], dropna=False)["s"].transform("nunique") > 1]
    root = own["s"] ** (own["L"] / 2)
    # Eq. 3's prediction holds the factor s^(L/2), which is what is measured.
    group = own.groupby(by, sort=False, dropna=False).ngroup()
    return own.assign(root=root, C_0=own["constant"] * root, group=group)


@rows_of(curves, "published_values", nothing="no point of the paper among our curves")
def over_the_papers(rows: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """Our reached curves, of a tenth of the data and above, too, over the authors' points."""
    both = rows[rows["status"] == "reached"].drop(columns="left_out")
    both = both.merge(points[["net", *GRAMMAR, "P_star"]], on=["net", *GRAMMAR],
                      suffixes=("", "_paper"))  # fmt: skip
    return both.assign(ratio=both["P_star"] / both["P_star_paper"])


@dataclass(frozen=True)
class Spread(Estimator):
    """Standard deviation of the logarithm of a column.

    Its interval is that of a jackknife of its logarithm over vocabularies (Student t), with fewer
    than MIN_CLUSTERS of these that of a normal sample (chi square). It contains the spread of the
    seeds, which the note gives beside the geometric mean.
    """

    column: str = field(kw_only=False)

    def of(self, table: pd.DataFrame) -> Measurement:
        """See the class."""
        logs, n = np.log(table[self.column].to_numpy(dtype=float)), len(table)
        if n < 2:
            return no_points(f"no two {self.what}")
        vocabulary = vocabularies(table)
        spread, tail = float(np.std(logs, ddof=1)), (1 - CONFIDENCE) / 2
        rest = [logs[vocabulary != one] for one in np.unique(vocabulary)]
        left = [float(np.std(one, ddof=1)) for one in rest if len(one) > 1]
        if len(left) >= MIN_CLUSTERS and min(left) > 0:
            ends = _jackknifed(spread, left, tail)
            origin = f"jackknife over {len(left)} vocabularies"
        else:
            # Quantiles of chi squared.
            sums = (2 * special.gammaincinv((n - 1) / 2, q) for q in (1 - tail, tail))
            ends = [spread * float(np.sqrt((n - 1) / one)) for one in sums]
            origin = "interval of a normal sample"
        centre = mean(logs, [], clusters=vocabulary)
        middle = " ".join((f"{exp(centre.slope):.2f}",
                           f"[{exp(centre.low):.2f}, {exp(centre.high):.2f}]"))  # fmt: skip
        seeds = float(np.sqrt(np.mean(table["log_se"].to_numpy(dtype=float) ** 2)))
        note = (
            f"geometric mean {middle} of {n} {self.what}; seeds alone would give {seeds:.2f};"
            f" {origin}"
        )
        return Measurement(value=spread, low=ends[0], high=ends[1], n=n, note=note)


def _jackknifed(spread: float, left: Sequence[float], tail: float) -> list[float]:
    """Interval of a spread from those without one vocabulary each."""
    n, logs = len(left), np.log(left)
    error = float(np.sqrt((n - 1) / n * np.square(logs - logs.mean()).sum()))
    half = float(special.stdtrit(n - 1, 1 - tail)) * error
    return [spread * exp(-half), spread * exp(half)]


CURVES: Any = {"rows": curves, "what": "curves", "tells": ("width",), "error": "clusters"}
SPREAD: Any = {name: CURVES[name] for name in ("what", "tells")}
LAWS = {"lcn": "P*_LCN ~ C_0 (s_0+1)^L n_c m^L", "cnn": "P*_CNN ~ C_1 (s_0+1)^2 n_c m^L"}
PLACES = {"lcn": "Eq. 3, section 4", "cnn": "Eq. 4, section 4"}
FIGURES = {"lcn": "4 B", "cnn": "4 C"}
WIDER = {"lcn": "10, left", "cnn": "13"}
NETS_AND_DEPTHS = [(net, depth) for net in ("lcn", "cnn") for depth in (2, 3)]
# Tolerances were fixed before anything was measured, but where `why` says so; what is reported was
# decided after a first look (README).
law = partial(Claim, topic="Sample complexity: Eq. 3 (LCN) and Eq. 4 (CNN)", figure="4 B, C")
over_paper = partial(Claim, topic="Sample complexity: ours over the authors' points")


def of_places(net: str, depth: int, branching: int) -> Slope:
    """Exponent of s_0+1, an intercept for each grammar and learning rate, on which P* depends."""
    return Slope(
        "P_star", against="places", within=(*SHARED_GRAMMAR, "rate"), **CURVES,
        where={"net": net, "L": depth, "s": branching}, alone=("v", "rate"),
    )  # fmt: skip


def of_features(net: str, depth: int) -> Slope:
    """Exponent of v = n_c = m at s = 2, an intercept for each s_0 and learning rate."""
    return Slope(
        "P_star", against="v", within=("s0", "rate"), **CURVES,
        where={"net": net, "L": depth, "s": 2}, alone=("s0",),
    )  # fmt: skip


def of_constant(rows: RowFunction) -> Slope:
    """Slope of log C_0 against log s^(L/2)."""
    return Slope(
        "C_0", against="root", within=("group",), **CURVES | {"rows": rows},
        each="{C_0:.3g} (s = {s}, L = {L}, v = {v}, rate {rate:g})",
        note="the paper's Figure 10 has 3.5 (s = 2, L = 2), 3.9 (2, 3), 7.7 (3, 2), 11.4 (3, 3)",
    )  # fmt: skip


def of_the_law(nets: Sequence[str], branching: int) -> Slope:
    """Slope of log P* against the logarithm of Eq. 3 (LCN) or Eq. 4 (CNN), all L.

    An intercept for each net and learning rate, on which P* depends.
    """
    return Slope(
        "P_star", against="prediction", within=("net", "rate"), **CURVES,
        where={"net": tuple(nets), "s": branching}, alone=("net",) if len(nets) > 1 else (),
    )  # fmt: skip


SLOPE_REASON = (
    "fixed with the plan of the reproduction; at L = 2 and n_c = m = v, where the prediction grows"
    " as v^3, it is 0.45 in the exponent of v, less than half of a whole one"
)
COMPLEXITY_CLAIMS: tuple[Claim, ...] = (
    *(law(
        f"s0-exponent-{net}-L{depth}", f"{LAWS[net]}: exponent of (s_0+1), s = 2, L = {depth}",
        figure=FIGURES[net], place=PLACES[net],
        expected=Within(depth if net == "lcn" else 2, 0.35),
        fixed="after",
        why="below 0.5, so that no value is within the tolerance of two whole exponents (2 and 3 at"
            " L = 3); over the factor 3 in s_0+1 that is measured it is a factor 1.5 in P*, the"
            " step of the published grid of P; after a look: s = 2 alone, as in the figure, and"
            " the interval by vocabularies",
        measure=Beside(of_places(net, depth, 2), thresholds=True),
    ) for net, depth in NETS_AND_DEPTHS),
    *(law(
        f"s0-exponent-{net}-L2-s3",
        f"{LAWS[net]}: exponent of (s_0+1), s = 3, L = 2 (2)",
        figure=WIDER[net], place=f"appendix {'D' if net == 'lcn' else 'E'}; {PLACES[net]}",
        expected=NoExpectation(),
        fixed="after",
        why="no expectation: these curves are those of the law's slope at s = 3",
        measure=Beside(of_places(net, 2, 3), thresholds=True),
    ) for net in ("lcn", "cnn")),
    *(law(
        f"v-exponent-{net}-L{depth}",
        f"{LAWS[net]}: exponent of v = n_c = m at s = 2, L = {depth}",
        figure=FIGURES[net], place=PLACES[net],
        expected=Within(depth + 1, 0.35),
        fixed="after",
        why="as of the exponents of (s_0+1), below 0.5, so that no value is within the tolerance of"
            " two whole exponents; written after a look at the exponents of m and n_c, whose place"
            " it takes",
        measure=Beside(of_features(net, depth)),
    ) for net, depth in NETS_AND_DEPTHS),
    *(law(
        f"{column.replace('_', '')}-exponent-{net}-L2",
        f"{LAWS[net]}: exponent of {column} at fixed v, L = 2 ({2 if column == 'm' else 1})",
        figure=FIGURES[net], place=PLACES[net],
        expected=NoExpectation(),
        fixed="after",
        why="no expectation: the paper keeps m = v^(s-1), and n_c = v, so that Eq. 3 and 4 are"
            " judged there, by the exponents of v; at a smaller m a grammar uses a part of its"
            " tuples",
        measure=Slope(
            "P_star", against=column, within=[name for name in GRAMMAR if name != column],
            **CURVES | {"rows": every_grammar}, where={"net": net, "L": 2},
            alone=("s", "s0", "v", "n_c" if column == "m" else "m"),
        ),
    ) for column in ("m", "n_c") for net in ("lcn", "cnn")),
    law(
        "slope-against-prediction",
        "s = 2: P* follows Eq. 3 (LCN), Eq. 4 (CNN): slope of log P* on log prediction",
        place="Eq. 3 and 4, section 4",
        expected=Within(1, 0.15), why=SLOPE_REASON,
        measure=Beside(of_the_law(("lcn", "cnn"), 2), bounds=True),
    ),
    *(law(
        f"cnn-constant-C1-s{s}-L{depth}",
        f"C_1 is a constant: standard deviation of log C_1, s = {s}, L = {depth}, one rate",
        figure="4 C" if s == 2 else "13", place="Eq. 4, section 4",
        expected=Below(0.35),
        fixed="after",
        why="a factor 1.4 in P*: the published grid of P has steps of 1.3-1.9 and grammars differ"
            " by tens of percent, while a wrong exponent of s_0+1 by one (Eq. 3 instead of 4 at"
            " L = 3) alone gives 0.55 over s_0 = 0, 1, 2; after a look: by s and L, at the rate of"
            " most curves, and an upper bound, as a spread is not negative (0 ± 0.35)",
        measure=Beside(Spread("constant", where={"net": "cnn", "s": s, "L": depth},
                              **{**SPREAD, "rows": at_one_rate})),
    ) for s, depth in ((2, 2), (2, 3), (3, 2))),
    law(
        "lcn-constant-C0",
        "C_0(s, L) ~ s^(L/2): slope of log C_0 on log s^(L/2), m = v^(s-1), equal rates",
        figure="10", place="section 4; appendix D",
        expected=Within(1, 0.45),
        fixed="after",
        why="below 0.5, so that neither a C_0 without s (0) nor C_0 ~ s^L (2) nor anything halfway"
            " can hold; after a look: at equal rates alone, since P* depends on the rate",
        measure=Beside(of_constant(branchings.given(maximal=True, equal_rates=True))),
    ),
    law(
        "lcn-constant-C0-unequal-rates",
        "the same slope over all rates: s = 3 at 0.003 beside s = 2 at 0.01 (1)",
        figure="10", place="section 4; appendix D",
        expected=NoExpectation(),
        fixed="after",
        why="no expectation: P* is larger at a lower rate, so that the slope is of s and the rate",
        measure=of_constant(branchings.given(maximal=True)),
    ),
    law(
        "lcn-constant-C0-equal-m", "the same slope at equal m for all s",
        figure="10", place="caption of Figure 10",
        expected=NoExpectation(),
        fixed="after",
        why="no expectation: the caption of Figure 10 has m = 4 for all, but Eq. 3 is stated at"
            " m = v^(s-1); at m = 4 a grammar with s = 3 uses a quarter of its tuples",
        measure=Slope("C_0", against="root", within=("group",),
                      **CURVES | {"rows": branchings.given(maximal=False)}),
    ),
    law(
        "dense-baseline",
        "without sparsity (s_0 = 0) P* ~ n_c m^L: slope of log P* on log(n_c m^L) (1)",
        place="section 2; section 6; appendix C",
        expected=NoExpectation(),
        fixed="after",
        why="no expectation: these curves are among those of the exponents of v and of the law's"
            " slopes",
        # At s_0 = 0 the prediction is n_c m^L but for a factor of s and L.
        measure=Beside(Slope(
            "P_star", against="prediction", within=("net", "s", "L", "rate"), **CURVES,
            where={"net": ("lcn", "cnn"), "s0": 0},
        )),
    ),
    *(law(
        f"lcn-over-cnn-L{depth}",
        "Weight sharing lowers the exponent: P*_LCN / P*_CNN ~ (s_0+1)^(L-2),"
        f" L = {depth}",
        place="Eq. 3 and 4, section 4",
        expected=Within(depth - 2, 0.35),
        fixed="after",
        why="as of the exponents of (s_0+1), below 0.5, so that no value is within the tolerance of"
            " L = 2 and of L = 3; judged after a look: before, it was reported as the difference of"
            " two exponents, but pairs of equal grammars and rates know it better than either",
        measure=Beside(Slope(
            "ratio", against="places", within=(*SHARED_GRAMMAR, "rate"), alone=("s",),
            **CURVES | {"rows": nets_beside, "what": "pairs of curves"}, where={"L": depth},
        )),
    ) for depth in (2, 3)),
    *(law(
        f"architecture-{upper}-over-{lower}",
        "Without sparsity (s_0 = 0) the architecture matters mildly:"
        f" P*_{upper.upper()} / P*_{lower.upper()}",
        place="section 4",
        expected=NoExpectation(),
        fixed="after",
        why="no expectation: 'mildly' has no number" + more,
        measure=Mean("ratio", scale="ratio", where={"s0": 0}, alone=("s", "L"),
                     **CURVES | {"rows": rows, "what": "pairs of curves"}),
    ) for upper, lower, rows, more in (
        ("lcn", "cnn", nets_beside, ""),
        ("fcn", "lcn", connected_beside, "; each net at its own rate, and the FCN's P* depends on"
         " how its sums are normalised"),
    )),
    *(law(
        f"slope-against-prediction-{net}-s3",
        f"{net.upper()}, s = 3: P* follows {PLACES[net].split(',')[0]}: slope of log P* on log"
        " prediction",
        figure=WIDER[net], place=f"appendix {'D' if net == 'lcn' else 'E'}; {PLACES[net]}",
        expected=Within(1, 0.15),
        why="as for s = 2, a factor 1.4 of P* a decade; at L = 2, n_c = v and m = v^2, where the"
            " prediction grows as v^5, it is 0.75 in the exponent of v, less than the n_c in it",
        measure=Beside(of_the_law((net,), 3), bounds=True),
    ) for net in ("lcn", "cnn")),
)  # fmt: skip

# How ours compare with the paper's own numbers; not for published runs, which are ours.
PUBLISHED_POINTS_CLAIMS: tuple[Claim, ...] = tuple(
    over_paper(
        f"over-published-{net}-s{s}-L{''.join(map(str, depths))}",
        f"{net.upper()}, s = {s}, L = {' and '.join(map(str, depths))}:"
        " P* over the published P*",
        figure=(FIGURES if s == 2 else WIDER)[net],
        place=f"Figure {(FIGURES if s == 2 else WIDER)[net]}",
        expected=NoExpectation("factor"),
        fixed="after",
        why="no expectation: the paper's points are of its practice (balanced batches, a table of"
            " rates), by which claims of their own judge those of s = 2; P* depends on rate over"
            " batch size",
        measure=Mean("ratio", scale="log", **CURVES | {"rows": over_the_papers},
                     where={"net": net, "s": s, "L": depths}),
    )
    for net, s, depths in [
        *((net, 2, (depth,)) for net, depth in NETS_AND_DEPTHS),
        *((net, 3, (2, 3)) for net in ("lcn", "cnn")),
    ]
)  # fmt: skip
