"""The page to play with: from the same numbers its data and its training are those of Python."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from headless import said_by

from srhm.commands.play import PAGE, page_of_shipped_rows
from srhm.data import train_and_test
from srhm.measure.sensitivity import Probe, one_node, sensitivities, transform
from srhm.model.encoding import symbols
from srhm.model.grammar import GrammarParameters, draw_grammar
from srhm.model.parsing import parse
from srhm.model.sampling import derive
from srhm.model.seeding import generator
from srhm.model.theory import predicted_sample_complexity
from srhm.networks.geometry import geometry, initial_weights
from srhm.play.page import PROTOCOL, WIDTH
from srhm.statistics.sample_complexity import crossing
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
    assert html == page_of_shipped_rows(), "make play writes it anew"
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


def derivations(grammar, data):
    """Data of the page as those of Python."""
    columns = [np.array([one[name] for one in data]) for name in ("label", "choices", "placements")]
    return derive(grammar, *columns)


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


def test_what_the_page_draws_is_of_the_model(compared):
    for case, found in compared[0]:
        p = case.grammar.parameters
        # All tuples of a level are different.
        own = tuple(np.array(one) for one in found["own"])
        for level, tuples in enumerate(own, start=1):
            assert tuples.shape == case.grammar.rules[level - 1].shape
            flat_tuples = tuples.reshape(-1, 2).tolist()
            assert len({tuple(one) for one in flat_tuples}) == len(flat_tuples)
            assert 0 <= tuples.min() <= tuples.max() < p.n_features
        assert sorted(found["numbers"]) == list(range(1000))
        assert found["numbers"] != sorted(found["numbers"])
        for level in range(1, p.depth + 1):
            nodes = slice(2 ** (p.depth - level) - 1, 2 ** (p.depth - level + 1) - 1)
            for kind in "SD":
                image = derivations(case.grammar, found[f"{kind}_images"][level - 1])
                for row, label in zip(symbols(image, p), case.test.labels, strict=True):
                    assert parse(row, case.grammar).label == label
                changed = image.choices[:, nodes] != case.test.choices[:, nodes]
                if kind == "S":
                    assert changed.all()
                    assert (image.placements == case.test.placements).all()
                else:
                    assert (image.choices == case.test.choices).all()
                    moved = image.placements != case.test.placements
                    # Drawn anew, so that one of n_placements stays where it was.
                    part = 1 - 1 / p.n_placements
                    assert moved[:, nodes].mean() == pytest.approx(part, abs=0.2)
                    moved[:, nodes] = False
                    assert not moved.any()
                above = slice(0, nodes.start)
                assert (image.choices[:, above] == case.test.choices[:, above]).all()
        law = predicted_sample_complexity(
            case.net,
            depth=p.depth,
            branching=2,
            n_synonyms=p.n_synonyms,
            n_classes=p.n_classes,
            n_empty=p.n_empty,
        )
        assert found["law"] == pytest.approx(law)


def test_random_numbers_and_the_crossing(compared):
    said = compared[1]
    drawn = np.array(said["gaussian"])
    assert abs(drawn.mean()) < 4 / np.sqrt(len(drawn))
    assert drawn.std() == pytest.approx(1, abs=0.03)
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 4 / np.sqrt(len(drawn))
    assert len(set(said["streams"])) == len(said["streams"])
    found = crossing(*(np.array(one, dtype=float) for one in CURVE), 0.1)
    assert said["crossing"] == pytest.approx(np.exp(found.log_size))


PLAYED = Path(__file__).with_name("play_played.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (400, True)])
def test_it_is_played_with(html, tmp_path, width, dark):
    said = said_by(html, PLAYED, tmp_path, width=width, dark=dark)
    assert said["requests"] == []
    assert said["wide"] <= 0, "the page is wider than the screen"
    assert said["ground"] == ("rgb(22, 22, 22)" if dark else "rgb(255, 255, 255)")
    assert said["first"]["tree"].startswith("Tree of the datum. Class ")
    assert "The archive's curve falls from 0.61 at P = 128" in said["first"]["chart"]
    assert said["first"]["lines"] == 3
    # The class, read from the symbols, stays as it is; another symbol may change it.
    for name, changed, words in said["changes"]:
        assert changed, name
        assert words.endswith("as before.")
        assert not re.search(r" 0 of \d+ symbols", words)
    assert any("no longer" in words for words in said["spoilt"][:20])
    assert any("it has no class" in words for words in said["spoilt"][20:])
    # Without empty places nothing moves, and there are too few data: n_c m^3 = 32.
    assert said["still"] == [False, True, True]
    assert said["few"][0]
    assert "There are 8 data" in said["few"][1]
    assert said["tree"].count("at place") == 6
    assert said["focus"] == "stop"
    assert said["again"] == "train"
    # Test error, S and D fall together.
    first, *_, last = said["points"]
    assert [row[:3] for row in said["points"]] == [
        ["CNN", "1", str(P)] for P in (54, 86, 136, 216, 343, 544)
    ]
    for column in (3, 4, 5):
        assert float(last[column]) < 0.3 * float(first[column])
    assert float(first[3]) > 0.3
    assert float(last[3]) < 0.05
    assert said["marks"] == 3 * len(said["points"])
    assert "P* here" in said["star"]
    assert said["answers"][-1] == "right"
    assert len(said["answers"]) == len(said["points"])
    assert said["stopped"] == ["Stopped.", True, False]
    assert said["unnamed"] == []
    assert said["beyond_keys"] == 0
