"""Figure 1 A, B: networks trained on images, found in the store or made, and their stability."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from srhm.images.readers import Images, load_cifar, standardised
from srhm.images.responses import OUTPUT, responses
from srhm.images.stability import Average, ImageProbe, probe, stability
from srhm.images.training import initial_network, outputs_of, train_cell
from srhm.model.seeding import generator
from srhm.results import provenance
from srhm.results.store import read_cell
from srhm.training.cell import TrainedCell
from srhm.training.clock import Clock
from srhm.training.loop import BatchTrainer, Entry, alone
from srhm.training.protocol import Pause, Snapshot


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
