"""From batches of cells to the curves of a study of experiments. Imports no torch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from srhm.experiments.declaration import LONG
from srhm.results.places import file_of
from srhm.results.provenance import canonical_json, cells_digest, short_hash
from srhm.study import Curve, Trainer

KEY_LENGTH = 24


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Cells that one job computes, in the order given.

    name: for people and for the file of its rows. function: from the coordinates of a cell to its
    `outcome.Outcome`, "package.module:function". cells: coordinates, texts and numbers.
    """

    name: str
    function: str
    cells: Sequence[Mapping[str, Any]]


def curves_of(
    trainer: Trainer, batches: Sequence[Batch], *, measured: Sequence[str] = (LONG,)
) -> dict[str, Curve]:
    """A curve for each batch, by its name.

    A key covers the coordinates of the cell and the sources of its function. measured: whether the
    study has long tables: (LONG,), or ().

    Raises:
        ValueError: if one cell stands twice, which a section has to refuse by itself.
    """
    curves, seen = {}, dict[str, str]()
    for batch in batches:
        source = cells_digest(file_of(batch.function.partition(":")[0]))
        entries = []
        for cell in batch.cells:
            key = short_hash([batch.function, cell, source], length=KEY_LENGTH)
            if key in seen:
                raise ValueError(f"{canonical_json(cell)} stands in {seen[key]} and {batch.name}")
            seen[key] = batch.name
            entries.append({"key": key, "source": source, "cell": dict(cell)})
        name = f"{batch.name}-{short_hash([entry['key'] for entry in entries])}"
        curves[name] = Curve(
            name=name,
            trainer=trainer,
            entries=tuple(entries),
            measured=tuple(measured),
            inputs={"experiment": batch.function},
        )
    return curves
