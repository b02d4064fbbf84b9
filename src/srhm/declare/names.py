"""From a name, "package.module:function", to the function."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


def resolved(name: str) -> Any:
    """What "module:member" names. It imports the module.

    Raises:
        ModuleNotFoundError, AttributeError: if there is no such module or member.
    """
    module, _, member = name.partition(":")
    return getattr(import_module(module), member)


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
