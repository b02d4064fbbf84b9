"""Figure 1 A, B: networks trained on images, found in the store or made, and their stability."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from srhm.images.readers import Images, load_cifar, standardised
from srhm.images.stability import Average, ImageProbe, probe, stability
from srhm.images.training import EVALUATION_BATCH, initial_network, outputs_of, train_cell
from srhm.model.seeding import generator
from srhm.store import provenance
from srhm.store.cells import read_cell
from srhm.training.cell import Clock, TrainedCell
from srhm.training.loop import BatchTrainer, Entry, alone
from srhm.training.protocol import Pause, Snapshot

OUTPUT = "output"  # name under which the logits are found


def responses(
    network: nn.Module, x: NDArray[np.float32], *, fresh: bool = False, layers: Sequence[str] = ()
) -> dict[str, NDArray[np.float32]]:
    """Outputs (n, values) of the named modules and the logits of standardised images.

    The network is in evaluation mode. fresh: before training batch norm takes the moments of each
    batch; the running moments of a fresh network are those of no image, and with them it would be
    one without batch norm. Petrini et al. measure fresh networks so too. This changes the running
    moments.
    """
    where = next(network.parameters()).device
    network.eval()
    if fresh:
        for module in network.modules():
            if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
                module.train()
    parts: dict[str, list[Tensor]] = {name: [] for name in (*layers, OUTPUT)}
    modules = dict(network.named_modules())

    def keep(name: str, module: nn.Module, inputs: object, output: Tensor) -> None:
        parts[name].append(output.flatten(1).clone().cpu())  # a layer behind it may change it

    handles = [modules[name].register_forward_hook(partial(keep, name)) for name in layers]
    try:
        with torch.no_grad():
            for part in np.array_split(x, -(-len(x) // EVALUATION_BATCH)):  # no batch of a few
                parts[OUTPUT].append(network(torch.from_numpy(part).to(where)).cpu())
    finally:
        for handle in handles:
            handle.remove()
        network.eval()
    return {name: torch.cat(batches).numpy() for name, batches in parts.items()}


def prepare(
    entries: Sequence[Entry], *, inputs: Mapping[str, Any], device: str, log: logging.Logger
) -> BatchTrainer:
    """What trains the cells of a curve of images.

    inputs: {"folder": of CIFAR-10, "records_per_file"}. device: "cpu", or "cuda": the job's GPU.
    """
    data = load_cifar(Path(inputs["folder"]), records_per_file=inputs["records_per_file"])
    return image_trainer(*data, device=device)


def image_trainer(training: Images, test: Images, *, device: str) -> BatchTrainer:
    """What trains networks on images, each by itself. device: "cpu" or "cuda"."""
    if device == "cuda":
        torch.backends.cudnn.allow_tf32 = False  # torch has it on for convolutions

    def train(cell: Mapping[str, Any], *, start: Snapshot | None, pause: Pause) -> TrainedCell:
        clock = Clock(start)
        trained = train_cell(
            cell, training, test, device=device, start=start, pause=clock.timed(pause)
        )
        return TrainedCell(trained.row, clock.timing(steps=trained.row["steps"]), trained.weights)

    return BatchTrainer(train=alone(train), versions=provenance.versions(("numpy", "torch")))


def measure_images(
    entries: Sequence[Mapping[str, Any]],
    *,
    folder: Path | str,
    records_per_file: int,
    n_points: int,
    n_draws: int,
    cutoff: int,
    displacement: float,
    temperature: float,
    average: Average,
    store: Path,
    log: logging.Logger,
    gpu: int = 0,
) -> list[dict[str, Any]]:
    """Rows of IMAGES, without the curve: D_f, G_f, R_f of trained networks, R_f of initial ones.

    entries: cells, all of them in the store. folder, records_per_file: of the images. All networks
    of one seed see the same images, deformations and noises. A network that diverged has none: NaN.
    Trained networks are in evaluation mode; before training, batch norm takes the moments of each
    batch. gpu: 1 where the networks are evaluated on a GPU.
    """
    training, test = load_cifar(Path(folder), records_per_file=records_per_file)
    device = "cuda" if gpu else "cpu"
    points = standardised(test[:n_points], by=training)
    probes: dict[int, ImageProbe] = {}
    rows = []
    for entry in entries:
        cell = entry["cell"]
        if cell["seed"] not in probes:
            probes[cell["seed"]] = probe(
                points,
                cutoff=cutoff,
                temperature=temperature,
                n_draws=n_draws,
                deformation_generator=generator(cell["seed"], role="transformation", member=0),
                noise_generator=generator(cell["seed"], role="transformation", member=1),
            )
            log.info(
                "seed %d: %d deformations, of which %d fold; each noise has norm %.3g",
                *(cell["seed"], n_points * n_draws, probes[cell["seed"]].n_folded),
                probes[cell["seed"]].noise_norm,
            )
        asked = probes[cell["seed"]]
        stored = read_cell(store, entry["key"])
        network = initial_network(cell).to(device)
        before = stability(partial(initial_outputs_of, network), asked, average=average)
        D = G = R = np.nan
        if stored.row["status"] != "diverged":
            network.load_state_dict({k: torch.from_numpy(v) for k, v in stored.weights.items()})
            after = stability(partial(outputs_of, network), asked, average=average)
            D, G, R = after.D, after.G, after.R
        rows.append(
            {
                "key": entry["key"],
                **stored.row,
                "n_points": n_points,
                "n_draws": n_draws,
                "cutoff": cutoff,
                "displacement": displacement,
                "temperature": temperature,
                "average": average,
                "noise_norm": asked.noise_norm,
                "n_folded": asked.n_folded,
                "D": D,
                "G": G,
                "relative_sensitivity": R,
                "initial_relative_sensitivity": before.R,
            }
        )
        log.info(
            "%s, P = %d, seed %d: R_f = %.3g (%.3g before training), test error %.3f",
            *(cell["net"], cell["P"], cell["seed"], R, before.R, stored.row["test_error"]),
        )
    return rows


def initial_outputs_of(network: nn.Module, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits of standardised images before training, see `responses`."""
    return responses(network, x, fresh=True)[OUTPUT]
