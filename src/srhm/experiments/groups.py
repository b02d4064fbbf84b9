"""From cells to the curves of a study of experiments. Imports no torch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from srhm.declare.study import ConfigError, Curve, Planned, Trainer
from srhm.experiments.study import LONG
from srhm.store.provenance import canonical_json, short_hash
from srhm.store.sources import digest_of, earlier
from srhm.training.any_trainer import decided_by


@dataclass(frozen=True, kw_only=True)
class CurveCells:
    """Cells that one job computes, in the order given: a curve.

    name: for people and for the file of its rows. function: from the coordinates of a cell to its
    `outcome.Outcome`, "package.module:function". cells: coordinates, texts and numbers. long:
    whether cells have rows in the study's long tables. missing: why it cannot be computed here, if
    so.
    """

    name: str
    function: str
    cells: Iterable[Mapping[str, Any]]
    long: bool = True
    missing: str = ""


def planned(trainer: Trainer, families: Iterable[CurveCells], **more: Any) -> Planned:
    """A curve for each family, by its name.

    A key covers the coordinates of the cell and the sources of its function, and of the network of
    `networks.registry` that it names `net`. more: the other fields of `Planned`.

    Raises:
        ConfigError: if a cell is asked for twice.
    """
    curves, seen, missing = {}, dict[str, str](), dict[str, str]()
    for family in families:
        inputs = {"experiment": family.function}
        in_keys = earlier().get(family.function, family.function)
        entries = []
        for cell in family.cells:
            source = digest_of(*decided_by(trainer.module, cell, inputs))
            key = short_hash([in_keys, cell, source], length=24)
            if key in seen:
                raise ConfigError(
                    f"  two groups request one network: {canonical_json(cell)} is in {seen[key]}"
                    f" and {family.name}; allowed is each once"
                )
            seen[key] = family.name
            entries.append({"key": key, "source": source, "cell": dict(cell)})
        name = f"{family.name}-{short_hash([entry['key'] for entry in entries])}"
        curves[name] = Curve(
            name=name,
            trainer=trainer,
            entries=tuple(entries),
            measured=(LONG,) if family.long else (),
            inputs=inputs,
        )
        if family.missing:
            missing[name] = family.missing
    return Planned(curves=curves, missing=missing, **more)
