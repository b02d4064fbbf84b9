"""Exponents of invented learning curves whose P* follow powers of s_0+1."""

import pandas as pd
import pytest
from tables import grammar

from srhm_studies.learning_curves.cnn_exponent.figures import exponents

DEEP = {1: 2.0**2.2, 2: 3.0**2.2, 3: 3.0**2.2 * (4 / 3) ** 1.9}  # P* over its constant, by s_0


def invented_cells(*, dead=()):
    """Networks just below and above P*; dead: (v, s0, seed) of which that below is dead."""
    curves = [("deep", 4, v, s0, 64, 0.001, DEEP[s0]) for v in (3, 4) for s0 in DEEP]
    curves += [
        ("wide", 2, 8, s0, width, 0.01, (s0 + 1) ** (1.6 if width == 512 else 1.3))
        for width in (128, 512)
        for s0 in (1, 4)
    ]
    rows = []
    for kind, L, v, s0, width, rate, factor in curves:
        for seed in (200, 201):
            for step, error in ((-1, 0.4**2), (1, (2 * 0.1**0.5 - 0.4) ** 2)):
                gone = step < 0 and (v, s0, seed) in dead and kind == "deep"
                rows.append({**grammar("cnn", L, v, s0), "curve": f"{kind} {v} {s0} {width}",
                             "width": width, "learning_rate": rate, "seed": seed,
                             "P": 1000 * factor * 2 ** (step / 4),
                             "test_error": 0.999 if gone else error, "train_loss": 1.4,
                             "status": "capped" if gone else "fitted"})  # fmt: skip
    return pd.DataFrame(rows)


def test_exponents_are_those_of_the_law():
    table = exponents(invented_cells(), threshold=0.1)
    mean = table.groupby(["learning_rate", "width", "of"])["exponent"].mean()
    assert mean[0.001, 64, "1 to 2"] == pytest.approx(2.2, abs=1e-6)
    assert mean[0.001, 64, "2 to 3"] == pytest.approx(1.9, abs=1e-6)
    assert mean[0.01, 128, "all"] == pytest.approx(1.3, abs=1e-6)
    assert mean[0.01, 512, "all"] == pytest.approx(1.6, abs=1e-6)


def test_a_grammar_whose_p_star_only_a_dead_network_bounds_has_no_exponent():
    table = exponents(invented_cells(dead={(4, 2, 201)}), threshold=0.1)
    deep = table[(table["learning_rate"] == 0.001) & (table["v"] == 4) & (table["seed"] == 201)]
    assert deep.empty
