"""From the values of a column to looks: what tells the families of a panel apart."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from srhm.figures import looks
from srhm.figures.looks import Look
from srhm.figures.words import ordered

Label = Callable[[Any], str]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Looks of the values of a column, in the order of the legend; title: of their entries there.

    named: False where titles or ticks name the values, so that the legend need not.
    """

    column: str
    looks: Mapping[Any, Look]
    title: str = ""
    named: bool = True

    def without(self, *channels: str) -> "Scale":
        """The same without some of "colour", "marker", "line"; what is left needs no entry."""
        empty: Any = dict.fromkeys(channels, "")
        known = {value: replace(look, **empty) for value, look in self.looks.items()}
        return replace(self, looks=known, named=False)


def ranks(values: pd.Series, order: Iterable[Any] = ()) -> pd.Series:
    """Ranks of the values, in an order if there is one, counted from the middle of all.

    By them marks are moved a little, so that none hides another.
    """
    names = list(order) or sorted(set(values))
    return values.map({key: i - (len(names) - 1) / 2 for i, key in enumerate(names)}).astype(float)


def parted(rows: pd.DataFrame, *columns: str) -> Iterator[tuple[Any, pd.DataFrame]]:
    """The rows by the values of columns, in their order; one column: its value, else a tuple."""
    by: Any = columns[0] if len(columns) == 1 else list(columns)
    yield from rows.groupby(by)


def plain(value: Any) -> str:
    """Numbers in three digits, words as they are."""
    if isinstance(value, float):
        return f"${float(f'{value:.3g}'):g}$"
    return f"${value}$" if isinstance(value, int) else str(value)


def coloured(column: str, values: Iterable[Any], title: str = "", *, label: Label = plain) -> Scale:
    """A colour for each value by its rank: eight that are told apart."""
    return _by_rank(column, values, title, label, colour=looks.TINTS)


def distinct(column: str, values: Iterable[Any], title: str = "") -> Scale:
    """A colour and a marker for each value by its rank."""
    return _by_rank(column, values, title, colour=looks.TINTS, marker=looks.SHAPES)


def graded(
    column: str, values: Iterable[Any], title: str = "", *, label: Label = plain,
    palette: str = "crest",
) -> Scale:  # fmt: skip
    """A shade for each value by its rank, from light to dark; none is near white.

    palette: name of one of seaborn's, "_r" behind it to turn it round.
    """
    import seaborn  # half of what a job that draws loads, and few figures have shades

    shades = seaborn.color_palette(palette, len(set(values))).as_hex()
    return _by_rank(column, values, title, label, colour=shades)


def shaped(column: str, values: Iterable[Any], title: str = "", *, label: Label = plain) -> Scale:
    """A marker for each value by its rank."""
    return _by_rank(column, values, title, label, marker=looks.SHAPES)


def filled(column: str, values: Iterable[Any], title: str = "") -> Scale:
    """Full markers for the least value, open ones for the others, by shape where there are more."""
    shapes = ("", "", *looks.SHAPES[2:])
    return _by_rank(column, values, title, marker=shapes, filled=(True, *[False] * len(shapes)))


def dashed(column: str, values: Iterable[Any], title: str = "", *, label: Label = plain) -> Scale:
    """A line style for each value by its rank."""
    return _by_rank(column, values, title, label, line=looks.LINES)


def by_name(
    column: str, values: Iterable[Any], known: Mapping[Any, Look], title: str = ""
) -> Scale:
    """Looks of a table for the values that are there, in the order of the table."""
    there = set(values)
    if missing := there - set(known):
        raise KeyError(f"{column}: no look for {sorted(missing)}; allowed: {sorted(known)}")
    looks_of = {value: look for value, look in known.items() if value in there}
    return Scale(column=column, looks=looks_of, title=title)


def nets(values: Iterable[str], *, title: str = "") -> Scale:
    """The looks of networks, those that have none in the table last, in grey."""
    return Scale(column="net", looks={net: looks.net(net) for net in ordered(values)}, title=title)


def _by_rank(
    column: str, values: Iterable[Any], title: str, label: Label = plain, **channels: Sequence[Any]
) -> Scale:
    """Channels of `Look` for the values in their order, from the first again after the last."""
    known = {
        value: Look(label(value), **{name: of[i % len(of)] for name, of in channels.items()})
        for i, value in enumerate(sorted(set(values)))
    }
    return Scale(column=column, looks=known, title=title)
