"""What a dotted name "package.module:function" stands for."""

from importlib import import_module
from typing import Any


def resolved(name: str) -> Any:
    """The member of a module by "module:member".

    Raises:
        ModuleNotFoundError, AttributeError: if there is no such module or member.
    """
    module, _, member = name.partition(":")
    return getattr(import_module(module), member)
