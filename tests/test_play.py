"""The page to play with: from the same numbers its data and its training are those of Python."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from headless import said_by
from markup import wrong

from srhm.data import train_and_test
from srhm.measure.sensitivity import Probe, one_node, sensitivities, transform
from srhm.model.encoding import symbols
from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.seeding import generator
from srhm.networks.geometry import geometry, initial_weights
from srhm.report.play.page import PAGE, PROTOCOL, WIDTH, page_of_shipped_rows
from srhm.training.reference import ReferenceEngine

ROOT = Path(__file__).parents[1]
STEPS, N_POINTS, N_DRAWS = 100, 60, 2
# (net, L, v, m, s_0)
CASES = (("cnn", 2, 4, 4, 1), ("lcn", 2, 5, 3, 2), ("lcn", 1, 8, 8, 1))
CURVE = ([128, 203, 323, 512, 813], [0.6, 0.05, 0.4, 0.2, 0.05])


@pytest.fixture(scope="module")
def html():
    return (ROOT / PAGE).read_text(encoding="utf-8")


def test_the_page_of_the_repository_is_that_of_its_scripts_and_rows_and_small(html):
    assert html == page_of_shipped_rows(), "make readme writes it anew"
    assert len(html.encode()) < 150_000
    # Nothing that a browser would ask a network for.
    addresses = set(re.findall(r"https?://[^\s\"']+", html))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(?:link|img|iframe)\b|\bsrc=|@import|\burl\(", html)


class Case:
    """A grammar, its data, a network and its batches, drawn by Python."""

    def __init__(self, net, depth, v, m, n_empty):
        self.net = net
        parameters = GrammarParameters(
            depth=depth, branching=2, n_features=v, n_synonyms=m, n_classes=v, n_empty=n_empty
        )
        self.grammar = draw_grammar(parameters, generator=generator(0, role="grammar"))
        self.train, self.test = train_and_test(self.grammar, n_train=90, n_test=N_POINTS, seed=0)
        ranks = generator(0, role="train").permutation(parameters.n_distinct)
        self.ranks = [ranks[: len(self.train)], ranks[::-1][: len(self.test)]]
        self.geometry = geometry(net, parameters, width=WIDTH)
        self.weights = initial_weights(self.geometry, generator=generator(0, role="initialisation"))
        order = generator(0, role="order")
        size = STEPS * PROTOCOL.batch_size
        self.order = np.concatenate([order.permutation(90) for _ in range(-(-size // 90))])[:size]
        self.images = transform(self.test, self.grammar, n_draws=N_DRAWS, seed=0, variant="text")

    def as_json(self):
        p = self.grammar.parameters
        return {
            "grammar": {
                **{"L": p.depth, "v": p.n_features, "m": p.n_synonyms},
                **{"nc": p.n_classes, "s0": p.n_empty},
                "rules": [rules.tolist() for rules in self.grammar.rules],
            },
            "net": self.net,
            "ranks": [ranks.tolist() for ranks in self.ranks],
            "weights": flat(self.weights),
            "order": self.order.tolist(),
            "images": {kind: rows(self.images[kind, 1]) for kind in "SD"},
        }

    def engine(self, dtype):
        return ReferenceEngine(
            self.geometry,
            self.weights,
            self.train,
            self.test,
            batch_size=PROTOCOL.batch_size,
            rate=PROTOCOL.learning_rate * WIDTH,
            momentum=PROTOCOL.momentum,
            dtype=dtype,
        )

    def sensitivities(self, engine):
        def represent(data):
            x = engine._tensors(data)[0]
            return [one_node(engine.network(x).detach().numpy())]

        probe = Probe(("output",), represent, self.geometry.n_classes)
        found = sensitivities(probe, self.test, self.images, n_draws=N_DRAWS)
        return {row["kind"]: row["value"] for row in found if row["l"] == 1}


def flat(weights):
    """All weights in the order of the page: layer by layer, then the readout."""
    return np.concatenate([array.ravel() for array in weights.values()]).tolist()


def rows(data):
    """Data as the page keeps them."""
    each = zip(data.labels, data.choices, data.placements, strict=True)
    names = ("label", "choices", "placements")
    return [dict(zip(names, (x.tolist() for x in one), strict=True)) for one in each]


COMPARED = Path(__file__).with_name("play_compared.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compared(html, tmp_path_factory):
    """Cases, and what the page makes of each."""
    cases = [Case(*one) for one in CASES]
    given = {
        "CASES": [one.as_json() for one in cases],
        "TASK": {"H": WIDTH, "protocol": PROTOCOL.model_dump()},
        "SIZE": PROTOCOL.batch_size,
        "CURVE": CURVE,
    }
    names = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in given.items())
    said = said_by(html, names + COMPARED, tmp_path_factory.mktemp("compared"))
    return list(zip(cases, said["cases"], strict=True)), said


def test_data_are_those_of_python(compared):
    for case, found in compared[0]:
        for data, name in ((case.train, "train"), (case.test, "test")):
            assert found[name] == rows(data)
        assert found["symbols"] == symbols(case.train, case.grammar.parameters).tolist()
        assert found["read"] == found["train"]


def test_a_hundred_steps_are_those_of_python_within_rounding(compared):
    """The page keeps weights and momenta in single precision and sums in double.

    A step then moves a weight by half a spacing of single precision at most, of the weight and of
    the step: 100 steps by 100 of these, if all err in one direction. Python's own single precision
    may be as far from double precision; the page is not farther than twice that.
    """
    for case, found in compared[0]:
        double, single = case.engine(np.float64), case.engine(np.float32)
        start = np.array(flat(case.weights))
        spacing = np.spacing(np.float32(abs(start).max()))
        size = PROTOCOL.batch_size
        loss = double.steps(case.order[:size])
        np.testing.assert_allclose(found["first"], flat(double.weights()), rtol=0, atol=spacing)
        loss += double.steps(case.order[size:])
        single.steps(case.order)
        expected = np.array(flat(double.weights()))
        assert abs(expected - start).max() > 0.1  # they have learnt something
        of_page, of_python = (
            abs(np.array(one) - expected).max() for one in (found["last"], flat(single.weights()))
        )
        print(f"{case.net}: {of_page:.1e}, Python's single precision {of_python:.1e}")
        assert of_page <= STEPS * spacing
        assert of_page <= 2 * of_python
        assert found["loss"] * size == pytest.approx(loss * size, rel=1e-5)
        assert found["error"] == pytest.approx(double.test_error())
        for kind, value in case.sensitivities(double).items():
            assert found[kind] == pytest.approx(value, rel=1e-4), kind


@pytest.mark.slow
def test_the_page_has_no_wrong_markup_and_no_barrier(html, tmp_path):
    assert wrong(html, tmp_path) == []
