"""Training of the cells of a curve of the SRHM: LCN, CNN, FCN and named nets."""

import logging
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from srhm.model.letters import parameters_of
from srhm.model.sampling import Derivations
from srhm.results import provenance
from srhm.runtime.no_device import NoDevice
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
    NAMED_ENGINE: ("srhm.training.taped", "TapedEngine", ("numpy", "numba", "torch")),
    AUTOGRAD: ("srhm.training.network", "NetworkEngine", ("numpy", "torch")),
}
# The engine of LCN, CNN and FCN that has a form for GPUs.
PACKABLE = "sparse"
# Compiled code of engines, which is looked at before it is read.
KERNELS = {
    PACKABLE: "srhm.training.sparse_kernels",
    NAMED_ENGINE: "srhm.training.tape_kernels",
}
# Forms of engines for GPUs, under the same keys: they train the cells of a curve together.
GPU_FORMS = {
    PACKABLE: ("srhm.training.packed", "PackedTraining", ("numpy", "torch", "triton")),
    NAMED_ENGINE: ("srhm.training.stacked", "StackedTraining", ("numpy", "torch")),
}


def prepare(
    entries: Sequence[Entry], *, inputs: Mapping[str, Any], gpu: int, log: logging.Logger
) -> BatchTrainer:
    """What trains the cells of a curve of the SRHM.

    inputs: {"derivations": file of the samples of its seeds}. gpu: see `hierarchy_trainer`.
    """
    # Here, so that planning, which knows the engines' names from here, does not pay for pandas.
    from srhm.results.records import read_derivations

    file, parameters = Path(inputs["derivations"]), parameters_of(entries[0]["cell"])
    return hierarchy_trainer(entries, read_derivations(file, parameters), gpu=gpu, log=log)


def hierarchy_trainer(
    entries: Sequence[Entry],
    samples: Mapping[tuple[int, str], Derivations],
    *,
    gpu: int,
    log: logging.Logger,
) -> BatchTrainer:
    """What trains cells of one engine, each by itself or all together on a GPU.

    samples: training and test data by seed and part. gpu: 1 where the job has a GPU: cells of
    engines that have a form for GPUs are trained there, many together (docs/gpu.md); those of other
    engines as without one.

    Raises:
        NoDevice: if there is no GPU for them, or a package is not installed.
    """
    cells = [entry["cell"] for entry in entries]
    engine = cells[0]["engine"]
    together = gpu == 1 and engine in GPU_FORMS
    module, name, packages = (GPU_FORMS if together else ENGINES)[engine]
    # Here, so that nobody else pays for torch and triton.
    try:
        made_by = getattr(import_module(module), name)
    except ModuleNotFoundError as missing:
        if not together:
            raise
        raise NoDevice(
            f"gpu = 1, but {missing.name} is not installed; a torch with CUDA brings it"
            " (docs/gpu.md), and gpu = 0 trains without it"
        ) from missing
    if engine in KERNELS and "numba" in packages:
        from srhm.training.compiled_code import check_code

        check_code(import_module(KERNELS[engine]), log=log)
    training = made_by(cells, log) if together else None

    def train(cell: Mapping[str, Any], **options: Any) -> TrainedCell:
        sample = (samples[cell["seed"], "train"], samples[cell["seed"], "test"])
        if training is None:
            return train_cell(cell, *sample, make_engine=made_by, **options)
        return training.train(cell, *sample, **options)

    return BatchTrainer(
        train=alone(train),
        versions=provenance.versions(packages),
        at_once=training.size if training else None,
    )
