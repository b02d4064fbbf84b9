"""What claims, figures and page share: published values, their practice, widths, placements."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite, log, nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import special

from srhm.figures.selection import (
    at_threshold,
    of_usual_widths,
    on_the_papers_grammars,
    text_protocol,
    trained_as,
)
from srhm.figures.words import several
from srhm.model.grammar import GRAMMAR, NET_AND_DATA, GrammarParameters, Sparsity, placement_offsets
from srhm.scorecard.complexity_rows import main_curves, with_rates
from srhm.statistics.regression import CONFIDENCE, Fit, mean
from srhm.store.tables import SAMPLE_COMPLEXITY
from srhm.training.configuration import published_rate

# The sample complexities that the paper shows (reference/); reading: how the number was
# obtained.
PUBLISHED_VALUES = pa.schema(
    [
        ("figure", pa.string()),
        ("panel", pa.string()),
        *(SAMPLE_COMPLEXITY.field(name) for name in ("net", *GRAMMAR, "P_star")),
        ("reading", pa.string()),
    ]
)


def published_values(*, reference: Sequence[str]) -> pd.DataFrame:
    """A row (SCHEMA) for each point of Figures 4, 10 and 13; reference: the file that has them."""
    (file,) = reference
    table = pd.read_csv(file, dtype={"figure": str, "panel": str}, keep_default_na=False)
    table = table.rename(columns={"sample_complexity": "P_star"})
    return table.assign(P_star=table["P_star"].astype(float))[PUBLISHED_VALUES.names]


# The paper's own P* beside ours, learnt and read as the published figures were.
#
# Their practice: balanced batches with the table of learning rates, the best test error of a
# training, and as P* the point of the grid of P whose error is nearest to 10 %, one seed. What one
# such reading of another grammar would give is predicted from the spread of our seeds, each of
# which draws a grammar, and from the steps of the authors' grid of P.

CRITERION, THRESHOLD = "best_test_error", 0.10
# Largest step of the authors' grid of P (reference/README.md): a reading is uniform within a step.
STEP = 1.9
GRID_SD = log(STEP) / 12**0.5
# Of the mean ratio: half of the largest step.
TOLERANCE = 1.4
OF_A_LAW = ["net", "L", "s"]
PRACTICE_COLUMNS = (*OF_A_LAW, "v", "s0", "width", "n_seeds", "ours", "published", "log_ratio",
           "low", "high", "inside")  # fmt: skip


def practice_points(
    sample_complexity: pd.DataFrame, cells: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """A row (COLUMNS) for each point of the paper on whose grammar we have a curve of the practice.

    ours: geometric mean over the seeds of the P nearest to the threshold. log_ratio: logarithm of
    published over ours. low, high: the 95 % prediction interval of one reading (Student t, from
    the seeds' standard deviation of log P* and GRID_SD in squares), NaN where that is unknown, and
    inside: whether the published point lies in it. Curves whose P* is censored are left out.
    """
    nothing = pd.DataFrame(columns=list(PRACTICE_COLUMNS))
    if sample_complexity.empty or published.empty:
        return nothing
    # The practice has rates of the paper's nets alone.
    known_nets = sample_complexity["net"].isin(published["net"])
    curves = practice_curves(sample_complexity[known_nets], cells)
    if curves.empty:
        return nothing
    readings = nearest_sizes(cells[cells["curve"].isin(curves["curve"])]).groupby("curve")
    read = readings["log_size"].agg(log_ours="mean", n_read="size").reset_index()
    known = published[["net", *GRAMMAR, "P_star"]].rename(columns={"P_star": "published"})
    both = curves.merge(read, how="left", on="curve").merge(known, on=["net", *GRAMMAR])
    variance = both["log_sd"] ** 2 * (1 + 1 / both["n_read"]) + GRID_SD**2
    dof = both["dof"].to_numpy(dtype=float)
    quantile = special.stdtrit(np.where(dof > 0, dof, nan), (1 + CONFIDENCE) / 2)
    half = quantile * np.sqrt(variance)
    log_ours, log_ratio = both["log_ours"], np.log(both["published"]) - both["log_ours"]
    both = both.assign(n_seeds=both["n_read"], ours=np.exp(log_ours), log_ratio=log_ratio,
                       low=np.exp(log_ours - half), high=np.exp(log_ours + half),
                       inside=log_ratio.abs() <= half)  # fmt: skip
    return both.sort_values([*OF_A_LAW, "s0", "v"])[list(PRACTICE_COLUMNS)].reset_index(drop=True)


def nearest_sizes(cells: pd.DataFrame) -> pd.DataFrame:
    """log P of the cell whose best test error is nearest to the threshold, by curve and seed.

    The smaller P of two that are equally near. Columns: curve, seed, log_size.
    """
    known = cells[cells[CRITERION].notna()].sort_values("P", kind="stable")
    distance = (known[CRITERION] - THRESHOLD).abs()
    nearest = known.loc[distance.groupby([known["curve"], known["seed"]]).idxmin()]
    return nearest[["curve", "seed"]].assign(log_size=np.log(nearest["P"].astype(float)))


def practice_curves(table: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Curves of the practice of the paper's kind: reached, of the usual width of net, L and s."""
    if table.empty or cells.empty:
        return pd.DataFrame()
    curves = at_threshold(table, THRESHOLD, criterion=CRITERION)
    curves = curves[trained_as(curves, batch="balanced", corrected=False)]
    curves = on_the_papers_grammars(curves[curves["status"] == "reached"])
    if curves.empty:
        return curves
    rates = cells.drop_duplicates("curve").set_index("curve")["learning_rate"]
    kinds: Any = curves[list(NET_AND_DATA)].to_dict("records")
    by_table = [published_rate(kind) for kind in kinds]
    curves = curves[np.isclose(curves["curve"].map(rates).astype(float), by_table)]
    return of_usual_widths(curves, "s")


# P* of equal curves at several widths H: whether networks narrower than the paper's will do.

LEAST = 3  # widths that a curve must have


@dataclass(frozen=True)
class WidthCheck:
    """P* by width, and what a width does on average.

    rows: those of `sample_complexity`, one for each curve and width. over: by width, the mean of
    log(P* at this width / P* at the reference) over the curves that reach both.
    """

    rows: pd.DataFrame
    reference: int
    over: dict[int, Fit]


def width_check(
    runs: Sequence[tuple[pd.DataFrame, pd.DataFrame]], *, reference: int, threshold: float
) -> WidthCheck | None:
    """Compares the widths of LCN and CNN by the text's protocol; None without such a curve.

    runs: tables of sample complexities and of cells, which tell the learning rates; what several
    runs have is taken from the first. A curve, of one grammar and rate, enters if it has LEAST
    widths or more, one of them the reference.
    """
    parts = []
    for number, (complexities, cells) in enumerate(runs):
        if complexities.empty:
            continue
        table = with_rates(at_threshold(complexities, threshold), cells)
        table = table[table["net"].isin(("lcn", "cnn"))].assign(run=number)
        # text_protocol is of one width and leaves one engine for each curve.
        parts += [text_protocol(table, width=int(width)) for width in set(table["width"])]
    parts = [part for part in parts if len(part)]
    if not parts:
        return None
    curve = [*NET_AND_DATA, "rate"]
    rows = pd.concat(parts, ignore_index=True).sort_values("run")
    rows = rows.drop_duplicates([*curve, "width"])
    by_curve = rows.groupby(curve, dropna=False)["width"]
    enough = by_curve.transform("nunique") >= LEAST
    known = by_curve.transform(lambda widths: (widths == reference).any()).astype(bool)
    rows = rows[enough & known].sort_values([*curve, "width"])
    if rows.empty:
        return None
    reached = rows[rows["status"] == "reached"]
    reached = reached.assign(log=np.log(reached["P_star"].to_numpy(dtype=float)),
                             curve=reached.groupby(curve, dropna=False).ngroup())  # fmt: skip
    logs = reached.pivot(index="curve", columns="width", values="log")
    over = {}
    for width in logs.columns.drop([reference]) if reference in logs else ():
        ratios = (logs[width] - logs[reference]).dropna().to_numpy(dtype=float)
        if len(ratios):
            over[int(width)] = mean(ratios)
    return WidthCheck(rows=rows, reference=reference, over=over)


def in_words(check: WidthCheck) -> str:
    """The ratios as a sentence: H = 64: 0.97 [0.93, 1.01] (8 curves); ..."""
    parts = []
    for width, fit in check.over.items():
        known = isfinite(fit.standard_error)
        ends = f" [{exp(fit.low):.2f}, {exp(fit.high):.2f}]" if known else ""
        parts.append(f"H = {width}: {exp(fit.slope):.2f}{ends} ({several(fit.n, 'curve')})")
    return "; ".join(parts) or "no curve reaches it at two widths"


# How much rarer equal placements are with sparsity B than with A, a counting without parameters.
#
# Section 6: data of one latent are grouped together by their correlation with the class, which
# needs data that agree in what a weight sees. At level 1 that is where the tuple of a rule lies;
# above it is where the one child lies of which the tuple is drawn. With A a place of a patch has
# one child, with B any, so that the data of several children mix there. Only the ratio of both is
# taken: for A alone it would give (s_0+1)^(s+L-1), where Eq. 3 has (s_0+1)^L.


def equal_children(parameters: GrammarParameters) -> float:
    """Probability that two data have one child of a rule at the same place, mean over children."""
    children = placement_offsets(parameters).T
    parts = [np.bincount(places) / places.size for places in children]
    return float(np.mean([part @ part for part in parts]))


def placements_ratio(*, depth: int, branching: int, n_empty: int) -> float:
    """Data that sparsity B needs over those that A needs, by the places alone.

    The tuple's at level 1 times the child's at each of the L-1 levels above. At s = L = 2 that is
    1.93, 2.27, 2.56 for s_0 = 1, 2, 4.
    """

    def needed(sparsity: Sparsity) -> float:
        # What v, m and n_c are has no part in it.
        parameters = GrammarParameters(
            depth=depth, branching=branching, n_features=2, n_synonyms=1, n_classes=2,
            n_empty=n_empty, sparsity=sparsity,
        )  # fmt: skip
        # Two data have all features of one rule at the same places in one of n_placements cases.
        return parameters.n_placements / equal_children(parameters) ** (depth - 1)

    return needed("B") / needed("A")


# Exponents that claims and figures show. A figure that asked the claims for them would be drawn
# again after the edit of any.
STARS: Any = {"note_columns": "width", "error": "clusters"}


def of_features(net: str, depth: int) -> Any:
    """Exponent of v = n_c = m at s = 2, an intercept for each s_0 and learning rate."""
    return main_curves.slope("P_star", "v", within=("s0", "rate"), net=net, L=depth, s=2,
                             note_by="s0", **STARS)  # fmt: skip


def of_the_law(nets: Sequence[str], branching: int) -> Any:
    """Slope of log P* against the logarithm of Eq. 3 (LCN) or Eq. 4 (CNN), all L.

    An intercept for each net and learning rate, on which P* depends.
    """
    return main_curves.slope("P_star", "prediction", within=("net", "rate"), net=tuple(nets),
                             s=branching, note_by=("net",) if len(nets) > 1 else (),
                             **STARS)  # fmt: skip
