"""Claims and figure of the softmax on invented sensitivities; answers that are certain, drawn."""

import numpy as np
import pandas as pd
import pytest
from drawn import assert_on_page
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from srhm.scorecard.card import scorecard
from srhm.studies.softmax_outputs.analysis import of_certain_answers
from srhm.studies.softmax_outputs.claims import CLAIMS
from srhm.studies.softmax_outputs.figures import draw
from srhm.studies.softmax_outputs.measure import OUTPUTS

SIZES = (100, 200, 400, 800, 1600)
ERRORS = (0.6, 0.3, 0.05, 0.01, 0.0)  # P* between 200 and 400, at 348
NETS = ("lcn", "cnn")


def invented(softmax_of=None, *, errors=ERRORS, depths=(2, 3)):
    """Tables of a curve for each net and depth; softmax_of(net, L, P, seed, error), S at l = L."""
    cells, rows = [], []
    for net in NETS:
        for depth in depths:
            for size, error in zip(SIZES, errors, strict=True):
                for seed in range(3):
                    key = f"{net}-{depth}-{size}-{seed}"
                    cells.append(
                        {"key": key, "net": net, "L": depth, "s": 2, "s0": 1, "v": 4, "m": 4,
                         "n_c": 4, "P": size, "seed": seed, "test_error": error}
                    )  # fmt: skip
                    top = of_certain_answers(error, 4) * (1 + 0.01 * seed)
                    if softmax_of is not None:
                        top = softmax_of(net, depth, size, seed, top)
                    rows += [
                        {
                            "curve": f"{net}_{depth}", "key": key, "variant": "text",
                            "kind": kind, "l": level,
                            "logits": 0.5 + 0.01 * seed if (kind, level) == ("S", depth) else 0.9,
                            "logits_error": 0.01,
                            "softmax": top if (kind, level) == ("S", depth) else 0.9,
                            "softmax_error": 0.01, "n": 500, "n_draws": 4,
                        }
                        for kind in "SD" for level in range(1, depth + 1)
                    ]  # fmt: skip
    return {
        "outputs": pd.DataFrame(rows, columns=OUTPUTS.names),
        "cells": pd.DataFrame(cells),
    }


def scored(tables):
    return scorecard(tables, CLAIMS).set_index("claim")


def test_a_softmax_that_counts_few_wrong_answers_keeps_the_bound():
    card = scored(invented())
    for net in NETS:
        for depth in (2, 3):
            row = card.loc[f"s-softmax-{net}-L{depth}"]
            assert row["verdict"] == "reproduced"
            assert row["value"] == pytest.approx(0)  # P = 1600 alone is above 4 P*
            assert "left out: 12 below 4 P*" in row["note"]
        assert card.loc[f"s-certain-{net}", "verdict"] == "reproduced"  # 1.01 times, each alike
        assert card.loc[f"s-certain-{net}", "value"] == pytest.approx(np.log(1.01), abs=1e-4)


def test_a_softmax_that_stays_sensitive_is_found_false_in_its_net_and_depth_alone():
    def stays(net, depth, size, seed, top):
        return 0.4 + 0.01 * seed if (net, depth) == ("cnn", 3) else top

    verdicts = scored(invented(stays))["verdict"]
    assert verdicts["s-softmax-cnn-L3"] == "differs"
    assert verdicts["s-softmax-cnn-L2"] == verdicts["s-softmax-lcn-L3"] == "reproduced"


def test_sensitivities_below_four_p_star_do_not_count():
    def early(net, depth, size, seed, top):
        return 0.9 if size < 1600 else top

    assert set(scored(invented(early))["verdict"].filter(like="s-softmax")) == {"reproduced"}


def test_a_softmax_far_from_that_of_certain_answers_is_found_false():
    def half(net, depth, size, seed, top):
        return 0.5 * top if net == "lcn" else top

    verdicts = scored(invented(half))["verdict"]
    assert verdicts["s-certain-lcn"] == "differs"
    assert verdicts["s-certain-cnn"] == "reproduced"


def test_errors_below_three_percent_do_not_count_for_certain_answers():
    def late(net, depth, size, seed, top):
        return 0.3 if size >= 800 else top

    row = scored(invented(late)).loc["s-certain-lcn"]
    assert row["value"] == pytest.approx(np.log(1.01), abs=1e-4)
    assert "left out: 12 with a test error below 3%" in row["note"]


def test_curves_without_p_star_and_networks_without_values_are_left_out():
    card = scored(invented(errors=(0.6, 0.5, 0.4, 0.3, 0.2)))
    assert card.loc["s-softmax-lcn-L2", "verdict"] == "inconclusive"
    assert "15 of curves without a P*" in card.loc["s-softmax-lcn-L2", "note"]
    lost = scored(invented(lambda *_: np.nan)).loc["s-softmax-lcn-L2"]
    assert lost["verdict"] == "inconclusive"
    assert "3 not measured" in lost["note"]
    nothing = {name: table.head(0) for name, table in invented().items()}
    assert set(scored(nothing)["verdict"]) == {"inconclusive"}


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


def lines_of(axes):
    return {str(line.get_gid()): line for line in axes.get_lines()}


def test_both_outputs_are_drawn_at_their_averages_with_certain_answers_beside():
    tables = invented()
    figure = draw(tables["outputs"], tables["cells"], preset="invented")
    FigureCanvasAgg(figure).draw()
    assert_on_page(figure)
    panels = [axes for axes in figure.axes if axes.get_lines()]
    assert [axes.get_title(loc="left").split("  ")[1][:5] for axes in panels] == ["$L=2$", "$L=3$"]
    named = {text.get_text() for text in figure.findobj(Text)}
    assert {"LCN", "CNN", "logits", "softmax"} <= named
    expected = [of_certain_answers(error, 4) for error in ERRORS]
    for axes in panels:
        lines = lines_of(axes)
        for net in NETS:
            logits = lines[f"S net={net} output=logits"]
            assert list(logits.get_xdata()) == list(SIZES)
            assert list(logits.get_ydata()) == pytest.approx([0.51] * 5)
            assert logits.get_linestyle() == "--"
            drawn = lines[f"S net={net} output=softmax"]
            assert list(drawn.get_ydata()) == pytest.approx([1.01 * one for one in expected])
            assert drawn.get_linestyle() == "-"
            certain = lines[f"certain net={net}"]
            assert list(certain.get_ydata()) == pytest.approx(expected)
        assert lines["threshold"].get_ydata()[0] == 0.2


def test_without_rows_nothing_is_drawn():
    tables = invented()
    figure = draw(tables["outputs"].head(0), tables["cells"], preset="invented")
    FigureCanvasAgg(figure).draw()
    assert not any(axes.get_lines() for axes in figure.axes)
