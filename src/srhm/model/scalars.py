"""Numbers as arguments of the library: of any type of NumPy, of their kind and range, or named."""

from operator import index
from typing import Any


def whole(value: Any, name: str, *, least: int, most: int | None = None) -> int:
    """A whole number as Python's own, whose sums and powers do not overflow as NumPy's do.

    Raises:
        TypeError: if it is none, with the name of the argument and its range.
        ValueError: if it is out of range.
    """
    allowed = f"{least} or more" if most is None else f"{least} to {most}"
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: allowed are whole numbers, {allowed}") from None
    if number < least or (most is not None and number > most):
        raise ValueError(f"{name} = {number}: allowed are {allowed}")
    return number
