"""Trained cells as measurements see them: network, data, initial and final weights."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.flow.cell import (
    PlaneData,
    data_of,
    initial_weights_of,
    loss_of,
    network_of,
    predictor_of,
)
from srhm.flow.losses import Loss
from srhm.flow.networks import Network, Predictor, Weights
from srhm.flow.trainer import HISTORIES, TEST_OUTPUTS
from srhm.measure.cells import trained_cell

When = Literal["initial", "end"]
WHEN: tuple[When, ...] = ("initial", "end")


@dataclass(frozen=True)
class Member:
    """A trained cell.

    weights: at initialisation and at the end, (1, ...) by name; those of the end None if the cell
    diverged or they are not finite. test_outputs: F, (n_test, O). history: (R, 7), columns
    `srhm.flow.cell.HISTORY`; None of a cell that does not ask for it.
    """

    key: str
    cell: Mapping[str, Any]
    row: Mapping[str, Any]
    data: PlaneData
    loss: Loss
    predictor: Predictor
    weights: Mapping[When, Weights | None]
    test_outputs: Tensor
    history: NDArray[np.floating] | None

    @property
    def network(self) -> Network:
        """Shape and scales of the network."""
        return self.predictor.network

    @property
    def start(self) -> tuple[int, int]:
        """Seed and number of the initialisation: what has the same network before training."""
        return self.cell["seed"], self.cell["member"]


def members_of(entries: Sequence[Mapping[str, Any]], *, store: Path) -> Iterator[Member]:
    """The trained cells of a curve, in the order of its entries; data are made once for a seed.

    Sets torch to one thread: sums are in one order, whatever the machine.

    Raises:
        MissingCell: if a cell is not in the store or is damaged; a damaged one is removed.
        StorageError: if one cannot be read now.
    """
    torch.set_num_threads(1)
    data: dict[tuple[int, int], PlaneData] = {}
    for entry in entries:
        cell, stored = entry["cell"], trained_cell(entry, store)
        arrays = {name: torch.from_numpy(array) for name, array in stored.weights.items()}
        # A file has its arrays in another order.
        end = {name: arrays[name][None] for name in network_of(cell).weight_shapes()}
        place = (cell["P"], cell["seed"])
        if place not in data:
            data[place] = data_of(cell)
        finite = all(bool(array.isfinite().all()) for array in end.values())
        lost = stored.row["status"] == "diverged" or not finite
        yield Member(
            key=entry["key"],
            cell=cell,
            row=stored.row,
            data=data[place],
            loss=loss_of(cell),
            predictor=predictor_of([cell], end),
            weights={"initial": initial_weights_of([cell]), "end": None if lost else end},
            test_outputs=arrays[TEST_OUTPUTS],
            history=stored.weights.get(HISTORIES),
        )
