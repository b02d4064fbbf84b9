"""A table as it is read on a page, and numbers as they stand in it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Any

from srhm.networks.registry import CONNECTED, HIERARCHICAL, NAMED, label

NETS = (*HIERARCHICAL, *CONNECTED, *NAMED)
NONE = "–"
NO_BREAK = "\u00a0"
THIN_SPACE = "\u202f"  # narrow, and no line breaks there


@dataclass(frozen=True, kw_only=True)
class PageTable:
    """A table with its heading and what is to know of it; indices and powers as in "s^L n_c".

    rows: a text or a number for each column, the first of which names the row. words: the columns
    that hold words, and not numbers. main: the column that is set in bold. on_top: it stands above
    the scorecard.
    """

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    words: Collection[str] = ()
    main: str = ""
    on_top: bool = False

    def __post_init__(self) -> None:
        unknown = {*self.words, *filter(None, [self.main])} - {*self.columns}
        if unknown or any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"table {self.title!r}: rows, or {sorted(unknown)}, are no columns")


def net_name(net: Any) -> str:
    """LCN, CNN, FCN; those of Table 1 by their own name."""
    return net if net in NAMED else label(net)


def net_order(net: Any) -> int:
    """The place of a network among all: LCN, CNN, FCN, then those of Table 1."""
    return NETS.index(net) if net in NETS else len(NETS)


def complexity(row: Mapping[Any, Any]) -> str:
    """P* of a row, a censored one as a bound."""
    bounds = {"not_reached": (">", "P_star_low"), "below_range": ("<", "P_star_high")}
    if row["status"] not in bounds:
        return grouped(row["P_star"])
    sign, end = bounds[row["status"]]
    if not 0 < row[end] < inf:  # seeds are censored on both sides
        return grouped(nan)
    return f"{sign} {grouped(int(row[end]))}"  # a size that was trained: in full


def interval(row: Mapping[Any, Any]) -> str:
    """The 95 % interval of P* of a row; empty if it is censored."""
    if row["status"] != "reached":
        return ""
    low, high = row["P_star_low"], row["P_star_high"]
    known = isfinite(low) and isfinite(high)
    return f"{grouped(low)} to {grouped(high)}" if known else "unknown"


def grouped(number: float) -> str:
    """A number to three digits, thousands apart; integers below a million in full."""
    if not isfinite(number):
        return "unknown"
    if isinstance(number, float) or abs(number) >= 1_000_000:
        number = float(f"{number:.3g}")
    return f"{number:,.0f}".replace(",", THIN_SPACE)


def duration(seconds: float) -> str:
    """A time with its unit: 12.3 s, 4.5 min, 6.7 h."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def percent(fraction: float) -> str:
    """A fraction in percent: 0.05 is 5 %."""
    return f"{100 * fraction:g}{NO_BREAK}%"
