"""Networks trained on small files of CIFAR-10's format: rows, what a section says, resuming."""

import logging
import shutil
from math import isnan
from pathlib import Path

import pytest
import torch
from images_data import N
from train_curves import assert_same_cells, image_entries, train_images

from srhm.declare.study import ConfigError
from srhm.images import plan, trainer, training
from srhm.images.plan import ImagesSection, cells_of
from srhm.images.readers import SETS
from srhm.model.seeding import generator
from srhm.store.records import write_table
from srhm.store.tables import IMAGE_CELLS, IMAGES
from srhm.training import loop
from srhm.training.checkpoints import resume, write_checkpoint

LOG = logging.getLogger("test")
SMALL = {
    "records_per_file": N,
    "nets": ["vgg11_bn"],
    "P": [40, 200],
    "seeds": 1,
    "width": 8,
    "n_test": N,
    "training": {"batch_size": 20, "max_steps": 60, "learning_rate": 0.05},
    "stability": {"n_points": 20, "n_draws": 2},
}


def section(**changes):
    return ImagesSection.model_validate({**SMALL, **changes})


def cell_of(images, **coordinates):
    return {**next(cells_of(images, net="vgg11_bn", data="x")), "P": 40, **coordinates}


def rows_of(entries, data, store):
    """Rows of the trained cells, with their keys."""
    cells = train_images(entries, *data, store=store)
    rows, _ = loop.result_rows("images", entries, cells)
    return rows


def measure(images, entries, folder, store):
    chosen = images.stability
    rows = trainer.measure_images(
        entries, folder=folder, records_per_file=N, **chosen.model_dump(),
        temperature=chosen.temperature, store=store, log=LOG,
    )  # fmt: skip
    return [{"curve": "images", **row} for row in rows]


def test_small_files_give_trained_networks_and_their_sensitivities(folder, data, tmp_path):
    entries = image_entries(SMALL, folder)
    write_table(rows_of(entries, data, tmp_path), tmp_path / "curve.parquet", IMAGE_CELLS)
    measured = measure(section(), entries, folder, tmp_path)
    write_table(measured, tmp_path / "images.parquet", IMAGES)
    assert [(row["net"], row["P"], row["seed"]) for row in measured] == [
        ("vgg11_bn", 40, 0),
        ("vgg11_bn", 200, 0),
    ]
    for row in measured:
        assert row["status"] == "capped"
        assert row["steps"] == 60
        assert row["relative_sensitivity"] == pytest.approx(row["D"] / row["G"])
        assert 0.1 < row["initial_relative_sensitivity"] < 10
        assert row["n_folded"] == 0
    assert measured[1]["test_error"] < 0.5  # chance is 0.9


def test_dropout_is_the_cells_own_randomness(data):
    images = section(training={"batch_size": 20, "max_steps": 2})
    rows = []
    for other_draws in (0, 3):
        torch.rand(other_draws)  # what others draw of the global generator changes nothing
        rows.append(training.train_cell(cell_of(images, net="efficientnetb0"), *data).row)
    assert rows[0] == rows[1]


def test_a_network_whose_loss_is_no_number_is_a_diverged_row(folder, data, tmp_path):
    settings = {"batch_size": 20, "max_steps": 60, "learning_rate": 10, "schedule": "constant"}
    changed = {**SMALL, "nets": ["vgg11"], "P": [40], "training": settings}
    entries = image_entries(changed, folder)
    (row,) = rows_of(entries, data, tmp_path)
    assert row["status"] == "diverged"
    assert isnan(row["test_error"])
    (measured,) = measure(section(), entries, folder, tmp_path)
    assert isnan(measured["relative_sensitivity"])
    assert 0.1 < measured["initial_relative_sensitivity"] < 10


def test_augmented_images_are_crops_of_the_padded_image_or_of_its_mirror():
    x = torch.rand(30, 3, 32, 32)
    found = training._augmented(x, generator=generator(0, role="order"))
    padded = torch.nn.functional.pad(x, (4,) * 4)
    places = set()
    for n in range(30):
        possible = {
            (row, column, mirrored)
            for row in range(9)
            for column in range(9)
            for mirrored in (False, True)
            if torch.equal(
                found[n].flip(2) if mirrored else found[n],
                padded[n, :, row : row + 32, column : column + 32],
            )
        }
        assert len(possible) == 1
        places |= possible
    assert len(places) > 20


def test_other_files_than_cifar_10_without_their_sums_are_refused(folder, tmp_path):
    for name in SETS["cifar10"].files:
        shutil.copy(folder / name, tmp_path)
    with pytest.raises(ConfigError, match=r"^  folder: .*MD5SUMS"):
        plan.plan(section(folder=str(tmp_path)), Path())


class Sudden(Exception):
    """An interruption."""


@pytest.mark.parametrize(
    ("net", "settings"),
    [
        ("vgg11_bn", {"augmentation": True}),
        ("resnet18", {"augmentation": True, "momentum": 0.0}),
        ("efficientnetb0", {"augmentation": False}),  # masks of dropout and drop-connect
        ("vgg16", {"augmentation": True, "schedule": "constant"}),
    ],
)
@pytest.mark.parametrize("call", [1, 4])
def test_a_resumed_training_gives_the_bits_of_an_undisturbed_one(
    data, tmp_path, net, settings, call
):
    """P = 50 in batches of 20: an epoch is two steps, so that calls end inside one and between."""
    trained = {"batch_size": 20, "max_steps": 7, "learning_rate": 0.05, **settings}
    cell = cell_of(section(width=4, training=trained), net=net, P=50)
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
    resumed = training.train_cell(cell, *data, start=resume(tmp_path, "key", log=LOG))
    assert repr(resumed.row) == repr(whole.row)
    assert_same_cells([resumed], [whole])
