"""Claims as lines of a sheet, and rows as chains: what a study says of its tables, in few words.

cells = rows_in("cells", what="networks")
sheet = Sheet()
say = sheet.topic("Errors", "errors", place="Fig. 3")
say("error", "test error of deep networks", cells.mean("error", L=3), Below(0.1), "a tenth")
CLAIMS = sheet.finished()
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from functools import partialmethod
from types import MappingProxyType
from typing import Any

import pandas as pd

from srhm.scorecard.claims import Claim, Tables
from srhm.scorecard.estimators import (
    CensoredMean,
    Correlation,
    Difference,
    Estimator,
    Fraction,
    Mean,
    Ratio,
    Slope,
)
from srhm.scorecard.expectations import Expectation
from srhm.scorecard.rows import RowFunction, Source, definition

Make = Callable[..., Any]
# Parameters that are several columns; of one alone its name is enough.
NONE: Mapping[str, str] = MappingProxyType({})
COLUMNS = {"note_columns", "per", "within", "note_by", "on", "groups"}


@dataclass(frozen=True)
class Rows(RowFunction):
    """Rows of tables, and the numbers of them that claims are about.

    what: they are, in the plural. Words beside the parameters of an estimator are values that
    columns have: `rows.mean("error", L=3, per="seed")`.
    """

    what: str = "rows"

    def then(self, make: Make, *more: Source, nothing: str = "", what: str = "") -> "Rows":
        """What a function makes of these rows and of further tables; of none it makes none."""
        return self._then(make, definition(make), *more, nothing=nothing, what=what)

    def keep(self, mask: Make, **words: str) -> "Rows":
        """Those for which a mask is true."""
        return self._then(lambda table: table[mask(table)], definition(mask), **words)

    def let(self, **columns: Any) -> "Rows":
        """With further columns, each a value or a function of the rows."""
        return self._then(lambda table: table.assign(**columns), tuple(columns))

    def _then(
        self, make: Make, named: Hashable, *more: Source, nothing: str = "", what: str = ""
    ) -> "Rows":
        def made(table: pd.DataFrame, *others: pd.DataFrame) -> pd.DataFrame:
            return make(table, *others) if len(table) else table

        return Rows(
            made,
            (self, *more),
            nothing or self.nothing,
            made=(self.kind, named),
            what=what or self.what,
        )

    def number(self, kind: type[Estimator], *columns: str, **words: Any) -> Any:
        """A number of these rows by an estimator of `srhm.scorecard.estimators`."""
        names = {parameter.name for parameter in fields(kind)}
        given = {name: value for name, value in words.items() if name in names}
        given |= {name: (given[name],) for name in COLUMNS if isinstance(given.get(name), str)}
        where = {name: value for name, value in words.items() if name not in names}
        given["where"] = {**given.get("where", {}), **where}
        return kind(*columns, rows=self, **{"what": self.what, **given})

    # Numbers of these rows by the estimators of these names: `rows.slope("P_star", "v", L=2)`.
    mean = partialmethod(number, Mean)
    censored_mean = partialmethod(number, CensoredMean)
    slope = partialmethod(number, Slope)
    ratio = partialmethod(number, Ratio)
    difference = partialmethod(number, Difference)
    fraction = partialmethod(number, Fraction)
    correlation = partialmethod(number, Correlation)


def rows_of(
    *names: Source,
    nothing: str = "no such rows in the tables",
    optional: tuple[str, ...] = (),
    what: str = "rows",
) -> Callable[[Make], Rows]:
    """Decorates a function from these tables, or rows of other functions, by position, to rows.

    optional: tables, after the others, that are empty where they are missing. what: the rows are,
    in the plural.
    """

    def wrapped(function: Make) -> Rows:
        return Rows(function, names, nothing, optional=optional, what=what)

    return wrapped


def rows_in(table: str, *, nothing: str = "no such rows in the tables", what: str = "rows") -> Rows:
    """All rows of a table."""
    return rows_of(table, nothing=nothing, what=what)(lambda rows: rows)


class Sheet:
    """Claims of a study, line by line."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []

    def topic(self, topic: str, figure: str, **shared: Any) -> Callable[..., None]:
        """What adds a claim of this topic and figure.

        shared: what those have in common that do not say something else.
        """

        def say(
            name: str,
            says: str,
            measure: Callable[[Tables], Any],
            expected: Expectation | None = None,
            why: str | None = None,
            **named: Any,
        ) -> None:
            stated = {"expected": expected, "why": why}
            named |= {word: value for word, value in stated.items() if value is not None}
            about = {"topic": topic, "figure": figure, **shared, **named}
            self.claims.append(Claim(name, says, measure=measure, **about))

        return say

    def finished(
        self, *, committed: Mapping[str, str] = NONE, changed: Mapping[str, str] = NONE
    ) -> tuple[Claim, ...]:
        """The claims; predictions of this project stand under headings of their own.

        Keys are patterns of identifiers, with a space between.

        Args:
            committed: predictions, to the date and the commit that wrote them down, before their
                rows.
            changed: claims that were changed after seeing results, to what was changed.

        Raises:
            ValueError: for a pattern that no claim has.
        """
        result = []
        for claim in self.claims:
            for commit in self._words_of(claim, committed):
                topic = f"{claim.topic} (predictions, committed {commit})"
                claim = replace(claim, committed=commit, topic=topic)
            if changes := "; ".join(self._words_of(claim, changed)):
                why = f"{claim.why}; changed after seeing results: {changes}"
                claim = replace(claim, fixed="after", why=why)
            result.append(claim)
        return tuple(result)

    def _words_of(self, claim: Claim, words: Mapping[str, str]) -> Iterator[str]:
        names = [known.identifier for known in self.claims]
        for patterns, text in words.items():
            for pattern in patterns.split():
                if not any(fnmatchcase(name, pattern) for name in names):
                    raise ValueError(f"no claim is named {pattern}")
                if fnmatchcase(claim.identifier, pattern):
                    yield text
