"""A device that is not there: tensors that say they are on it, whose numbers the CPU computes.

Under `Elsewhere()` the device is "meta", which no code here uses for itself. Tensors reach it as
they reach a GPU: by `.to`, or from a factory that is told the device (not from `torch.tensor`,
which this does not see). A tensor of the CPU with one dimension or more that meets one of the
device is an error, also as an index, which a GPU would take but wait for. So what was forgotten on
the CPU is found without a GPU, and the numbers have the bits of the CPU.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

DEVICE = torch.device("meta")


class _Sent(Tensor):
    """A tensor that says it is on the device; `here` has its numbers."""

    here: Tensor

    @staticmethod
    def __new__(cls, here: Tensor) -> "_Sent":
        found = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls, here.shape, here.stride(), here.storage_offset(), dtype=here.dtype, device=DEVICE
        )
        found.here = here
        return found

    @classmethod
    def __torch_dispatch__(
        cls,
        function: Any,
        types: Any,
        arguments: tuple[Any, ...] = (),
        options: Mapping[str, Any] | None = None,
    ) -> Any:
        return _called(function, arguments, dict(options or {}))


class Elsewhere(TorchDispatchMode):
    """While it is entered there is the device."""

    def __torch_dispatch__(
        self,
        function: Any,
        types: Any,
        arguments: tuple[Any, ...] = (),
        options: Mapping[str, Any] | None = None,
    ) -> Any:
        return _called(function, arguments, dict(options or {}))


def _called(function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    leaves = tree_leaves((arguments, options))
    sent = any(isinstance(leaf, _Sent) for leaf in leaves)
    wanted = options.get("device")
    if sent and wanted is None:
        _refuse_mixed(function, leaves)
    there = (sent and wanted is None) or wanted == DEVICE
    if wanted == DEVICE:
        options["device"] = torch.device("cpu")
    found = function(*tree_map(_here, arguments), **tree_map(_here, options))
    name = str(function.overloadpacket)
    if name.endswith("_") and not name.endswith("__"):  # in place: the same tensor, not another
        return arguments[0]
    return tree_map(_sent, found) if there else found


def _here(value: Any) -> Any:
    return value.here if isinstance(value, _Sent) else value


def _sent(value: Any) -> Any:
    return _Sent(value) if isinstance(value, Tensor) else value


def _refuse_mixed(function: Any, leaves: Iterable[Any]) -> None:
    for leaf in leaves:
        if isinstance(leaf, Tensor) and not isinstance(leaf, _Sent) and leaf.ndim:
            raise RuntimeError(f"{function}: one of {tuple(leaf.shape)} is on the CPU, others not")
