"""What a claim of the paper is, what a measurement of it, and whether they agree."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import inf, isfinite, isnan, nan
from typing import Any, Literal, TypeVar

import pandas as pd

from srhm.scorecard.expectations import Expectation, NoExpectation
from srhm.scorecard.verdicts import Verdict

Tables = Mapping[str, pd.DataFrame]
Found = TypeVar("Found")

MIN_POINTS = 3


class RememberedTables(Mapping[str, pd.DataFrame]):
    """Tables by name, with what several claims compute of them; they do not change meanwhile."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._known: dict[Hashable, Any] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def once(self, key: Hashable, computed: Callable[[], Found]) -> Found:
        """A copy of what the function gives, which is called for each key once."""
        if key not in self._known:
            self._known[key] = computed()
        found: Found = deepcopy(self._known[key])
        return found


def once(tables: Tables, key: Hashable, computed: Callable[[], Found]) -> Found:
    """What the function gives; for remembered tables it is called for each key once."""
    return tables.once(key, computed) if isinstance(tables, RememberedTables) else computed()


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A measured number with its 95 % interval, from `n` points that enter it.

    An end of the interval that is NaN or infinite is not known.
    """

    value: float
    low: float
    high: float
    n: int
    note: str


NOT_MEASURED = Measurement(value=nan, low=nan, high=nan, n=0, note="no such curves in the tables")


@dataclass(frozen=True)
class Claim:
    """A number that a source states, and how the tables give it.

    A study gives topic and figure once, with `functools.partial`. identifier: for links. says: the
    statement, of a line (MAX_STATEMENT). topic: heading of the scorecard. figure: that shows it.
    place: where the source says it. why: reason of the tolerance, of the bound, or why nothing is
    expected. fixed: whether expectation, rows and fit were fixed before or after a look at rows.
    measure: NOT_MEASURED where a table is missing, or without any rows.
    """

    identifier: str
    says: str
    topic: str = field(kw_only=True)
    figure: str = field(kw_only=True)
    place: str = field(kw_only=True)
    expected: Expectation = field(kw_only=True)
    why: str = field(kw_only=True)
    fixed: Literal["before", "after"] = field(default="before", kw_only=True)
    measure: Callable[[Tables], Measurement] = field(kw_only=True)


def after_a_look(claims: Sequence[Claim], changes: Mapping[str, str]) -> tuple[Claim, ...]:
    """The claims, of which some were changed after a look at rows: `fixed`, and what in `why`.

    changes: patterns of identifiers, with a space between, to what was changed.

    Raises:
        ValueError: for a pattern that no claim has.
    """
    patterns = [(one, words) for several, words in changes.items() for one in several.split()]
    for pattern, _ in patterns:
        if not any(fnmatchcase(claim.identifier, pattern) for claim in claims):
            raise ValueError(f"no claim is named {pattern}")
    found = []
    for claim in claims:
        own = [words for pattern, words in patterns if fnmatchcase(claim.identifier, pattern)]
        why = f"{claim.why}; after a look: {'; '.join(own)}"
        found.append(replace(claim, fixed="after", why=why) if own else claim)
    return tuple(found)


# Of a table of claims: identifier, statement, place, what is expected, its reason, measure.
Line = tuple[str, str, str, Expectation, str, Callable[[Tables], Measurement]]


# What fits beside the other columns of the text into a terminal of 150 columns.
MAX_STATEMENT = 78


def verdict(claim: Claim, measured: Measurement) -> Verdict:
    """A test of equivalence, which the 95 % interval decides and the value alone does not.

    Agrees: the whole interval lies within expected ± tolerance and has the expected number in it,
    or it keeps a bound. Close: within, without the number. Disagrees: wholly outside. Open: it
    sticks out; an end that is not known sticks out. Fewer than three points are too few data.
    Nothing expected: no expectation, or too few data without a value.
    """
    if isinstance(claim.expected, NoExpectation):
        return "no expectation" if isfinite(measured.value) else "too few data"
    if measured.n < MIN_POINTS:
        return "too few data"
    low = -inf if isnan(measured.low) else measured.low
    high = inf if isnan(measured.high) else measured.high
    if not claim.expected.meets(low, high):
        return "disagrees"
    if not claim.expected.allows(low, high):
        return "open"
    return "agrees" if claim.expected.is_in(low, high) else "close"
