"""Exponents of invented learning curves whose P* follow powers of s_0+1."""

import pandas as pd
import pytest
from drawn import assert_on_page, points, rendered
from tables import grammar

from srhm_studies.learning_curves.cnn_exponent.claims import CLAIMS
from srhm_studies.learning_curves.cnn_exponent.figures import cnn_exponent, exponents

DEEP = {1: 2.0**2.2, 2: 3.0**2.2, 3: 3.0**2.2 * (4 / 3) ** 1.9}  # P* over its constant, by s_0


def invented_cells(*, dead=()):
    """Networks just below and above P*; dead: (v, s0, seed) of which that below is dead."""
    curves = [("deep", 4, v, s0, 64, 0.001, DEEP[s0]) for v in (3, 4) for s0 in DEEP]
    curves += [("slow", 4, v, s0, 64, 0.0003, (s0 + 1) ** (1.8 if v == 3 else 1.9))
               for v in (3, 4) for s0 in DEEP]  # fmt: skip
    curves += [("wide", 2, v, s0, width, 0.01, (s0 + 1) ** (1.6 if width == 512 else 1.3))
               for width in (128, 512) for v in (8, 12) for s0 in (1, 4)]  # fmt: skip
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
    measured = {claim.identifier: claim.measure({"exponents": table}).value for claim in CLAIMS}
    assert measured["cnn-exponent-deep-falls"] == pytest.approx(0.3, abs=1e-6)
    # On the grammars of v = 3 from s_0 = 1 to 3: the fit of three points is 2.09.
    assert measured["cnn-exponent-smaller-rate"] == pytest.approx(1.8, abs=1e-6)
    assert measured["cnn-exponent-rate"] == pytest.approx(-0.29, abs=0.01)
    assert measured["cnn-exponent-smaller-rate-v4"] == pytest.approx(1.9, abs=1e-6)
    assert measured["cnn-exponent-rate-v4"] == pytest.approx(-0.19, abs=0.01)
    assert measured["cnn-exponent-512-change"] == pytest.approx(0, abs=1e-6)


def test_a_grammar_whose_p_star_only_a_dead_network_bounds_has_no_exponent():
    table = exponents(invented_cells(dead={(4, 2, 201)}), threshold=0.1)
    deep = table[(table["learning_rate"] == 0.001) & (table["v"] == 4) & (table["seed"] == 201)]
    assert deep.empty


def test_the_figure_draws_each_grammar_beside_the_means():
    table = exponents(invented_cells(), threshold=0.1)
    figure = rendered(cnn_exponent(table, preset="invented"))
    deep, wide = figure.axes[:2]
    # Two grammars: of two v and rates at three places; of two v and widths.
    assert len(points(deep, "grammar")) == 24
    assert len(points(wide, "grammar")) == 8
    means = sorted(y for _, y in points(deep, "exponent"))
    assert means == pytest.approx([1.85, 1.85, 1.85, 1.9, 2.09, 2.2], 0.01)
    assert_on_page(figure)
