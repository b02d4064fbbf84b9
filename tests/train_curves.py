"""Training of the cells of a curve, with what a job would say, for the tests that share it."""

import logging

from srhm.flow import cells as plane_cells
from srhm.images import experiment
from srhm.runtime.stopping import StopRequest
from srhm.training import curve
from srhm.training.loop import train_or_load

LOG = logging.getLogger("srhm.tests")


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
    prepared = lambda: curve.trainer(entries, samples, gpu=gpu, log=log)  # noqa: E731
    return train_here(entries, prepared, log=log, **options)


def train_flow(entries, *, gpu=0, log=LOG, **options):
    """Cells of the plane."""
    return train_here(entries, lambda: plane_cells.trainer(gpu=gpu, log=log), log=log, **options)


def train_images(entries, training, test, *, device="cpu", **options):
    """Networks on images."""
    prepared = lambda: experiment.trainer(training, test, device=device)  # noqa: E731
    return train_here(entries, prepared, **options)
