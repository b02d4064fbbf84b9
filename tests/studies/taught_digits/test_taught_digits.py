"""Changes of digits, tiny cells, and the plan of a section."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from srhm.images import readers
from srhm.images.readers import Images
from srhm_studies.smoothness.taught_digits import STUDY, analysis, experiment
from srhm_studies.smoothness.taught_digits.configuration import TaughtDigitsSection, seconds

SECTION = {"width": 8, "max_steps": 3, "n_test": 50, "n_points": 20,
           "curves": [{"net": ["lenet", "fc2"], "P": [32, 40], "seeds": 2}]}  # fmt: skip


def test_shifts_move_by_up_to_two_pixels_and_bring_in_black():
    images = torch.zeros(400, 1, 28, 28)
    images[:, 0, 13, 13], images[:, 0, 0, 0] = 9.0, 5.0
    moved = experiment.shifted(images, generator=np.random.default_rng(0))
    which, _, rows, columns = torch.nonzero(moved == 9.0).T
    assert which.tolist() == list(range(400))
    assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == {
        (13 + i, 13 + j) for i in range(-2, 3) for j in range(-2, 3)
    }
    gone = (rows < 13) | (columns < 13)
    assert torch.equal((moved == 5.0).any(dim=(1, 2, 3)), ~gone)
    assert set(moved.unique().tolist()) == {0.0, 5.0, 9.0}


def test_deformations_move_by_half_a_pixel_to_where_they_fold():
    """A linear image shows its displacement; the root mean square lies between both ends."""
    slope = torch.arange(28.0).expand(2000, 1, 28, 28)
    moved = experiment.smoothly_deformed(slope, generator=np.random.default_rng(1))
    square = ((moved - slope)[..., 4:-4, 4:-4] ** 2).mean(dim=(1, 2, 3)).numpy() * 2
    assert 0.5**2 < square.mean() < 2 * 2.3**2
    again = experiment.smoothly_deformed(slope, generator=np.random.default_rng(1))
    assert torch.equal(moved, again)
    assert not torch.equal(moved[0], moved[1])


@pytest.fixture
def digits(monkeypatch):
    pixels = np.random.default_rng(3).integers(0, 256, size=(5000, 1, 28, 28)).astype(np.uint8)
    made = Images(pixels, np.arange(5000) % 10)
    monkeypatch.setattr(readers, "load", lambda name: [made])
    monkeypatch.setattr(readers, "find_spec", lambda name: find_spec("srhm"))
    return made


def planned():
    return STUDY.plan(TaughtDigitsSection.model_validate(SECTION), Path())


def test_a_cell_trains_and_measures(digits):
    cells = [entry["cell"] for curve in planned().curves.values() for entry in curve.entries]
    assert len(cells) == 2 * 4 * 2 * 2
    own = [one for one in cells if one["seed"] == 1 and one["P"] == 40 and one["net"] == "fc2"]
    found = {one["taught"]: experiment.run(one).row for one in own}
    assert set(found) == set(analysis.KINDS)
    assert {row["steps"] for row in found.values()} == {3}
    assert len({row["train_loss"] for row in found.values()}) == 4
    assert all(row["R_places"] > 0 and row["R_deformations"] > 0 for row in found.values())
    assert found["both"] == experiment.run(next(x for x in own if x["taught"] == "both")).row
    assert all(0 < seconds(one) < 10 for one in own)
