"""Networks on images that are stopped: what is stored, what is resumed, what is said."""

import logging

import numpy as np
import pytest
from images_data import N
from train_curves import StopsAfter, assert_same_cells, image_entries, train_images

from srhm.images import training
from srhm.images.plan import ImagesSection, cells_of
from srhm.jobs.stopping import Stopped
from srhm.training.checkpoints import checkpoint_of, read_checkpoint, write_checkpoint
from srhm.training.protocol import Snapshot

LOG = logging.getLogger("test")
SMALL = {
    "records_per_file": N,
    "nets": ["vgg11_bn"],
    "P": [20, 50, 100],
    "seeds": 1,
    "width": 4,
    "n_test": N,
    "training": {"batch_size": 10, "max_steps": 12, "learning_rate": 0.05, "augmentation": True},
    "stability": {"n_points": 10},
}


class Sudden(Exception):
    """An interruption."""


@pytest.fixture(scope="module")
def entries(folder):
    """Three cells of one curve."""
    return image_entries(SMALL, folder)


@pytest.fixture(scope="module")
def undisturbed(entries, data, tmp_path_factory):
    """The three cells, trained in one go."""
    return train(entries, data, tmp_path_factory.mktemp("undisturbed"))


def train(entries, data, results, **options):
    return train_images(entries, *data, store=results / "cells", log=LOG, **options)


@pytest.mark.parametrize(
    ("net", "settings"),
    [
        ("vgg11_bn", {"augmentation": True}),
        ("resnet18", {"momentum": 0.0}),
        ("efficientnetb0", {"augmentation": False}),  # masks of dropout and drop-connect
        ("vgg16", {"schedule": "constant"}),
    ],
)
@pytest.mark.parametrize("call", [1, 4])
def test_a_resumed_training_gives_the_bits_of_an_undisturbed_one(
    data, tmp_path, net, settings, call
):
    """P = 50 in batches of 20: an epoch is two steps, so that calls end inside one and between."""
    images = ImagesSection.model_validate(
        {**SMALL, "training": {**SMALL["training"], "batch_size": 20, "max_steps": 7, **settings}}
    )
    cell = {**next(cells_of(images, net=net, data="x")), "P": 50}
    calls = 0

    def pause(snapshot):
        nonlocal calls
        calls += 1
        if calls == call:
            write_checkpoint(tmp_path, "key", snapshot())
            raise Sudden

    whole = training.train_cell(cell, *data)
    with pytest.raises(Sudden):
        training.train_cell(cell, *data, pause=pause)
    resumed = training.train_cell(cell, *data, start=read_checkpoint(tmp_path, "key"))
    assert repr(resumed.row) == repr(whole.row)
    assert_same_cells([resumed], [whole])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"device": np.frombuffer(b"cuda", dtype=np.uint8)}, "made on cuda, not on cpu"),
        ({"classifier.bias": np.zeros(3)}, "classifier.bias"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_named_and_its_cell_begins_anew(
    entries, data, undisturbed, tmp_path, caplog, change, words
):
    with pytest.raises(Stopped):
        train(entries[:1], data, tmp_path, stop=StopsAfter(5))
    checkpoints, key = tmp_path / "checkpoints", entries[0]["key"]
    kept = read_checkpoint(checkpoints, key)
    write_checkpoint(checkpoints, key, Snapshot(kept.position, {**kept.engine, **change}))
    assert_same_cells(train(entries[:1], data, tmp_path), undisturbed[:1])
    assert words in caplog.text
    assert str(checkpoint_of(checkpoints, key)) in caplog.text
