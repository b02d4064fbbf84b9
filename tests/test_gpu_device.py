"""What a job with a GPU does where there is none."""

import threading
from pathlib import Path

import pytest
import torch
from train_curves import hierarchy_curves, train_here, train_srhm

from srhm.jobs.devices import NoDevice
from srhm.jobs.stopping import Stopped, StopRequest
from srhm.model.grammar import parameters_of
from srhm.model.sampling import draw_samples
from srhm.training.loop import BatchTrainer, alone


def trained(engine: str, store: Path, *, gpu: int) -> int:
    """Number of cells of a tiny curve that are trained."""
    section = {
        "seeds": 1,
        "width": 6,
        "n_test": 60,
        "training": {"engine": engine, "max_steps": 10, "n_checks": 0},
        "curves": [{"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [30]}],
    }
    (curve,) = hierarchy_curves(section)
    samples = draw_samples(parameters_of(curve.entries[0]["cell"]), [0], n_train=30, n_test=60)
    entries = list(curve.entries)
    return len(train_srhm(entries, samples, store=store, gpu=gpu))


def test_a_gpu_that_torch_does_not_see_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(NoDevice, match=r"gpu = 1, but torch .* gpu = 0 trains without"):
        trained("sparse", tmp_path, gpu=1)


def test_a_request_to_stop_finds_cells_that_had_no_place_untouched(tmp_path: Path) -> None:
    stop, begun, both = StopRequest(), list[int](), threading.Barrier(2, timeout=20)

    def train(cell: dict, **options: object) -> None:
        begun.append(cell["P"])
        both.wait()
        stop.ask("a test")
        raise ValueError("not trained")

    entries = [{"key": f"{P:064x}", "source": "s", "cell": {"P": P, "seed": 0}} for P in range(9)]
    with pytest.raises((Stopped, ValueError)):
        train_here(
            entries,
            lambda: BatchTrainer(train=alone(train), versions="", at_once=2),
            store=tmp_path,
            stop=stop,
        )
    assert sorted(begun) == [7, 8]
