"""Packages of an extra (`pip install 'srhm[torch]'`): one that is missing is a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports of packages that an extra brings.

    Raises:
        ModuleNotFoundError: if one is missing, with the extra to install.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "srhm").partition(".")[0] == "srhm":
            raise
        raise ModuleNotFoundError(lacking(error.name, name), name=error.name) from error


def lacking(package: str | None, name: str) -> str:
    """The sentence about a package that is missing; name: of the extra that brings it."""
    return f"{package} is not installed: pip install 'srhm[{name}]' brings it"
