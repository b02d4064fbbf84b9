"""Estimators: from rows to a measurement with its 95 % interval, each a frozen set of parameters.

All of them choose rows by `where`, leave out those that say so (`srhm.scorecard.rows`) and count
these in the note. What they share:

    rows     function from tables to rows
    where    values that columns must have
    what     what a point is, in the plural, for the note
    note     words in front of the note
    note_rows     format of a row that is listed in the note, like "{P}: {N_star:.3g}"; equal ones
                  once
    note_columns  columns whose values stand at the end of the note, like the widths of the
                  networks; of a column that is true or false, how many are true

Of means, ratios and slopes: `error` says where the interval comes from: the scatter of the points
(Student t), or clusters of points of one grammar (`srhm.scorecard.rows.grammars`). `note_by`
names columns: the note has the number of each group of rows that agree in these. What follows is of
clusters alone:

    read        how many P* of a curve a value has: each has an error that its grammars share
    at_largest  the number at the largest v, of a line in ln v, in place of the mean over v
    one_v       whether a study has one v, of which alone it says something

Of fewer grammars, or values of v, than FEWEST a number decides nothing. Where a mean, or an
exponent that each grammar has, depends on v significantly (TREND), the interval includes that of
the mean over v: so it decides only what both decide.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, isfinite, nan
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from srhm.model.seeding import generator
from srhm.scorecard.claims import MIN_POINTS, NOT_MEASURED, Measurement, Tables
from srhm.scorecard.rows import (
    LEFT_OUT,
    Conditions,
    RowFunction,
    chosen,
    counted,
    grammars,
    groups_of,
)
from srhm.scorecard.siblings import FewValues
from srhm.statistics.jackknife import jackknife_error
from srhm.statistics.rank_correlation import rank_correlation
from srhm.statistics.regression import (
    CONFIDENCE,
    NO_FIT,
    Fit,
    censored_fit,
    coefficient,
    mean,
    of_error,
    shared_variance,
    slope_with_group_intercepts,
    with_shared,
)


def fraction_of(count: int, n: int, note: str, *, independent: int | None = None) -> Measurement:
    """A fraction of n things with the exact interval of a binomial (Clopper and Pearson).

    independent: how many of the n things are; the interval is then that of an equal fraction of
    these.
    """
    trials = n if independent is None else independent
    hits = count * trials / n
    tail = (1 - CONFIDENCE) / 2
    low = float(special.betaincinv(hits, trials - hits + 1, tail)) if count else 0.0
    high = float(special.betaincinv(hits + 1, trials - hits, 1 - tail)) if count < n else 1.0
    return Measurement(value=count / n, low=low, high=high, n=n, note=note)


def no_points(note: str) -> Measurement:
    """A number that nothing gives, and why."""
    return Measurement(value=nan, low=nan, high=nan, n=0, note=note)


def as_ratio(measured: Measurement) -> Measurement:
    """The mean of a logarithm as the geometric mean, with the interval of the logarithm."""
    value, low, high = (exp(number) for number in (measured.value, measured.low, measured.high))
    return replace(measured, value=value, low=low, high=high)


def listed_as_left_out(counts: Mapping[str, int]) -> str:
    """Reasons with their counts as the end of a note, empty if nothing is left out."""
    parts = [f"{count} {reason}" for reason, count in counts.items() if count]
    return f"; left out: {', '.join(parts)}" if parts else ""


# What a mean is taken of: the values; their logarithms; those, and shown as a geometric mean.
Scale = Literal["plain", "log", "ratio"]
# Which of both coordinates of a slope are logarithms.
Logs = Literal["both", "x", "y", "none"]
# Where the interval of a fit comes from.
ErrorFrom = Literal["scatter", "clusters"]
# Grammars, and different v, with which a number decides.
FEWEST = {"mean": (5, 2), "slope": (6, 3)}
# Level of the test of a dependence on v.
TREND = 0.01
# Names of columns in notes.
COLUMN_WORDS = {"alpha_tilde": "α̃", "capped": "networks stopped at the step limit:",
                "n_from": "fitted from P or rank", "n_to": "to", "n_grammars": "grammars:",
                "places": "s_0+1", "size": "M or m", "status": "end of the flow:"}  # fmt: skip
# Of values that are known by a bound alone more do not decide.
MOST_CENSORED = 0.3


@dataclass(frozen=True, kw_only=True)
class Estimator(ABC):
    """A measurement of rows; the module says what the parameters are."""

    rows: RowFunction
    where: Conditions = field(default_factory=dict)
    what: str = "rows"
    note: str = ""
    note_rows: str = ""
    note_columns: Sequence[str] = ()

    def __call__(self, tables: Tables) -> Measurement:
        """The measurement; without a table NOT_MEASURED, without rows their function's words."""
        if self.rows.is_missing(tables):
            return NOT_MEASURED
        rows = self.rows(tables)
        points = rows if rows.empty else self.points(rows)
        if points.empty:
            return no_points(self.rows.nothing)
        used, n_left_out = counted(points)
        end = listed_as_left_out(n_left_out)
        if used.empty:
            return no_points(f"{self.rows.nothing}{end}")
        measured = self.of(used)
        start = f"{self.note}; " if self.note else ""
        listed = ""
        if self.note_rows:
            lines = dict.fromkeys(self.note_rows.format_map(row) for row in used.to_dict("records"))
            listed = f" ({', '.join(lines)})"
        return replace(measured, note=f"{start}{measured.note}{listed}{end}{self._columns(used)}")

    def points(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows that are chosen."""
        return chosen(table, self.where)

    @abstractmethod
    def of(self, table: pd.DataFrame) -> Measurement:
        """The measurement of rows of which there is at least one."""

    def _columns(self, table: pd.DataFrame) -> str:
        """What `note_columns` adds to the note."""
        parts = []
        for name in self.note_columns:
            if table[name].dtype == bool:
                n = int(table[name].sum())
                parts.append(f"; {n} {name}" if n else "")
                continue
            values = sorted(set(table[name]))
            words = (f"{value:g}" if isinstance(value, float) else str(value) for value in values)
            parts.append(f"; {COLUMN_WORDS.get(name, name)} {', '.join(words)}")
        return "".join(parts)


@dataclass(frozen=True, kw_only=True)
class Fitted(Estimator):
    """What means, ratios and slopes share: where their interval comes from, and groups alone."""

    error: ErrorFrom = "scatter"
    note_by: Sequence[str] = ()
    read: int = 0
    at_largest: bool = False
    one_v: bool = False

    # What FEWEST asks of the number.
    kind = "mean"

    @abstractmethod
    def fit(self, table: pd.DataFrame) -> Fit:
        """The fit of some rows."""

    def trend(self, table: pd.DataFrame) -> Fit:
        """How much the number changes per ln v."""
        return NO_FIT

    def entering(self, tables: Tables) -> pd.DataFrame:
        """Rows that determine the number."""
        rows = self.rows(tables)
        points = counted(self.points(rows))[0] if len(rows) else rows
        return self._used(points) if len(points) else points

    def _used(self, table: pd.DataFrame) -> pd.DataFrame:
        return table

    def _measured(self, fit: Fit, table: pd.DataFrame) -> Measurement:
        degrees = f"{fit.dof:.0f} degree{'s' * (round(fit.dof) != 1)} of freedom"
        used = self._used(table)
        units = "grammars" if "seed" in used else "values of v"
        source = f"{fit.n_clusters} {units}" if fit.n_clusters else f"the {fit.error_from}"
        origin = f"error from {source} ({degrees})"
        if fit.error_from == "nothing":
            origin = "no estimate of the error"
        lines = f" on {fit.n_groups} lines" if fit.n_groups > 1 else ""
        note = f"{fit.n} {self.what}{lines}; {origin}{self._by_group(table)}"
        low, high = (end if isfinite(end) else nan for end in (fit.low, fit.high))
        measured = Measurement(value=fit.slope, low=low, high=high, n=fit.n, note=note)
        if self.error != "clusters":
            return measured
        least, of_v = FEWEST[self.kind]
        n, n_v = fit.n_clusters, used["v"].nunique() if "v" in used else of_v
        if "seed" not in used:  # means over seeds, of which each v is a cluster
            measured = replace(measured, decides=n >= MIN_POINTS)
        elif n < least or (n_v < of_v and not self.one_v):
            few = f"too few to decide: {n} grammars with {n_v} v, needed are {least} with {of_v}"
            measured = replace(measured, decides=False, note=f"{note}; {few}")
        return self._with_trend(measured, used)

    def _with_trend(self, measured: Measurement, used: pd.DataFrame) -> Measurement:
        """The measurement, whose interval holds that over v where there is a trend."""
        least, of_v = FEWEST["slope"]
        if self.at_largest or "v" not in used or used["v"].nunique() < of_v:
            return measured
        trend = self.trend(used)
        if trend.n_clusters < least or not trend.differs_from_zero(TREND):
            return measured
        each = {float(v): self.fit(used[used["v"] == v]).slope for v in used["v"].unique()}
        known = {v: number for v, number in each.items() if np.isfinite(number)}
        over = mean(np.array(list(known.values())))
        ends = [f"{self._back(known[v]):.2f} at v = {v:g}" for v in (min(known), max(known))]
        note = (
            f"{measured.note}; trend of {trend.slope:.2f} [{trend.low:.2f}, {trend.high:.2f}]"
            f" per ln v ({', '.join(ends)}): the interval includes that of the mean over v,"
            f" {self._shown(over)}"
        )
        low, high = min(measured.low, over.low), max(measured.high, over.high)
        return replace(measured, low=low, high=high, note=note)

    def _errors(self, table: pd.DataFrame) -> dict[str, Any]:
        """Arguments of a fit on its errors."""
        if self.error == "scatter":
            return {}
        curves = groups_of(table, ["curve"]) if "curve" in table else np.arange(len(table))
        return {"clusters": grammars(table), "curves": curves, "read": self.read**0.5}

    def _by_group(self, table: pd.DataFrame) -> str:
        """The number of each group that has one, with the values that its rows share."""
        if not self.note_by:
            return ""
        parts = []
        for values, group in table.groupby(list(self.note_by), dropna=False):
            fit = self.fit(group)
            if fit.n:
                names = zip(self.note_by, values, strict=True)
                words = (f"{name} = {value}" for name, value in names if str(value) != "nan")
                parts.append(f"{self._shown(fit)} ({', '.join([*words, f'n = {fit.n}'])})")
        return f"; separately: {', '.join(parts)}" if len(parts) > 1 else ""

    def _shown(self, fit: Fit) -> str:
        """The number, with its interval where enough points have one."""
        value, *ends = map(self._back, (fit.slope, fit.low, fit.high))
        known = f" [{ends[0]:.2f}, {ends[1]:.2f}]" if fit.n >= MIN_POINTS else ""
        return f"{value:.2f}{known}"

    def _back(self, value: float) -> float:
        """A number of the fit as the note shows it."""
        return value


def _log_v(table: pd.DataFrame) -> Any:
    """Logarithm of v, shape (n_rows,)."""
    return np.log(table["v"].to_numpy(dtype=float))


@dataclass(frozen=True)
class Mean(Fitted):
    """Mean of a column.

    per: points that agree in these columns are averaged first, as they are not independent. open:
    column, named by what it is true of, of rows with which the interval is unknown: "lower bounds".
    """

    column: str = field(kw_only=False)
    scale: Scale = field(default="plain", kw_only=True)
    per: Sequence[str] = field(default=(), kw_only=True)
    open: str = field(default="", kw_only=True)
    # What is made of the column, of which the mean is taken in its place.
    taken = ""

    def fit(self, table: pd.DataFrame) -> Fit:
        used = self._used(table)
        if self.per:
            return mean(self._independent(used).to_numpy())
        if used.empty:
            return NO_FIT
        columns = np.ones((len(used), 1))
        if self.at_largest:
            columns = np.stack([columns[:, 0], _log_v(used) - _log_v(used).max()], axis=1)
        return self._coefficient(used, columns)

    def trend(self, table: pd.DataFrame) -> Fit:
        return self._coefficient(table, np.stack([_log_v(table), np.ones(len(table))], axis=1))

    def _coefficient(self, used: pd.DataFrame, columns: Any) -> Fit:
        values = self._values(used).to_numpy(dtype=np.float64)
        return coefficient(columns, values, **self._errors(used))

    def _used(self, table: pd.DataFrame) -> pd.DataFrame:
        return table[np.isfinite(self._values(table).to_numpy())]

    def _independent(self, table: pd.DataFrame) -> pd.Series:
        """The values, or the means of those that are not independent."""
        values = self._values(table)
        return values.groupby([table[name] for name in self.per]).mean() if self.per else values

    def _values(self, table: pd.DataFrame) -> pd.Series:
        values = table[self.taken or self.column].astype(float)
        if self.scale == "plain":
            return values
        with np.errstate(divide="ignore"):
            return pd.Series(np.log(values.to_numpy()), index=values.index)

    def of(self, table: pd.DataFrame) -> Measurement:
        fit = self.fit(table)
        if not fit.n:
            return no_points(f"nothing to average of {self.what}")
        what = f"means of {len(table)} {self.what}" if self.per else self.what
        measured = replace(self, what=what)._measured(fit, table)
        if self.scale != "plain" and not self.note_rows:
            values = table[self.taken or self.column].astype(float)
            ends = f"from {values.min():.2f} to {values.max():.2f}"
            measured = replace(measured, note=f"{self._shown(fit)}, {ends}; {measured.note}")
        if self.open and table[self.open].any():
            note = f"{measured.note}; no interval: {int(table[self.open].sum())} {self.open}"
            measured = replace(measured, low=nan, high=nan, note=note)
        if self.error == "scatter":  # siblings take the same mean of the same kind of rows
            family = (type(self), self.rows.kind, self.column, self.scale, *self.per)
            independent = tuple(self._independent(table))
            few = FewValues(family, independent, geometric=self.scale == "ratio")
            measured = replace(measured, few_values=few)
        return as_ratio(measured) if self.scale == "ratio" else measured

    def _back(self, value: float) -> float:
        return value if self.scale == "plain" else float(np.exp(value))


@dataclass(frozen=True)
class CensoredMean(Mean):
    """Mean of a column of which some values are bounds: `censored_fit`, jackknife over grammars.

    side: column, 0 of a known value, 1 where it lies above its bound, -1 below. Of more bounds than
    MOST_CENSORED it decides nothing.
    """

    side: str = field(default="side", kw_only=True)
    error: ErrorFrom = field(default="clusters", kw_only=True)

    def _coefficient(self, used: pd.DataFrame, columns: Any) -> Fit:
        side = used[self.side].to_numpy(dtype=np.int64)
        fit = super()._coefficient(used, columns)
        if not side.any():
            return fit
        values, names = self._values(used).to_numpy(dtype=np.float64), grammars(used)
        value = float(censored_fit(columns, values, side)[0])
        kept = [names != grammar for grammar in np.unique(names)]
        left = np.array([censored_fit(columns[k], values[k], side[k])[0] for k in kept])
        errors, weights = self._errors(used), np.linalg.pinv(columns)[0]
        shared = shared_variance(weights, errors["curves"], errors["read"])
        return of_error(fit, value, *with_shared(jackknife_error(left), len(left) - 1.0, shared))

    def of(self, table: pd.DataFrame) -> Measurement:
        measured, bounds = super().of(table), float((table[self.side] != 0).mean())
        if not bounds:
            return measured
        note = f"{measured.note}; {bounds:.0%} of the values are bounds"
        note += f": more than {MOST_CENSORED:.0%} decide nothing" * (bounds > MOST_CENSORED)
        return replace(measured, note=note, decides=measured.decides and bounds <= MOST_CENSORED)


@dataclass(frozen=True)
class Ratio(Mean):
    """Geometric mean of a column of some rows divided by that of others which agree in `on`.

    over: what the others must have instead of, or besides, `where`.
    """

    over: Conditions = field(kw_only=True)
    on: Sequence[str] = field(kw_only=True)
    scale: Scale = field(default="ratio", kw_only=True)
    taken = "ratio"

    def points(self, table: pd.DataFrame) -> pd.DataFrame:
        """See `pairs_of`."""
        upper, lower = (chosen(table, {**self.where, **more}) for more in ({}, self.over))
        return pairs_of(upper, lower, on=self.on, column=self.column)


@dataclass(frozen=True)
class Difference(Ratio):
    """Mean of a column of some rows minus that of others which agree in `on`; `over`: as there."""

    scale: Scale = field(default="plain", kw_only=True)
    taken = "difference"


@dataclass(frozen=True)
class Slope(Fitted):
    """Least-squares slope of a column against another, an intercept for each group of `within`.

    Where a logarithm is taken, values that are not positive are left out and counted. per: the mean
    of the slopes of rows that agree in these columns, as rows of a data set are not independent;
    its interval is that of their scatter. Of one data set alone it is that about its lines.
    """

    column: str = field(kw_only=False)
    against: str = field(kw_only=False)
    read: int = field(default=1, kw_only=True)
    logs: Logs = field(default="both", kw_only=True)
    within: Sequence[str] = field(default=(), kw_only=True)
    per: Sequence[str] = field(default=(), kw_only=True)

    @property
    def kind(self) -> str:  # type: ignore[override]
        """Of lines at one v each a mean of their slopes."""
        return "mean" if "v" in self.within else "slope"

    def fit(self, table: pd.DataFrame) -> Fit:
        used = table[self._positive(table)]
        if used.empty:
            return NO_FIT
        if not self.per:
            return self._line(used)
        parts = used.groupby(list(self.per))
        fits = [fit for _, group in parts if (fit := self._line(group)).n]
        return fits[0] if len(fits) == 1 else mean(np.array([fit.slope for fit in fits]))

    def trend(self, table: pd.DataFrame) -> Fit:
        return self._line(table, of_v=True) if self.kind == "mean" else NO_FIT

    def _used(self, table: pd.DataFrame) -> pd.DataFrame:
        used = table[self._positive(table)]
        groups = pd.Series(groups_of(used, self.within), index=used.index)
        return used[used[self.against].groupby(groups).transform("nunique") > 1]

    def _line(self, used: pd.DataFrame, *, of_v: bool = False) -> Fit:
        x, y = (
            np.log(values) if is_log else values
            for name, is_log in self._coordinates
            for values in [used[name].to_numpy(dtype=float)]
        )
        if of_v:
            x = np.stack([x * _log_v(used), x], axis=1)
        elif self.at_largest:
            x = np.stack([x, x * (_log_v(used) - _log_v(used).max())], axis=1)
        return slope_with_group_intercepts(x, y, groups_of(used, self.within), **self._errors(used))

    def of(self, table: pd.DataFrame) -> Measurement:
        positive = self._positive(table)
        end = listed_as_left_out({f"{self.what} with no positive value": int((~positive).sum())})
        fit, against = self.fit(table), COLUMN_WORDS.get(self.against, self.against)
        if not fit.n:
            return no_points(f"no two {self.what} that differ in {against}{end}")
        what = self.what if fit.n_groups else f"slopes of {int(positive.sum())} {self.what}"
        measured = replace(self, what=what)._measured(fit, table)
        return replace(measured, note=f"{measured.note}{end}")

    @property
    def _coordinates(self) -> list[tuple[str, bool]]:
        """Both columns, and whether their logarithm is taken."""
        return [
            (self.against, self.logs in ("both", "x")),
            (self.column, self.logs in ("both", "y")),
        ]

    def _positive(self, table: pd.DataFrame) -> pd.Series:
        positive = pd.Series(True, index=table.index)
        for name, is_log in self._coordinates:
            positive &= (table[name] > 0) | (not is_log)
        return positive


@dataclass(frozen=True)
class Fraction(Estimator):
    """Fraction of the rows in which a column is true, with the exact interval of a binomial.

    shared: rows of one grammar are not independent; the interval is that of as many rows as there
    are grammars, as if rows of one were all alike.
    """

    column: str = field(kw_only=False)
    shared: bool = field(default=False, kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        count, n = int(table[self.column].astype(bool).sum()), len(table)
        note = f"{count} of {n} {self.what}"
        if not self.shared:
            return fraction_of(count, n, note)
        k = len(set(grammars(table)))
        return fraction_of(count, n, f"{note}; error from {k} grammars", independent=k)


@dataclass(frozen=True)
class Range(Estimator):
    """Mean, or the largest, of numbers that nothing random enters: the interval is their range.

    What holds, holds in each of them.
    """

    column: str = field(kw_only=False)
    largest: bool = field(default=False, kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        values = table[self.column].to_numpy(dtype=float)
        low, high, n = float(values.min()), float(values.max()), len(values)
        value = high if self.largest else float(values.mean())
        note = f"{n} {self.what}; the interval is their range"
        return Measurement(value=value, low=low, high=high, n=n, note=note)


@dataclass(frozen=True)
class Correlation(Estimator):
    """Spearman's rank correlation of two columns, the interval by a bootstrap over groups.

    groups: columns in which points of one group agree; without them each point is its own.
    """

    column: str = field(kw_only=False)
    against: str = field(kw_only=False)
    groups: Sequence[str] = field(default=(), kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        x, y = (table[name].to_numpy(dtype=float) for name in (self.against, self.column))
        member = groups_of(table, self.groups) if self.groups else None
        rank = rank_correlation(x, y, member, generator=generator(0, role="drawing"))
        note = f"{rank.n} {self.what}; as strong by chance with probability {rank.p_value:.2g}"
        return Measurement(value=rank.value, low=rank.low, high=rank.high, n=rank.n, note=note)


@dataclass(frozen=True)
class Stored(Estimator):
    """A number that a table holds with its interval: of the one row that is chosen."""

    value: str = field(default="value", kw_only=True)
    low: str = field(default="low", kw_only=True)
    high: str = field(default="high", kw_only=True)
    n: str = field(default="n", kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        row = table.iloc[0]
        value, low, high = (float(row[name]) for name in (self.value, self.low, self.high))
        n = int(row[self.n])
        return Measurement(value=value, low=low, high=high, n=n, note=f"{n} {self.what}")


def pairs_of(
    upper: pd.DataFrame, lower: pd.DataFrame, *, on: Sequence[str], column: str, unpaired: str = ""
) -> pd.DataFrame:
    """Rows of two kinds that agree in the columns `on`, a row a pair; empty without any.

    Columns of the second end in "_over". Added: ratio and difference of the column. A pair one of
    whose rows does not count is left out for the reason of that row. unpaired: reason of rows
    of the first kind that have no partner; without it they are dropped.
    """
    if upper.empty or lower.empty:
        return pd.DataFrame()
    how: Literal["left", "inner"] = "left" if unpaired else "inner"
    both = upper.merge(lower, on=list(on), suffixes=("", "_over"), how=how)
    if LEFT_OUT in both:
        first, second = both[LEFT_OUT], both[f"{LEFT_OUT}_over"].fillna(unpaired)
        both = both.assign(**{LEFT_OUT: first.where(first != "", second)})
    first, second = both[column], both[f"{column}_over"]
    return both.assign(ratio=first / second, difference=first - second)


@dataclass(frozen=True)
class Jackknife(Estimator):
    """A statistic of all rows, its interval by leaving out one seed after another (Student t).

    over: column of what is left out. Unknown where the statistic fails for one. scale: of a ratio
    the interval is that of its logarithm. words: what the note says of the rows besides.
    """

    statistic: Callable[[pd.DataFrame], float] = field(kw_only=False)
    over: str = field(default="seed", kw_only=True)
    scale: Scale = field(default="plain", kw_only=True)
    words: Callable[[pd.DataFrame], str] = field(default=lambda rows: "", kw_only=True)

    def of(self, table: pd.DataFrame) -> Measurement:
        value, kept = self._taken(table), sorted(set(table[self.over]))
        if not np.isfinite(value):
            return no_points("not enough points")
        n, half = len(kept), nan
        if n > 1:
            left = np.array([self._taken(table[table[self.over] != seed]) for seed in kept])
            half = float(special.stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * jackknife_error(left)
        note = f"{n} {self.over}s, jackknife over them{self.words(table)}"
        measured = Measurement(value=value, low=value - half, high=value + half, n=n, note=note)
        return as_ratio(measured) if self.scale == "ratio" else measured

    def _taken(self, table: pd.DataFrame) -> float:
        value = self.statistic(table)
        return value if self.scale == "plain" else float(np.log(value))
