"""From a name, "package.module:function", to the function."""

from importlib import import_module
from typing import Any


def resolved(name: str) -> Any:
    """What "module:member" names. It imports the module.

    Raises:
        ModuleNotFoundError, AttributeError: if there is no such module or member.
    """
    module, _, member = name.partition(":")
    return getattr(import_module(module), member)
