"""Figure 1 A, B: networks trained on images, found in the store or made, and their stability."""

import logging
import socket
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from srhm import provenance
from srhm.images.cifar import Images, standardised
from srhm.images.stability import Average, Probe, probe, stability
from srhm.images.training import (
    EVALUATION_BATCH,
    device,
    initial_network,
    outputs_of,
    train_cell,
)
from srhm.seeding import generator
from srhm.store import DamagedCell, StoredCell, path_of, read_cell, write_cell
from srhm.training.cell import processor


def train_images(
    entries: Sequence[Mapping[str, Any]],
    training: Images,
    test: Images,
    *,
    store: Path,
    log: logging.Logger,
) -> list[dict[str, Any]]:
    """Rows of all cells, in the order given; only those that the store lacks are trained.

    entries: {"key", "source", "cell"} each. A damaged cell is trained again, with a message that
    names its file.
    """
    rows = []
    versions = provenance.versions(("numpy", "torch"))
    for number, entry in enumerate(entries, start=1):
        stored = _found(store, entry["key"], log)
        made = "in the store" if stored else "trained"
        if stored is None:
            begun, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
            trained = train_cell(entry["cell"], training, test)
            stored = StoredCell(
                dict(entry["cell"]),
                row={**trained.row, "source": entry["source"], "versions": versions},
                timing={
                    "steps": trained.row["steps"],
                    "seconds": time.perf_counter() - clock,
                    "started": begun,
                    "host": socket.gethostname(),
                    "processor": processor(),
                    "threads": 1,
                },
                weights=trained.weights,
            )
            write_cell(store, entry["key"], stored)
        row = stored.row
        log.info(
            "cell %d of %d, %s: %s, P = %d, seed %d, %s after %d steps, test error %.3f",
            *(number, len(entries), made, row["net"], row["P"], row["seed"]),
            *(row["status"], row["steps"], row["test_error"]),
        )
        rows.append({"key": entry["key"], **row})
    return rows


def _found(store: Path, key: str, log: logging.Logger) -> StoredCell | None:
    try:
        return read_cell(store, key)
    except FileNotFoundError:
        return None
    except DamagedCell as damage:
        log.warning("trained again: %s", damage)
        path_of(store, key).unlink(missing_ok=True)
        return None


def measure_images(
    curves: Mapping[str, Sequence[Mapping[str, Any]]],
    training: Images,
    test: Images,
    *,
    n_points: int,
    n_draws: int,
    cutoff: int,
    displacement: float,
    temperature: float,
    average: Average,
    store: Path,
    log: logging.Logger,
) -> list[dict[str, Any]]:
    """Rows of all cells with D_f, G_f, R_f of the trained network, and R_f of the initial one.

    curves: for each curve its cells, all of them in the store. All networks of one seed see the
    same images, deformations and noises. A network that diverged has none: NaN. Trained networks
    are in evaluation mode; before training, batch norm takes the moments of each batch.
    """
    points = standardised(test[:n_points], by=training)
    probes: dict[int, Probe] = {}
    rows = []
    for curve, entry in [(name, entry) for name, entries in curves.items() for entry in entries]:
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
        network = initial_network(cell).to(device())
        before = stability(partial(initial_outputs_of, network), asked, average=average)
        D = G = R = np.nan
        if stored.row["status"] != "diverged":
            network.load_state_dict({k: torch.from_numpy(v) for k, v in stored.weights.items()})
            after = stability(partial(outputs_of, network), asked, average=average)
            D, G, R = after.D, after.G, after.R
        rows.append(
            {
                "curve": curve,
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
    """Logits of standardised images before training.

    Batch norm takes the moments of each batch, dropout is off. The running moments of a fresh
    network are those of no image, and with them it would be one without batch norm; Petrini et
    al. measure fresh networks so too. Changes the running moments.
    """
    where = next(network.parameters()).device
    network.eval()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
            module.train()
    parts = np.array_split(x, -(-len(x) // EVALUATION_BATCH))  # no batch of a few images
    with torch.no_grad():
        outputs = [network(torch.from_numpy(part).to(where)).cpu() for part in parts]
    network.eval()
    return torch.cat(outputs).numpy()
