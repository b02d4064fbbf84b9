"""Exponents, claims and figure of depth on invented curves; one net of L = 4 by two engines."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from drawn import assert_on_page, points, rendered
from tables import curve, falling

from srhm.networks.geometry import geometry, initial_weights
from srhm.scorecard.card import scorecard
from srhm.statistics.exponents_of_grammars import complexities
from srhm.studies.depth import analysis
from srhm.studies.depth.claims import CLAIMS, law
from srhm.studies.depth.figures import draw
from srhm.training.dense import DenseEngine
from srhm.training.sparse import SparseEngine


def invented(power=law, *, first=1.0, seeds=3):
    """Cells of P* = 100 v (s_0+1)^power, larger by `first` at s_0 > 0."""
    rows = []
    for net, L, v, s0 in product(("lcn", "cnn"), (2, 3, 4), (3, 4), (0, 1, 2)):
        one = curve(net, L, v, s0)
        star = 100 * v * (s0 + 1) ** power(net, L) * (first if s0 else 1)
        for seed, P in product(range(seeds), np.unique(np.round(star * 2.0 ** np.arange(-2, 3)))):
            own = star * 1.1**seed * (s0 + 1) ** (0.05 * (seed - 1))
            error = falling(P, own, start=0.7, threshold=0.1, floor=0.001)
            row = {**one, "key": f"{one['curve']}-{P}-{seed}", "P": int(P), "seed": seed}
            rows.append({**row, "test_error": error, "best_test_error": error})
    return pd.DataFrame(rows).assign(status="fitted", train_loss=1e-3)


def exponents(*args, **options):
    return analysis.exponents(invented(*args, **options), threshold=0.1)


def scored(table):
    return scorecard({"exponents": table}, CLAIMS).set_index("claim")


def test_laws_that_hold_agree():
    card = scored(exponents())
    assert len(card) == 12
    assert set(card["verdict"]) <= {"reproduced"}
    assert card.loc["depth-exponent-lcn-4", "value"] == pytest.approx(4, abs=0.05)
    assert card.loc["depth-exponent-cnn-3", "n"] == 6


def test_another_power_is_found_false():
    card = scored(exponents(lambda net, L: law(net, L) + 0.5 * (L - 1)))
    assert set(card.loc[[name for name in card.index if "exponent" in name], "verdict"]) == {
        "differs"
    }
    assert set(card.loc[["depth-deeper-3", "depth-deeper-4"], "verdict"]) == {"differs"}
    assert card.loc["depth-deeper-4", "value"] == pytest.approx(0.5, abs=0.05)


def test_a_first_empty_place_that_costs_more_is_found():
    card = scored(exponents(first=2.0))
    own = card.loc[[name for name in card.index if name.startswith("depth-first-")]]
    assert len(own) == 4
    assert set(own["verdict"]) == {"differs"}
    assert own["value"].tolist() == pytest.approx([1.0] * 4, abs=0.1)


def test_figure_draws_every_curve_and_power():
    cells = invented()
    table = complexities(cells, thresholds=[0.1])
    figure = rendered(draw(table, exponents(), preset="test", threshold=0.1))
    assert_on_page(figure)
    assert len(points(figure.axes[0], "P* v=3 L=4")) == 3
    assert len(points(figure.axes[3], "power of=all")) == 3
    assert not draw(table.head(0), exponents().head(0), preset="test", threshold=0.1).axes


def test_the_dense_engine_trains_a_net_of_four_layers_as_the_sparse_one_does(make_sample):
    sizes = {"branching": 2, "n_features": 3, "n_synonyms": 3, "n_classes": 3, "sparsity": "A"}
    grammar, training, test = make_sample(n_train=30, n_test=20, depth=4, n_empty=1, **sizes)
    order = np.random.default_rng(1).integers(len(training), size=80)
    for net in ("cnn", "lcn"):
        shape = geometry(net, grammar.parameters, width=5)
        start = initial_weights(shape, generator=np.random.default_rng(0), dtype=np.float64)
        sparse, dense = (
            engine(shape, start, training, test, batch_size=4, rate=0.05, momentum=0.9,
                   dtype=np.float64)
            for engine in (SparseEngine, DenseEngine)
        )  # fmt: skip
        assert sparse.steps(order) == pytest.approx(dense.steps(order), rel=1e-9)
        for name, value in sparse.weights().items():
            np.testing.assert_allclose(value, dense.weights()[name], rtol=1e-8, atol=1e-10)
