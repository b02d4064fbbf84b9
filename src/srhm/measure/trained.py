"""Trained cells as measurements see them: network, data, initial and final weights."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from srhm.flow.cell import PlaneData, data_of, initial_weights_of, loss_of
from srhm.flow.losses import Loss
from srhm.flow.networks import Network, Predictor, Weights
from srhm.flow.trainer import read_member
from srhm.store.cells import DamagedCell, path_of

When = Literal["initial", "end"]
WHEN: tuple[When, ...] = ("initial", "end")


class MissingMember(Exception):
    """A cell that the store cannot give; the message says how to train it."""


@dataclass(frozen=True)
class Member:
    """A trained cell.

    weights: at initialisation and at the end, (1, ...) by name; those of the end None if the cell
    diverged or they are not finite. test_outputs: F, (n_test, O). history: as in `TrainedMember`.
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
        MissingMember: if a cell is not in the store or is damaged; a damaged one is removed.
        StorageError: if one cannot be read now.
    """
    torch.set_num_threads(1)
    data: dict[tuple[int, int], PlaneData] = {}
    for entry in entries:
        cell = entry["cell"]
        name = f"cell {entry['key']} (P = {cell['P']}, seed {cell['seed']})"
        try:
            trained = read_member(store, entry)
        except FileNotFoundError as error:
            raise MissingMember(
                f"{name} is not in the store {store}: run again, and it is trained"
            ) from error
        except DamagedCell as damage:
            # What looks for curves whose cells the store lacks reads none of them.
            path_of(store, entry["key"]).unlink(missing_ok=True)
            raise MissingMember(
                f"{name} is damaged: {damage}; it is removed: run again, and it is trained"
            ) from damage
        place = (cell["P"], cell["seed"])
        if place not in data:
            data[place] = data_of(cell)
        finite = all(bool(array.isfinite().all()) for array in trained.weights.values())
        lost = trained.row["status"] == "diverged" or not finite
        yield Member(
            key=entry["key"],
            cell=cell,
            row=trained.row,
            data=data[place],
            loss=loss_of(cell),
            predictor=trained.predictor,
            weights={
                "initial": initial_weights_of([cell]),
                "end": None if lost else trained.weights,
            },
            test_outputs=trained.test_outputs,
            history=trained.history,
        )
