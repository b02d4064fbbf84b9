"""Cells of a curve, trained by the trainer that its declaration names."""

import logging
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from srhm.jobs.devices import NoDevice
from srhm.jobs.stopping import StopRequest
from srhm.networks.registry import NETS, function_of
from srhm.store.cells import StoredCell
from srhm.store.sources import import_as_digested
from srhm.training.engines import ENGINES
from srhm.training.loop import BatchTrainer, train_or_load

# What draws and writes the data of the SRHM, which every engine reads.
SAMPLES = ("srhm.model.sampling:draw_samples", "srhm.store.records:write_derivations")


def decided_by(
    trainer: str, cell: Mapping[str, Any], inputs: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    """What a cell's key must hold, "module:name": all code from its spec to the stored cell.

    trainer: module of the trainer. The first two are the job as it runs: the loop, checkpoints, the
    store, the reading of data. The others it finds by names in the spec: the engine, the function
    of an experiment, the network. Data of the SRHM are drawn by another job.
    """
    names = ["srhm.training.any_trainer:train_curve", f"{trainer}:prepare"]
    if cell.get("engine") in ENGINES:
        module, engine, _ = ENGINES[cell["engine"]]
        names += [f"{module}:{engine}", *SAMPLES]
    if inputs and "experiment" in inputs:
        names.append(inputs["experiment"])
    if cell.get("net") in NETS:
        names.append(function_of(cell["net"]))
    return tuple(names)


def train_curve(
    spec: Mapping[str, Any],
    *,
    derivations: Sequence[str],
    store: Path,
    checkpoints: Path,
    threads: int,
    log: logging.Logger,
    stop: StopRequest,
    gpu: int,
) -> list[StoredCell]:
    """All cells of a spec, in its order; those that the store lacks are trained.

    spec: {"cells", "trainer", "inputs", "keep_weights", "arrays_needed"}; derivations: file of the
    samples, or nothing; gpu: 1 where the job has a GPU. The module that trains is loaded, and its
    inputs are read, only if a cell is missing. All else, what is raised too, as in
    `srhm.training.loop.train_or_load`.

    Raises:
        EditedSourceError: if a cell is missing and the code is not that of its key.
        NoDevice: if a cell is missing, and torch sees no GPU where the job has one.
    """
    inputs = dict(spec["inputs"])
    if derivations:
        (inputs["derivations"],) = derivations

    def prepared() -> BatchTrainer:
        entries = spec["cells"]
        for source, names in {
            (entry["source"], decided_by(spec["trainer"], entry["cell"], spec["inputs"]))
            for entry in entries
        }:
            import_as_digested(source, *names)
        trainer, device = import_module(spec["trainer"]), torch_device(gpu)
        batcher: BatchTrainer = trainer.prepare(entries, inputs=inputs, device=device, log=log)
        return batcher

    return train_or_load(
        spec["cells"],
        prepared,
        store=store,
        checkpoints=checkpoints,
        threads=threads,
        keep_weights=spec["keep_weights"],
        log=log,
        stop=stop,
        arrays_needed=spec["arrays_needed"],
    )


def spec_of_part(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The spec of a part: with those cells alone that stand at its places."""
    return {**spec, "cells": [spec["cells"][place] for place in spec["places"]]}


def torch_device(gpu: int) -> str:
    """What torch calls the device of a job: "cpu", or "cuda" where it has a GPU.

    Raises:
        NoDevice: if it asks for a GPU and torch sees none; the message says what to do.
    """
    if not gpu:
        return "cpu"
    import torch  # here, so that jobs of the fast engine do not pay for it

    if not torch.cuda.is_available():
        raise NoDevice(
            f"gpu = {gpu}, but torch {torch.__version__} sees no CUDA device: it needs a torch with"
            " CUDA and its driver (docs/gpu.md), and gpu = 0 trains without them"
        )
    return "cuda"
