"""Keys that take one value or a list, and the cells that their combinations make.

Imports neither torch nor numba.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import Field

from srhm.keys import OneOrMore

T = TypeVar("T")
# In a configuration one value, or a list of them; in the model always a list.
Several = Annotated[list[T], OneOrMore, Field(min_length=1)]
Seeds = Annotated[int, Field(ge=1, le=1000, strict=True)]

# Of a name that the section leaves out: its value, from the names before it.
Absent = Mapping[str, Callable[[Mapping[str, Any]], Any]]
# Classes and synonyms of a grammar.
# More synonyms than of s = 17 no grammar has: it refuses s, whatever the power.
GRAMMAR: Absent = {
    "n_c": lambda cell: cell["v"],
    "m": lambda cell: cell["v"] ** min(cell["s"] - 1, 16),
}


def combinations(
    section: Iterable[tuple[str, Any]] | Mapping[str, Any],
    *names: str,
    absent: Absent = GRAMMAR,
    **given: Any,
) -> Iterator[dict[str, Any]]:
    """A dictionary for each combination of the values of these keys; the last name runs fastest.

    A list stands for its values in turn, all else for itself. "seed" stands for 0, 1, ... below the
    key `seeds`; "size=M" for the key M under another name.

    section: a model, or its values by key. names: none: all keys of the section in their order, the
    seeds last. absent: makes the value of a key that is None from the names before it; at first,
    classes and synonyms of a grammar. given: values in place of the section's, or besides.
    """
    keys = dict(section)
    if not names:
        names = tuple(key for key in keys if key != "seeds")
        names += ("seed",) if "seeds" in keys else ()
    found = [{key: value for key, value in given.items() if key not in names}]
    for name in names:
        found = [
            {**cell, name.partition("=")[0]: value}
            for cell in found
            for value in _values({**keys, **given}, name, cell, absent)
        ]
    yield from found


def _values(
    keys: Mapping[str, Any], name: str, cell: Mapping[str, Any], absent: Absent
) -> list[Any]:
    name, _, key = name.partition("=")
    if name == "seed" and name not in keys:
        return list(range(keys["seeds"]))
    value = keys[key or name]
    if value is None and name in absent:
        return [absent[name](cell)]
    return list(value) if isinstance(value, list) else [value]
