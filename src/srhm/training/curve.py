"""Training of the cells of a curve of the SRHM: LCN, CNN, FCN and named nets."""

import logging
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from srhm.model.letters import parameters_of
from srhm.model.sampling import Derivations
from srhm.results import provenance
from srhm.runtime.first_use import GpuForm
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
# Forms of engines for GPUs, under the same keys: they train the cells of a curve together. Those of
# an engine in the order of preference.
PACKED = GpuForm("packed", "srhm.training.packed", "srhm.training.trials:packed_trial")
PLAIN = GpuForm("plain", "srhm.training.plain", "srhm.training.trials:plain_trial", must_pay=True)
STACKED = GpuForm("stacked", "srhm.training.stacked", "srhm.training.named_trials:stacked_trial")
GPU_FORMS: dict[str, dict[GpuForm, tuple[str, tuple[str, ...]]]] = {
    PACKABLE: {
        PACKED: ("PackedTraining", ("numpy", "torch", "triton")),
        PLAIN: ("PlainTraining", ("numpy", "torch")),
    },
    NAMED_ENGINE: {STACKED: ("StackedTraining", ("numpy", "torch"))},
}


def gpu_forms(entries: Sequence[Entry]) -> list[GpuForm]:
    """Forms that can train these cells on a GPU, in the order of preference."""
    return list(GPU_FORMS.get(entries[0]["cell"]["engine"], ()))


def prepare(
    entries: Sequence[Entry],
    *,
    inputs: Mapping[str, Any],
    form: GpuForm | None,
    log: logging.Logger,
) -> BatchTrainer:
    """What trains the cells of a curve of the SRHM.

    inputs: {"derivations": file of the samples of its seeds}. form: see `hierarchy_trainer`.
    """
    # Here, so that planning, which knows the engines' names from here, does not pay for pandas.
    from srhm.results.records import read_derivations

    file, parameters = Path(inputs["derivations"]), parameters_of(entries[0]["cell"])
    return hierarchy_trainer(entries, read_derivations(file, parameters), form=form, log=log)


def hierarchy_trainer(
    entries: Sequence[Entry],
    samples: Mapping[tuple[int, str], Derivations],
    *,
    form: GpuForm | None,
    log: logging.Logger,
) -> BatchTrainer:
    """What trains cells of one engine, each by itself or all together on a GPU.

    samples: training and test data by seed and part. form: one of `gpu_forms`, which trains them
    together on the job's GPU (docs/gpu.md); None: each by itself, on processors.

    Raises:
        NoDevice: if there is no GPU for them, or a package is not installed.
    """
    cells = [entry["cell"] for entry in entries]
    engine = cells[0]["engine"]
    if form is None:
        module, name, packages = ENGINES[engine]
    else:
        module, (name, packages) = form.module, GPU_FORMS[engine][form]
    # Here, so that nobody else pays for torch and triton.
    try:
        made_by = getattr(import_module(module), name)
    except ModuleNotFoundError as missing:
        if form is None:
            raise
        raise NoDevice(
            f"gpu = 1, but {missing.name} is not installed; a torch with CUDA brings it"
            " (docs/gpu.md), and gpu = 0 trains without it"
        ) from missing
    if engine in KERNELS and "numba" in packages:
        from srhm.training.compiled_code import check_code

        check_code(import_module(KERNELS[engine]), log=log)
    training = made_by(cells, log) if form else None

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
