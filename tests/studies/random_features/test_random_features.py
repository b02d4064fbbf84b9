"""Random features against other routes, and the study's section, claims and figure."""

import numpy as np
import pandas as pd
import pytest
from drawn import points, rendered
from pydantic import ValidationError
from scipy.integrate import quad
from sklearn.linear_model import Ridge

from srhm.model.seeding import generator
from srhm.scorecard.card import scorecard
from srhm.studies.random_features.claims import CLAIMS
from srhm.studies.random_features.configuration import RandomFeaturesSection
from srhm.studies.random_features.data import task_of
from srhm.studies.random_features.features import (
    effective_ridge,
    features,
    kernel,
    least_norm,
    run,
)
from srhm.studies.random_features.figures.random_features import draw
from srhm.studies.random_features.study import STUDY
from srhm.studies.random_features.tables import CELLS

RATIOS = [0.5, 0.9, 1, 1.1, 1.5, 4, 8, 16]
SECTION = {
    "curves": [{"data": ["sphere", "digits", "srhm"], "P": 60, "N_over_P": RATIOS, "seeds": 3}]
}
CELL = {
    **{"data": "sphere", "P": 60, "N": 240, "N_over_P": 4, "members": 40, "n_test": 200},
    **{"d": 8, "noise": 0.2, "seed": 0},
}


def test_the_kernel_is_the_mean_of_many_features() -> None:
    task = task_of({**CELL, "P": 5})
    directions = generator(1, role="initialisation").standard_normal((8, 400_000))
    shown = features(task.x, directions)
    np.testing.assert_allclose(shown @ shown.T, kernel(task.x, task.x), atol=0.01)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.7, np.pi])
def test_the_kernel_of_two_inputs_at_an_angle_is_an_integral_over_the_plane(angle: float) -> None:
    def both(turn: float) -> float:
        return max(0.0, np.cos(turn)) * max(0.0, np.cos(turn - angle))

    # 2 E[r^2] = 4 over the uniform direction of w in the plane of both.
    integral = 4 * quad(both, -np.pi, np.pi, limit=200)[0] / (2 * np.pi)
    pair = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    assert kernel(pair, pair)[0, 1] == pytest.approx(integral, abs=1e-6)


@pytest.mark.parametrize("n_features", [20, 60, 150])
def test_the_readout_is_the_limit_of_small_ridge(n_features: int) -> None:
    task = task_of(CELL)
    shown = features(task.x, generator(1, role="initialisation").standard_normal((8, n_features)))
    ridged = Ridge(alpha=1e-9, fit_intercept=False, solver="svd").fit(shown, task.y)
    np.testing.assert_allclose(least_norm(shown, task.y), ridged.coef_, rtol=1e-2, atol=1e-3)


def test_the_effective_ridge_solves_its_equation_and_vanishes_with_enough_features() -> None:
    eigenvalues = np.linalg.eigvalsh(kernel(*[task_of(CELL).x] * 2))
    ridge = effective_ridge(eigenvalues, 20)
    assert np.sum(eigenvalues / (eigenvalues + ridge)) == pytest.approx(20)
    assert effective_ridge(eigenvalues, 60) == 0


def test_an_infinite_ensemble_is_the_kernel_and_a_member_is_not() -> None:
    row = run(CELL).row
    assert row["mse_limit"] == pytest.approx(row["mse_kernel"], rel=0.1)
    assert row["mse"] > 1.3 * row["mse_kernel"]
    assert row["training_mse"] < 1e-16
    few = run({**CELL, "N": 20}).row
    assert few["training_mse"] > 0.01
    assert few["mse_limit"] == pytest.approx(few["mse_ridge"], rel=0.25)
    assert few["mse_limit"] != pytest.approx(few["mse_kernel"], rel=0.1)


@pytest.mark.parametrize("data", ["sphere", "digits", "srhm"])
def test_points_have_norm_1_and_more_of_them_begin_with_the_same(data: str) -> None:
    few, many = (task_of({**CELL, "data": data, "P": P}) for P in (10, 20))
    np.testing.assert_allclose(np.linalg.norm(many.x, axis=1), 1)
    np.testing.assert_array_equal(many.x[:10], few.x)
    np.testing.assert_array_equal(many.y[:10], few.y)
    if data != "sphere":
        assert set(many.y) == {-1, 1}


def invented(*, decay: float = -1, flat: float = 1, ridge: float = 1):
    section = RandomFeaturesSection.model_validate(SECTION)
    rows = []
    for curve in STUDY.plan(section, None).curves.values():
        for entry in curve.entries:
            cell = entry["cell"]
            ratio, off = cell["N_over_P"], 1 + 0.001 * cell["seed"]
            variance = 0.1 * off * (max(ratio - 1, 0.05) / 7) ** decay
            limit = 0.2 * (flat if ratio > 1 else ridge)
            rows.append(
                {
                    **{"curve": curve.name, "key": entry["key"], "status": "done", **cell},
                    **{"variance": variance, "mse_limit": limit, "mse_kernel": 0.2},
                    **{"mse_ridge": 0.2, "mse_ensemble": limit + variance / cell["members"]},
                    "mse": 100.0 if ratio == 1 else limit + variance,
                    **{"error": 0.1, "error_ensemble": 0.05, "error_kernel": 0.05},
                }
            )
    return pd.DataFrame(rows, columns=CELLS.names)


def verdicts(cells: pd.DataFrame) -> dict[str, str]:
    card = scorecard({"cells": cells}, CLAIMS)
    return dict(zip(card["claim"], card["verdict"], strict=True))


def test_claims_hold_where_the_cells_are_as_the_theory_says() -> None:
    found = verdicts(invented())
    expected = {"variance", "excess", "flat", "ridge"}
    assert {name for name, one in found.items() if one == "reproduced"} == {
        f"random-features-{name}" for name in expected
    }


@pytest.mark.parametrize(
    ("changed", "claim"),
    [({"decay": -0.5}, "variance"), ({"decay": -0.5}, "excess"),
     ({"flat": 1.2}, "flat"), ({"ridge": 0.7}, "ridge")],
)  # fmt: skip
def test_claims_do_not_hold_where_they_are_not(changed: dict[str, float], claim: str) -> None:
    assert verdicts(invented(**changed))[f"random-features-{claim}"] == "differs"


def test_a_claim_without_its_rows_is_not_decided() -> None:
    cells = invented()
    found = verdicts(cells[cells["N_over_P"] < 1])
    assert found["random-features-variance"] == "inconclusive"
    assert found["random-features-flat"] == "inconclusive"


def test_the_figure_shows_single_members_their_limit_and_the_laws() -> None:
    cells = invented()
    figure = rendered(draw(cells, preset="test"))
    axes = figure.axes[1]  # digits
    single = dict(points(axes, "mse", whole=True))
    assert single[1] == pytest.approx(100)
    assert single[8] == pytest.approx(0.3, rel=0.01)
    assert dict(points(axes, "mse_limit"))[8] == pytest.approx(0.2)
    assert points(axes, "mse_kernel")[0][1] == pytest.approx(0.2)
    # The variance at N = P has no mean: it is not drawn.
    assert 1 not in dict(points(figure.axes[3], "variance data=digits"))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"data": "digits", "P": 1500}, "at most 1797"),
        ({"data": "srhm", "P": 8000}, "at most 8192"),
        ({"P": 10, "N_over_P": 0.01}, "at least one feature"),
        ({"members": 1}, "greater than or equal to 2"),
        ({"width": 3}, "Extra inputs"),
    ],
)
def test_a_section_that_cannot_be_computed_is_refused(changed: dict, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        RandomFeaturesSection.model_validate({"curves": [{**SECTION["curves"][0], **changed}]})
