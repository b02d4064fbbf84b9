"""Cells of a curve, trained by the trainer that its declaration names."""

import logging
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from srhm.results.store import StoredCell
from srhm.runtime.first_use import trusted
from srhm.runtime.stopping import StopRequest
from srhm.training.loop import BatchTrainer, train_or_load


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
    samples, or nothing; gpu: 1 where the job has a GPU, on which the first form trains that can be
    trusted there. The module that trains is loaded, and its inputs are read, only if a cell is
    missing. All else, what is raised too, as in `srhm.training.loop.train_or_load`.
    """
    inputs = dict(spec["inputs"])
    if derivations:
        (inputs["derivations"],) = derivations

    def prepared() -> BatchTrainer:
        trainer, entries = import_module(spec["trainer"]), spec["cells"]
        forms = trainer.gpu_forms(entries) if gpu else ()
        form = trusted(forms, log=log, stop=stop) if forms else None
        found: BatchTrainer = trainer.prepare(entries, inputs=inputs, form=form, log=log)
        return found

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
