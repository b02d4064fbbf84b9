"""The packed engine: many networks of one shape on one GPU, a program of one kernel for each.

A `Pack` holds the networks, their data and what a step needs; `rounds` lets each of them be trained
by the protocol in a thread of its own. A network's numbers depend on itself alone.
"""

import logging
import math
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from srhm.model.sampling import Derivations
from srhm.networks.geometry import Geometry
from srhm.results import provenance
from srhm.results.outdated import FORMS
from srhm.results.sources import digest_of
from srhm.runtime.no_device import NoDevice
from srhm.training import packed_kernels as kernels
from srhm.training.cell import DTYPES, geometry_of, points_of_a_step
from srhm.training.rounds import PackMember, Rounds, TrainingInRounds, Work, halved_until_it_fits

# Private there: made public, they would change the digest, and so the key, of every stored cell.
from srhm.training.sparse import _bases, _first_rows, _network, momentum_tables

# Steps that a network makes in one launch at most: some tens of milliseconds.
STEPS_OF_A_ROUND = 100
# Test points that one program evaluates at once, and programs of an evaluation.
TEST_BATCH = 16
TEST_PROGRAMS = 528
# Share of the free memory that a pack takes: the rest is for kernels and for other processes.
SHARE_OF_MEMORY = 0.9
# Elements of a tile of rows that a thread holds; each costs about six registers with its sums.
ELEMENTS_OF_A_THREAD = 16
INT32 = 2**31
# Name of a state's kind of device.
DEVICE = "device"
# Coordinates that cells of one pack share: those of the network, and of its training.
SHAPE = ("net", "L", "s", "s0", "v", "n_c", "sparsity", "width")
TRAINING = ("dtype", "batch", "batch_size", "momentum")
# One launch at a time: it takes no time once compiled, and the interpreter runs one kernel.
LAUNCHING = threading.Lock()


@dataclass(frozen=True)
class Tiling:
    """How one program goes through rows: their padded width, rows of a tile, warps."""

    width: int
    rows: int
    warps: int

    @property
    def elements(self) -> int:
        """Elements of a tile."""
        return self.width * self.rows


def tiling(width: int) -> Tiling:
    """Tiles of 16 elements a thread: registers do not spill, and 8 warps fit a multiprocessor."""
    padded = max(16, power_of_two(width))
    warps = {128: 2, 256: 2, 512: 4}.get(padded, 1 if padded < 128 else 8)
    return Tiling(padded, max(1, ELEMENTS_OF_A_THREAD * 32 * warps // padded), warps)


def power_of_two(n: int) -> int:
    """The smallest power of two that is not below n."""
    return 1 << max(0, n - 1).bit_length()


def meta_parameters(geometry: Geometry, batch_size: int) -> dict[str, int]:
    """Constants that a kernel is compiled with, for batches of up to batch_size points."""
    tile = tiling(geometry.width)
    arities = [layer.arity for layer in geometry.layers]
    sorted_entries = power_of_two(batch_size * math.prod(arities))
    all_classes = power_of_two(geometry.n_classes)
    return {
        "H": tile.width,
        "TILE": tile.rows,
        "CLASSES": max(1, min(all_classes, tile.elements // tile.width)),
        "ALL_CLASSES": all_classes,
        "SORTED": max(16, sorted_entries),
        "COMPARED": max(1, min(sorted_entries, tile.elements // max(16, sorted_entries))),
        "POINTS": 4,
        "num_warps": tile.warps,
        "num_stages": 1,
        "enable_fp_fusion": True,
        "maxnreg": 255,  # else the assembler may spill to make room for more programs
    }


Shapes = dict[str, tuple[tuple[int, ...], torch.dtype]]


class PackLayout:
    """Arrays of a pack: what a network, a program that trains and one that evaluates need."""

    def __init__(
        self,
        geometry: Geometry,
        *,
        batch_size: int,
        momentum: float,
        n_train: int,
        n_test: int,
        dtype: type = np.float32,
        test_programs: int = TEST_PROGRAMS,
    ) -> None:
        self.geometry, self.batch_size, self.momentum = geometry, batch_size, momentum
        self.n_train, self.n_test, self.dtype = n_train, n_test, dtype
        self.test_programs = test_programs
        self.network = _network(geometry, dtype)
        self.n_columns = int(self.network.n_inputs.sum())
        self.n_rows = _first_rows(geometry)[-1] + (
            geometry.layers[-1].n_slots * geometry.layers[-1].n_inputs
        )
        self.tiling = tiling(geometry.width)
        if self.n_rows * self.tiling.width >= INT32:
            raise ValueError(
                f"{self.n_rows} rows of width {geometry.width} are beyond 32-bit places"
            )
        self.longest = len(momentum_tables(0.0, momentum)[0]) - 1

    @property
    def real(self) -> torch.dtype:
        """Precision of weights."""
        return torch.float64 if self.dtype is np.float64 else torch.float32

    def network_shapes(self) -> Shapes:
        """Arrays of one network."""
        width, rows, classes = self.tiling.width, self.n_rows, self.geometry.n_classes
        return {
            "rows": ((rows, 2, width), self.real),  # weights, momenta
            "stamps": ((rows,), torch.int32),
            "readout": ((classes, 2, width), self.real),
            "rates": ((2,), self.real),  # eta, mu
            "rest": ((self.longest + 1, 2), self.real),  # catch_up, decays
            "train_bases": ((self.n_train, self.n_columns), torch.int32),
            "train_labels": ((self.n_train,), torch.int32),
            "test_bases": ((self.n_test, self.n_columns), torch.int32),
            "test_labels": ((self.n_test,), torch.int32),
        }

    def program_shapes(self, n_points: int) -> Shapes:
        """Working memory of one program, for batches of up to n_points."""
        width = self.tiling.width
        sizes = self.program_sizes(n_points)
        n_whole = sizes["n_entries"] * 4 + sizes["n_listed"] * width
        n_real = (2 * sizes["n_nodes"] + sizes["n_listed"]) * width
        n_real += 2 * n_points * self.geometry.n_classes
        return {
            "whole": ((_aligned(n_whole),), torch.int32),
            "real": ((_aligned(n_real),), self.real),
        }

    def program_sizes(self, n_points: int) -> dict[str, int]:
        """Entries, nodes, and entries beyond the first layer, of a batch; in this order."""
        n_entries = n_points * self.n_columns
        return {
            "n_entries": _aligned(n_entries),
            "n_nodes": n_points * int((self.network.n_inputs // self.network.arities).sum()),
            "n_listed": n_entries - n_points * int(self.network.n_inputs[0]),
        }

    def bytes_of_network(self) -> int:
        """Bytes that one more network takes."""
        order = 4 * STEPS_OF_A_ROUND * self.batch_size
        return order + _bytes(self.network_shapes()) + _bytes(self.program_shapes(self.batch_size))

    def bytes_of_evaluation(self) -> int:
        """Bytes that the evaluation of any number of networks takes."""
        return self.test_programs * _bytes(self.program_shapes(TEST_BATCH))


def _aligned(n: int) -> int:
    """n or a little more, so that arrays one after the other begin at a cache line."""
    return -(-n // 32) * 32


def _bytes(shapes: Shapes) -> int:
    return sum(math.prod(shape) * dtype.itemsize for shape, dtype in shapes.values())


def interpreted() -> bool:
    """Whether Triton runs its kernels in Python, on the CPU."""
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def device_for_packs() -> torch.device:
    """The GPU, or the CPU where Triton interprets.

    Raises:
        NoDevice: if there is neither.
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if interpreted():
        return torch.device("cpu")
    raise NoDevice("device = 'cuda', but torch sees no CUDA device; 'cpu' trains without one")


def n_networks(layout: PackLayout, n_waiting: int, *, free: int) -> int:
    """Networks that fit together into the free bytes, at most as many as wait.

    Raises:
        MemoryError: if not even one does.
    """
    left = SHARE_OF_MEMORY * free - layout.bytes_of_evaluation()
    fit = int(left // layout.bytes_of_network())
    if fit < 1:
        need = layout.bytes_of_evaluation() + layout.bytes_of_network()
        raise MemoryError(
            f"one network and its evaluation take {need / 1e9:.2f} GB, and {free / 1e9:.2f} GB of"
            " the device are free"
        )
    return min(n_waiting, fit)


def make_pack(layout: PackLayout, n_waiting: int, *, log: logging.Logger) -> "Pack":
    """A pack for as many of the waiting networks as the device has memory for.

    If the device has less than it says, the pack is halved until it fits, with a warning.

    Raises:
        NoDevice: if there is no device.
        MemoryError, torch.cuda.OutOfMemoryError: if not even one network fits.
    """
    device = device_for_packs()
    size = n_waiting
    if device.type == "cuda":
        torch.cuda.empty_cache()  # what earlier packs have left counts as free
        size = n_networks(layout, n_waiting, free=torch.cuda.mem_get_info()[0])
    if size < n_waiting:
        log.info("%d of %d networks at a time: more do not fit the device", size, n_waiting)
    return halved_until_it_fits(lambda n: Pack(layout, n, device=device), size, log=log)


class Pack:
    """Up to `size` networks of one layout on one device, each in a slot of its own."""

    def __init__(self, layout: PackLayout, size: int, *, device: torch.device) -> None:
        self.layout, self.size, self.device = layout, size, device
        self._free = list(range(size))[::-1]
        self._steps = [0] * size
        self._n_test = [0] * size
        self._stream = torch.cuda.Stream(device) if device.type == "cuda" else None
        with self._on_stream():
            self._networks = self._arrays(layout.network_shapes(), size)
            self._room = self._arrays(layout.program_shapes(layout.batch_size), size)
            self._test_room = self._arrays(layout.program_shapes(TEST_BATCH), layout.test_programs)
            self._test_points = torch.arange(layout.n_test, dtype=torch.int32, device=device)
            network = layout.network
            n_nodes = network.n_inputs // network.arities
            columns = [network.arities, network.n_inputs, network.first_inputs]
            columns.append(np.cumsum(n_nodes) - n_nodes)
            self._layers = self._sent(np.stack(columns, axis=1).astype(np.int32))
            self._scales = self._sent(network.scales)
        self._meta = meta_parameters(layout.geometry, layout.batch_size)
        self._test_meta = meta_parameters(layout.geometry, TEST_BATCH)

    @property
    def batch_size(self) -> int:
        """Points of a step."""
        return self.layout.batch_size

    def enter(
        self,
        weights: Mapping[str, NDArray[Any]],
        train: Derivations,
        test: Derivations,
        *,
        rate: float,
    ) -> int:
        """Puts a network with its data into a free slot, and returns that.

        Raises:
            ValueError: if there is no free slot, or more data than the pack was made for.
        """
        layout = self.layout
        if not self._free:
            raise ValueError(f"all {self.size} slots of the pack are taken")
        if len(train) > layout.n_train or len(test) > layout.n_test:
            raise ValueError(
                f"{len(train)} training and {len(test)} test points: the pack was made for"
                f" {layout.n_train} and {layout.n_test}"
            )
        slot = self._free.pop()
        width = layout.geometry.width
        names = [f"layer{k}" for k in range(1, len(layout.geometry.layers) + 1)]
        rows = np.concatenate([weights[name].reshape(-1, width) for name in names])
        rest = np.stack(momentum_tables(rate, layout.momentum), axis=1)
        with self._on_stream():
            for name in ("rows", "stamps", "readout"):
                self._networks[name][slot].zero_()
            self._put(self._networks["rows"][slot, :, 0], rows)
            self._put(self._networks["readout"][slot, :, 0], weights["readout"].T)
            self._put(self._networks["rates"][slot], np.array([rate, layout.momentum]))
            self._put(self._networks["rest"][slot], rest)
            for part, data in (("train", train), ("test", test)):
                self._put(self._networks[f"{part}_bases"][slot], _bases(layout.geometry, data))
                self._put(self._networks[f"{part}_labels"][slot], data.labels)
        self._steps[slot], self._n_test[slot] = 0, len(test)
        return slot

    def retire(self, slot: int) -> None:
        """Gives a slot back."""
        self._free.append(slot)

    def train(self, works: Sequence[Work]) -> list[float]:
        """Trains each network on its points; the losses, summed on from what they were.

        All networks at once, in one launch. A network ends at the first batch whose loss is not
        finite, and its sum is that.
        """
        layout, network, room = self.layout, self._networks, self._room
        longest = max(len(work.points) for work in works)
        orders = np.zeros((len(works), longest), dtype=np.int32)
        for order, work in zip(orders, works, strict=True):
            order[: len(work.points)] = work.points
        table = [(w.slot, len(w.points), self._steps[w.slot]) for w in works]
        with self._on_stream():
            sums = self._sent(np.array([work.summed for work in works]))
            with LAUNCHING:
                kernels.train_kernel[(len(works),)](
                    self._sent(np.array(table, dtype=np.int32)),
                    sums,
                    self._sent(orders),
                    longest,
                    network["rates"],
                    *self._networks_of("train"),
                    layout.batch_size,
                    *self._room_of(room, layout.batch_size),
                    **self._meta,
                )
            found = sums.cpu().numpy()
        for work in works:
            self._steps[work.slot] += -(-len(work.points) // layout.batch_size)
        return [float(value) for value in found]

    def test_errors(self, slots: Sequence[int]) -> list[float]:
        """Fraction of its test set that each network does not classify right; a tie is an error."""
        found: list[float] = []
        most = self.layout.test_programs
        for start in range(0, len(slots), most):
            some = slots[start : start + most]
            right = self._n_right(some, n_parts=most // len(some))
            n_test = [self._n_test[slot] for slot in some]
            found += [1 - int(n) / m for n, m in zip(right, n_test, strict=True)]
        return found

    def _n_right(self, slots: Sequence[int], *, n_parts: int) -> NDArray[np.integer]:
        room = self._test_room
        n_parts = min(n_parts, -(-max(self._n_test[slot] for slot in slots) // TEST_BATCH))
        table = [(slot, self._n_test[slot], self._steps[slot]) for slot in slots]
        with self._on_stream():
            right = torch.zeros((len(slots), n_parts), dtype=torch.int32, device=self.device)
            with LAUNCHING:
                kernels.test_kernel[(len(slots), n_parts)](
                    self._sent(np.array(table, dtype=np.int32)),
                    right,
                    n_parts,
                    self._test_points,
                    *self._networks_of("test"),
                    TEST_BATCH,
                    *self._room_of(room, TEST_BATCH),
                    **self._test_meta,
                )
            return right.sum(dim=1).cpu().numpy()

    def weights(self, slot: int) -> dict[str, NDArray[Any]]:
        """Copies of the weights of a network by name of layer, all brought up to date."""
        geometry, network = self.layout.geometry, self._networks
        with self._on_stream():
            rested = (self._steps[slot] - network["stamps"][slot]).clamp(max=self.layout.longest)
            lags = network["rest"][slot][rested.long(), 0]
            own = network["rows"][slot]
            rows = own[:, 0] - lags[:, None] * own[:, 1]
            array = rows[:, : geometry.width].cpu().numpy()
            readout = network["readout"][slot, :, 0, : geometry.width].T.contiguous().cpu().numpy()
        found = {}
        for k, first in enumerate(_first_rows(geometry), start=1):
            layer = geometry.layers[k - 1]
            part = array[first : first + layer.n_slots * layer.n_inputs]
            found[f"layer{k}"] = part.reshape(layer.n_slots, layer.n_inputs, -1).copy()
        return {**found, "readout": readout}

    def state(self, slot: int) -> dict[str, NDArray[Any]]:
        """Copies of weights and momenta as they lie there, steps, and the kind of device."""
        with self._on_stream():
            found = {name: own.cpu().numpy().copy() for name, own in self._state(slot).items()}
        device = np.frombuffer(self.device.type.encode(), dtype=np.uint8)
        return {**found, "steps": np.array([self._steps[slot]]), DEVICE: device}

    def restore(self, slot: int, state: Mapping[str, NDArray[Any]]) -> None:
        """Puts a network where `state` was taken.

        Raises:
            ValueError: if names, shapes or precisions are not those of this layout, or the state is
                from another kind of device: a training has the bits of one device.
        """
        own = self._state(slot)
        if state.keys() != {*own, "steps", DEVICE}:
            raise ValueError(f"a state of {sorted(state)} is not one of {sorted([*own, DEVICE])}")
        if (made_on := bytes(state[DEVICE]).decode()) != self.device.type:
            raise ValueError(f"it was made on {made_on}, not on {self.device.type}")
        for name, array in own.items():
            value = torch.from_numpy(np.ascontiguousarray(state[name]))
            if value.shape != array.shape or value.dtype != array.dtype:
                raise ValueError(f"{name}: {state[name].dtype}{state[name].shape} does not fit")
        with self._on_stream():
            for name, array in own.items():
                self._put(array, state[name])
        self._steps[slot] = int(state["steps"][0])

    def _state(self, slot: int) -> dict[str, torch.Tensor]:
        """Views of what the training of a network changes, by the names of SparseEngine."""
        width = self.layout.geometry.width
        rows, readout = (self._networks[name][slot, :, :, :width] for name in ("rows", "readout"))
        return {
            "weights": rows[:, 0],
            "momenta": rows[:, 1],
            "stamps": self._networks["stamps"][slot],
            "readout": readout[:, 0],
            "readout_momenta": readout[:, 1],
        }

    def _networks_of(self, part: str) -> list[Any]:
        """What both kernels are told of the networks, and of their training or test data."""
        layout, network = self.layout, self._networks
        return [
            network[f"{part}_bases"],
            network[f"{part}_bases"][0].numel(),
            network[f"{part}_labels"],
            network[f"{part}_labels"].shape[1],
            network["rows"],
            network["stamps"],
            layout.n_rows,
            network["readout"],
            layout.geometry.n_classes,
            network["rest"],
            layout.longest,
            self._layers,
            self._scales,
            len(self._layers),
        ]

    def _room_of(self, room: Mapping[str, torch.Tensor], n_points: int) -> list[Any]:
        """What both kernels are told of their working memory."""
        whole, real = room["whole"], room["real"]
        sizes = self.layout.program_sizes(n_points)
        return [whole, whole.shape[1], real, real.shape[1], *sizes.values()]

    def _arrays(self, shapes: Shapes, n: int) -> dict[str, torch.Tensor]:
        return {
            name: torch.zeros((n, *shape), dtype=dtype, device=self.device)
            for name, (shape, dtype) in shapes.items()
        }

    def _sent(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def _put(self, target: torch.Tensor, array: NDArray[Any]) -> None:
        """Writes an array into the first places of a larger one."""
        value = torch.from_numpy(np.ascontiguousarray(array)).to(target.dtype)
        target[tuple(slice(n) for n in value.shape)] = value.to(self.device)

    def _on_stream(self) -> Any:
        """Packs of one process have a stream each, so that their kernels run side by side."""
        return nullcontext() if self._stream is None else torch.cuda.stream(self._stream)


class PackedEngine(PackMember):
    """One network of a pack, as the protocol sees it: see `protocol.Engine`."""

    steps_at_once = 500

    def __init__(
        self,
        rounds: Rounds,
        geometry: Geometry,
        weights: Mapping[str, NDArray[Any]],
        train: Derivations,
        test: Derivations,
        *,
        batch_size: int,
        rate: float,
        momentum: float,
        dtype: type = np.float32,
    ) -> None:
        pack = rounds.pack
        own = (geometry, batch_size, momentum, dtype)
        layout = pack.layout
        if own != (layout.geometry, layout.batch_size, layout.momentum, layout.dtype):
            raise ValueError("networks of a pack share geometry, batch size, momentum, precision")
        super().__init__(rounds, partial(pack.enter, weights, train, test, rate=rate))


class PackedTraining(TrainingInRounds):
    """Trains cells of one shape together: call `train` in a thread for each."""

    def __init__(
        self,
        cells: Sequence[Mapping[str, Any]],
        log: logging.Logger,
        *,
        size: int | None = None,
        test_programs: int = TEST_PROGRAMS,
    ) -> None:
        """A pack for these cells, of as many at a time as memory allows or `size` at most.

        Raises:
            ValueError: if the cells are not of one shape; biases and whitening are of none.
            NoDevice, MemoryError, torch.cuda.OutOfMemoryError: see `make_pack`.
        """
        first = cells[0]
        for cell in cells:
            if (
                any(cell[name] != first[name] for name in SHAPE)
                or cell["bias"]
                or cell["whitening"]
            ):
                raise ValueError(
                    f"cells of one shape share {', '.join(SHAPE + TRAINING)}, without bias"
                )
        layout = PackLayout(
            geometry_of(first),
            batch_size=points_of_a_step(first),
            momentum=first["momentum"],
            n_train=max(cell["P"] for cell in cells),
            n_test=max(cell["n_test"] for cell in cells),
            dtype=DTYPES[first["dtype"]],
            test_programs=test_programs,
        )
        pack = make_pack(layout, min(len(cells), size or len(cells)), log=log)
        device = device_name(pack.device)
        code = digest_of(FORMS["packed"])
        packages = provenance.versions(["numpy", "torch", "triton"])
        super().__init__(
            Rounds(pack, steps=STEPS_OF_A_ROUND),
            PackedEngine,
            device=device,
            versions=f"{packages}, packed {code} on {device}",
        )


def device_name(device: torch.device) -> str:
    """Name of a device as its maker gives it."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return "Triton's interpreter"
