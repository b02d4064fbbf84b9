"""Closed forms of the paper, against values and identities worked out by hand."""

from math import exp, log, sqrt

import pytest

from srhm.model import theory

BASE = {"depth": 2, "branching": 2, "n_synonyms": 4, "n_classes": 4, "n_empty": 1}


def predicted(net, **changes):
    return theory.predicted_sample_complexity(net, **{**BASE, **changes})


@pytest.mark.parametrize(
    ("net", "changes", "value"),
    [
        # Eq. 3 with C_0 = s^(L/2)
        ("lcn", {}, 2 * 2**2 * 4 * 4**2),
        ("lcn", {"n_empty": 0}, 2 * 4 * 4**2),
        ("lcn", {"depth": 3, "n_empty": 2}, sqrt(8) * 3**3 * 4 * 4**3),
        ("lcn", {"branching": 3, "n_synonyms": 16}, 3 * 2**2 * 4 * 16**2),
        # Eq. 4 with C_1 = 1
        ("cnn", {}, 2**2 * 4 * 4**2),
        ("cnn", {"depth": 3, "n_empty": 2}, 3**2 * 4 * 4**3),
        ("cnn", {"n_classes": 2}, 2**2 * 2 * 4**2),
        ("cnn", {"branching": 3, "n_synonyms": 16}, 2**2 * 4 * 16**2),
    ],
)
def test_the_predicted_sample_complexity_has_the_value_worked_out_by_hand(net, changes, value):
    assert predicted(net, **changes) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("n_empty", [0, 1, 7])
@pytest.mark.parametrize(("branching", "n_synonyms"), [(2, 4), (3, 5), (5, 10**4)])
def test_equation_5_is_equation_3_per_class_in_terms_of_d_and_F(
    depth, n_empty, branching, n_synonyms
):
    log_dimension = depth * log(branching * (n_empty + 1))
    log_fraction = -depth * log(n_empty + 1)
    by_equation_5 = theory.log_sample_complexity_lcn(
        log_dimension, log_fraction, n_synonyms=n_synonyms, branching=branching
    )
    by_equation_3 = predicted(
        "lcn", depth=depth, n_empty=n_empty, branching=branching, n_synonyms=n_synonyms, n_classes=1
    )
    assert exp(by_equation_5) == pytest.approx(by_equation_3, rel=1e-9)
