"""Which learning curves enter a claim, and how a fit of them becomes a measurement."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from srhm.results.coordinates import GRAMMAR
from srhm.scorecard.claims import NOT_MEASURED, Measurement, Tables, once
from srhm.scorecard.fits import listed_as_left_out, no_points, with_note
from srhm.statistics.regression import (
    NO_FIT,
    Fit,
    PairedSeeds,
    SeedNoise,
    slope_with_group_intercepts,
)
from srhm.statistics.sample_complexity import seed_complexities

THRESHOLD = 0.10  # test error that defines P*, section 4
# Curves that agree in these share the grammar of each seed.
SHARED_GRAMMAR = [name for name in GRAMMAR if name != "s0"]
OPTIONS = ("whitening", "bias", "batch", "alpha", "width", "engine")


def main_curves(
    tables: Tables,
    *,
    threshold: float = THRESHOLD,
    sparsity: str = "A",
    every_grammar: bool = False,
) -> pd.DataFrame:
    """Sample complexities of the test error at one sparsity and with the main options, all nets.

    Of the paper's grammars alone, n_c = v and m = v^(s-1), which it keeps throughout (section 4),
    unless `every_grammar`.

    The main options are what most of these curves have: batch, whitening, biases and alpha over the
    table; width and engine for each net, L and s (ties: those of the paper's text, the wider net).
    So a check with a wider net or with another option does not enter the fits. Empty when the table
    is missing. `log_sd_source` is added: curves with the same one share their standard deviation.
    """

    def computed() -> pd.DataFrame:
        table = tables.get("sample_complexity", pd.DataFrame())
        if not every_grammar and len(table):
            table = table[of_the_paper(table)]
        return _main_curves(table, threshold, sparsity)

    return once(tables, ("main curves", threshold, sparsity, every_grammar), computed)


def of_the_paper(table: pd.DataFrame) -> Any:
    """Mask of the rows with n_c = v classes and m = v^(s-1) synonyms, the largest number."""
    return (table["n_c"] == table["v"]) & (table["m"] == table["v"] ** (table["s"] - 1))


def _main_curves(table: pd.DataFrame, threshold: float, sparsity: str) -> pd.DataFrame:
    if table.empty:
        return pd.DataFrame()
    table = table[(table["criterion"] == "test_error") & (table["sparsity"] == sparsity)]
    table = table[np.isclose(table["threshold"].to_numpy(dtype=float), threshold)]
    options = {"whitening": True, "bias": True, "batch": False, "alpha": True}
    table = table.merge(_most_common(table, by=[], ascending=options))
    widths = {"width": False, "engine": True}
    table = table.merge(_most_common(table, by=["net", "L", "s"], ascending=widths))
    shared = table["net"].astype(str) + ", L = " + table["L"].astype(str)
    return table.assign(log_sd_source=shared.where(table["log_sd_pooled"], table["curve"]))


def _most_common(
    table: pd.DataFrame, *, by: list[str], ascending: Mapping[str, bool]
) -> pd.DataFrame:
    """For each value of `by` the combination of the options' columns that most curves have."""
    columns = [*by, *ascending]
    counts = table.groupby(columns, dropna=False, sort=False)["curve"].nunique().reset_index()
    counts = counts.sort_values(
        ["curve", *ascending], ascending=[False, *ascending.values()], kind="stable"
    )
    counts = counts[columns]
    return counts.drop_duplicates(by) if by else counts.head(1)


def with_rates(tables: Tables, curves: pd.DataFrame) -> pd.DataFrame:
    """The curves with their learning rate, `rate`, from the table of cells; NaN where unknown.

    A rate that they have is kept.
    """
    cells = tables.get("cells", pd.DataFrame())
    if curves.empty or "rate" in curves:
        return curves
    known = (
        {}
        if "learning_rate" not in cells
        else dict(zip(cells["curve"], cells["learning_rate"], strict=True))
    )
    return curves.assign(rate=curves["curve"].map(known).astype(float))


def where(curves: pd.DataFrame, conditions: Mapping[str, object]) -> pd.DataFrame:
    """Rows in which each named column has the value, or one of the values if it is a tuple."""
    for column, wanted in conditions.items():
        if curves.empty:
            break
        values = wanted if isinstance(wanted, tuple) else (wanted,)
        curves = curves[curves[column].isin(values)]
    return curves


def usable(curves: pd.DataFrame) -> pd.DataFrame:
    """Uncensored rows, P* not above a tenth of the distinct data."""
    if curves.empty:
        return curves
    return curves[(curves["status"] == "reached") & ~curves["small_pool"].astype(bool)]


def pairs(
    first: pd.DataFrame, second: pd.DataFrame, *, on: Sequence[str], suffixes: tuple[str, str]
) -> pd.DataFrame:
    """Usable curves of two kinds that agree in the columns `on`, a row a pair; empty without any.

    `log_ratio` is added: log P* of the first minus that of the second.
    """
    halves = [usable(first), usable(second)]
    if any(half.empty for half in halves):
        return pd.DataFrame()
    both = halves[0].merge(halves[1], on=list(on), suffixes=suffixes)
    one, other = (log_of(both, f"P_star{suffix}") for suffix in suffixes)
    return both.assign(log_ratio=one - other)


def left_out(curves: pd.DataFrame) -> str:
    """The rows that no fit uses, counted by reason, as the end of a note."""
    reached = curves["status"] == "reached"
    counts = {
        "not reached": int((curves["status"] == "not_reached").sum()),
        "below the measured range": int((curves["status"] == "below_range").sum()),
        "small pool": int((reached & curves["small_pool"].astype(bool)).sum()),
    }
    return listed_as_left_out(counts)


def noise_of(curves: pd.DataFrame, suffix: str = "") -> SeedNoise:
    """The curves' errors from their seeds."""
    return SeedNoise(
        standard_error=curves[f"log_se{suffix}"].to_numpy(dtype=float),
        dof=curves[f"dof{suffix}"].to_numpy(dtype=float),
        source=curves[f"log_sd_source{suffix}"].to_numpy(dtype=object),
    )


def paired_seeds(
    tables: Tables, curves: pd.DataFrame, suffixes: tuple[str, str] | None = None
) -> PairedSeeds:
    """log P* of each seed of the curves, whose grammars those of one family share.

    Of the test error at THRESHOLD, from the table of cells. suffixes: of two curves in a row, the
    first over the second; each seed has one grammar for both.
    """
    names = [f"curve{suffix}" for suffix in suffixes or ("",)]
    cells = tables.get("cells", pd.DataFrame())
    wanted = {name for column in names for name in curves[column]}
    if len(cells):
        cells = cells[cells["curve"].isin(wanted)]
    found = seed_complexities(cells, threshold=THRESHOLD)
    first, *second = (found.reindex(curves[name]).to_numpy(dtype=float) for name in names)
    return PairedSeeds(
        values=first - second[0] if second else first, family=codes(curves, SHARED_GRAMMAR)
    )


def codes(curves: pd.DataFrame, by: Sequence[str]) -> Any:
    """A number for each row, the same for rows that agree in the columns `by`."""
    return curves.groupby(list(by), sort=False, dropna=False).ngroup().to_numpy()


def log_of(curves: pd.DataFrame, column: str) -> Any:
    """Logarithm of a column, shape (n_curves,)."""
    return np.log(curves[column].to_numpy(dtype=float))


def fit_of(
    curves: pd.DataFrame,
    regressor: Any,
    *,
    by: Sequence[str],
    response: Any = None,
    paired: PairedSeeds | None = None,
) -> Fit:
    """Slope of log P* (or another response) on the regressor, an intercept for each `by`."""
    if curves.empty:
        return NO_FIT
    y = log_of(curves, "P_star") if response is None else response
    noise = [noise_of(curves)]
    return slope_with_group_intercepts(regressor, y, codes(curves, by), noise, paired=paired)


def slope_against(
    curves: pd.DataFrame, column: str, *, by: Sequence[str], note: str = ""
) -> Measurement:
    """Slope of log P* against the logarithm of a column, an intercept for each `by`."""
    chosen = usable(curves)
    if chosen.empty:
        return measurement(NO_FIT, curves)
    return measurement(fit_of(chosen, log_of(chosen, column), by=by), curves, note)


def measurement(fit: Fit, curves: pd.DataFrame, note: str = "") -> Measurement:
    """A fit as a measurement; `curves` are all that were asked for, used or not."""
    if curves.empty:
        return NOT_MEASURED
    if fit.n == 0:
        return no_points(f"no two usable curves that differ in this only{left_out(curves)}")
    return with_note(fit, note, f"{left_out(curves)}{widths(curves)}")


def widths(curves: pd.DataFrame) -> str:
    """The widths of the networks as the end of a note."""
    found = sorted({int(width) for width in curves["width"]})
    return f"; width {', '.join(map(str, found))}"
