"""The sensitivity of answers that are certain, against answers that are drawn."""

import numpy as np
import pytest

from srhm_studies.learning_curves.softmax_outputs.analysis import of_certain_answers


@pytest.mark.parametrize("error", [0.0, 0.02, 0.3, 0.75])
def test_certain_answers_have_the_sensitivity_of_answers_that_are_drawn(error):
    """Answers of 2 x 10^5 data of four classes; all numbers within five standard errors."""
    rng, n, classes = np.random.default_rng(5), 200_000, 4

    def answers(labels):
        shift = np.where(rng.random(n) < error, rng.integers(1, classes, size=n), 0)
        return np.eye(classes)[(labels + shift) % classes]

    labels = rng.integers(classes, size=n)
    one, image, other = answers(labels), answers(labels), answers(rng.integers(classes, size=n))
    found = ((one - image) ** 2).sum(axis=1).mean() / ((one - other) ** 2).sum(axis=1).mean()
    assert found == pytest.approx(of_certain_answers(error, classes), abs=5 * 0.003)
    if error == 0.75:  # a guess
        assert of_certain_answers(error, classes) == pytest.approx(1)
