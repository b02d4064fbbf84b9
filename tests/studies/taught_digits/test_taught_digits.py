"""Changes of digits, P* and claims on invented tables of known factors, and the plan."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from drawn import points, rendered, texts
from pydantic import ValidationError

from srhm.images import mnist5k
from srhm.images.mnist import Digits
from srhm.scorecard.card import scorecard
from srhm.studies.taught_digits import analysis, experiment, figures
from srhm.studies.taught_digits.claims import CLAIMS
from srhm.studies.taught_digits.configuration import TaughtDigitsSection, seconds
from srhm.studies.taught_digits.study import STUDY
from srhm.studies.taught_digits.tables import CELLS

SIZES = (60, 125, 250, 500, 1000, 2000)
SECTION = {"width": 8, "max_steps": 3, "n_test": 50, "n_points": 20,
           "curves": [{"net": ["lenet", "fc2"], "P": [32, 40], "seeds": 2}]}  # fmt: skip


def tables(*, places=(2.0, 3.0), deformations=2.0, both=3.0, own=0.3, other=0.6):
    """P* = 600 (LeNet), 900 (FC) over what is saved; `own`, `other`: factors of R when taught."""
    rows = []
    for (i, net), taught, P, seed in product(
        enumerate(analysis.NETS), analysis.KINDS, SIZES, range(3)
    ):
        saved = {"nothing": 1.0, "places": places[i], "deformations": deformations, "both": both}
        star = 600 * (1 + i / 2) / saved[taught] * 1.02 ** (seed - 1)
        R = {one: {"nothing": 1.0, "both": own, one: own}.get(taught, other)
             for one in analysis.R}  # fmt: skip
        rows.append({"net": net, "taught": taught, "P": P, "seed": seed, "key": f"{len(rows)}",
                     "test_error": min(0.9, 0.1 * star / P), "status": "capped",
                     **{f"R_{one}": value * 1.01**seed for one, value in R.items()}})  # fmt: skip
    return {"cells": pd.DataFrame(rows).reindex(columns=CELLS.names)}


def verdicts(found):
    return scorecard(found, CLAIMS).set_index("claim")["verdict"]


def test_claims_agree_where_the_predictions_are_true():
    assert set(verdicts(tables())) == {"reproduced"}


def test_claims_are_found_false():
    found = verdicts(tables(places=(0.9, 0.7), deformations=0.8, both=0.9, own=1.5, other=1.2))
    assert set(found) == {"differs"}


def test_a_censored_P_star_is_left_out_and_counted():
    found = tables(both=100.0)
    stars = analysis.stars(found)
    assert set(stars.loc[stars["taught"] == "both", "left_out"]) == {"below the range"}
    assert (stars.loc[stars["taught"] != "both", "left_out"] == "").all()
    card = scorecard(found, CLAIMS).set_index("claim")
    assert card.loc["overlap-fc2", "verdict"] == "inconclusive"
    assert "3 with a P* that is censored" in card.loc["overlap-fc2", "note"]


def test_the_figure_draws_errors_and_R_of_both_nets():
    figure = rendered(figures.draw(tables()["cells"], preset="laptop"))
    n = len(analysis.NETS) * len(analysis.KINDS) * len(SIZES)
    assert all(len(points(figure, column)) == n for column in figures.COLUMNS)
    assert set(analysis.KINDS) <= set(texts(figure).splitlines())
    rendered(figures.draw(tables()["cells"][:0], preset="laptop"))


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
    pixels = np.random.default_rng(3).integers(0, 256, size=(5000, 28, 28)).astype(np.uint8)
    made = Digits(pixels, np.arange(5000, dtype=np.uint8) % 10)
    monkeypatch.setattr(mnist5k, "load", lambda: made)
    monkeypatch.setattr(mnist5k, "find_spec", lambda name: object())
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


def test_training_and_test_digits_are_others_of_each_seed(digits):
    training, test = experiment.load(seed=0)
    assert (len(training), len(test)) == (4000, 1000)
    rows = {one.tobytes() for one in np.concatenate([training.pixels, test.pixels])}
    assert len(rows) == 5000
    assert not np.array_equal(test.labels, experiment.load(seed=1)[1].labels)


def test_without_digits_no_curve_is_computed_and_the_plan_says_so(monkeypatch):
    names = planned().curves.keys()
    monkeypatch.setattr(mnist5k, "find_spec", lambda name: None)
    found = planned()
    assert found.curves.keys() == names == found.missing.keys()
    assert all("make env-images" in one for one in found.missing.values())


@pytest.mark.parametrize("P", [[31, 60], [60, 4001]])
def test_sizes_out_of_range_are_refused(P):
    with pytest.raises(ValidationError, match="allowed are 32"):
        TaughtDigitsSection.model_validate({"curves": [{"net": "lenet", "P": P}]})
