"""Networks on images that are stopped: what is stored, what is resumed, what is said."""

import pytest
from images_data import N
from train_curves import assert_same_cells

from srhm.images import training
from srhm.images.plan import ImagesSection, cells_of
from srhm.training.checkpoints import read_checkpoint, write_checkpoint

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
