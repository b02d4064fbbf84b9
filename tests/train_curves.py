"""Planning and training of curves, with what a job would say, for the tests that share it."""

import logging
from pathlib import Path

import srhm.flow.plan
import srhm.images.plan
import srhm.training.plan
from srhm.flow import trainer as flow_cells
from srhm.flow.configuration import FlowSection
from srhm.images import trainer
from srhm.images.plan import ImagesSection
from srhm.jobs.stopping import StopRequest
from srhm.training import engines as curve
from srhm.training.any_trainer import torch_device
from srhm.training.configuration import HierarchySection
from srhm.training.loop import train_or_load

LOG = logging.getLogger("srhm.tests")


def hierarchy_curves(section):
    """Curves of LCN, CNN and FCN that a section asks for."""
    planned = srhm.training.plan.plan(HierarchySection.model_validate(section), Path())
    return list(planned.curves.values())


def flow_curves(*groups, study="complexity", measured=(), n_test=60):
    """Curves of any output scale that groups of a section ask for."""
    section = FlowSection.model_validate({"n_test": n_test, "curves": list(groups)})
    planned = srhm.flow.plan.plan(section, Path(), study=study, measured=measured)
    return list(planned.curves.values())


def image_entries(section, folder):
    """Entries of the only curve of a section, on the images of a folder."""
    section = ImagesSection.model_validate({**section, "folder": str(folder)})
    (curve,) = srhm.images.plan.plan(section, Path()).curves.values()
    return list(curve.entries)


class StopsAfter(StopRequest):
    """A request that is made when it has been looked at so many times."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    @property
    def reason(self):
        self.looks -= 1
        if self.looks < 0:
            self.ask("enough looks")
        return super().reason


def assert_same_cells(cells, others):
    """Rows and weights of stored cells are equal, bit for bit."""
    for one, other in zip(cells, others, strict=True):
        assert repr(sorted(one.row.items())) == repr(sorted(other.row.items()))
        assert one.weights.keys() == other.weights.keys()
        for name, array in one.weights.items():
            assert array.tobytes() == other.weights[name].tobytes(), name


def train_here(
    entries,
    prepared,
    *,
    store,
    checkpoints=None,
    threads=1,
    keep_weights=True,
    log=LOG,
    stop=None,
):
    """As `train_or_load`; checkpoints are kept beside the store, and nobody asks to stop."""
    return train_or_load(
        entries,
        prepared,
        store=store,
        checkpoints=checkpoints or store.parent / "checkpoints",
        threads=threads,
        keep_weights=keep_weights,
        log=log,
        stop=stop or StopRequest(),
    )


def train_srhm(entries, samples, *, gpu=0, log=LOG, **options):
    """Cells of the SRHM, on samples by seed and part."""
    prepared = lambda: curve.hierarchy_trainer(  # noqa: E731
        entries, samples, device=torch_device(gpu), log=log
    )
    return train_here(entries, prepared, log=log, **options)


def train_flow(entries, *, gpu=0, log=LOG, **options):
    """Cells of any output scale."""
    prepared = lambda: flow_cells.prepare(  # noqa: E731
        entries, inputs={}, device=torch_device(gpu), log=log
    )
    return train_here(entries, prepared, log=log, **options)


def train_images(entries, training, test, *, device="cpu", **options):
    """Networks on images."""
    prepared = lambda: trainer.image_trainer(training, test, device=device)  # noqa: E731
    return train_here(entries, prepared, **options)
