"""Training of the cells of a curve of the SRHM: LCN, CNN, FCN and named nets."""

import logging
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from srhm.model.grammar import parameters_of
from srhm.model.sampling import Derivations
from srhm.networks.registry import HIERARCHICAL, NAMED
from srhm.store import provenance
from srhm.training.cell import TrainedCell, train_cell
from srhm.training.loop import BatchTrainer, Entry, alone

# The engine of VGG, ResNet and EfficientNet, whose gradients are written by hand, and that of any
# named net. Neither trains anything else.
NAMED_ENGINE, AUTOGRAD = "torch", "autograd"
NAMED_ENGINES = (NAMED_ENGINE, AUTOGRAD)
# By name, so that the fast engine does not pay for torch. A cell's digest covers its own engine.
ENGINES = {
    "reference": ("srhm.training.reference", "ReferenceEngine", ("numpy", "torch")),
    "dense": ("srhm.training.dense", "DenseEngine", ("numpy", "torch")),
    "sparse": ("srhm.training.sparse", "SparseEngine", ("numpy", "numba")),
    "fcn2": ("srhm.training.fcn2", "Fcn2Engine", ("numpy",)),
    NAMED_ENGINE: ("srhm.training.tape_engine", "TapedEngine", ("numpy", "numba", "torch")),
    AUTOGRAD: ("srhm.training.autograd", "NetworkEngine", ("numpy", "torch")),
}


def prepare(
    entries: Sequence[Entry], *, inputs: Mapping[str, Any], device: str, log: logging.Logger
) -> BatchTrainer:
    """What trains the cells of a curve of the SRHM.

    inputs: {"derivations": file of the samples of its seeds}. device: see `hierarchy_trainer`.
    """
    # Here, so that planning, which knows the engines' names from here, does not pay for pandas.
    from srhm.store.records import read_derivations

    file, parameters = Path(inputs["derivations"]), parameters_of(entries[0]["cell"])
    return hierarchy_trainer(entries, read_derivations(file, parameters), device=device, log=log)


def hierarchy_trainer(
    entries: Sequence[Entry],
    samples: Mapping[tuple[int, str], Derivations],
    *,
    device: str,
    log: logging.Logger,
) -> BatchTrainer:
    """What trains cells of one engine.

    samples: training and test data by seed and part. device: "cpu": each by itself, by its engine;
    "cuda": in stacks on the job's GPU (docs/gpu.md), but for nets that have no form for stacks.
    """
    first = entries[0]["cell"]
    module, name, packages = ENGINES[first["engine"]]
    # Here, so that nobody else pays for torch.
    if device != "cpu" and first["net"] in {**HIERARCHICAL, **NAMED}:
        from srhm.training.stacked import stack_trainer

        return stack_trainer(entries, samples, device=device, log=log)
    made_by = getattr(import_module(module), name)

    def train(cell: Mapping[str, Any], **options: Any) -> TrainedCell:
        sample = (samples[cell["seed"], "train"], samples[cell["seed"], "test"])
        return train_cell(cell, *sample, make_engine=made_by, **options)

    return BatchTrainer(train=alone(train), versions=provenance.versions(packages))
