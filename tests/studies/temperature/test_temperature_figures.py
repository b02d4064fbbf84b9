"""What the study's figures show, on invented tables."""

import numpy as np
import pandas as pd
import pytest
from drawn import lines, points, rendered, texts
from temperature_tables import (
    DEEP,
    FEWER_SYNONYMS,
    GRAMMARS,
    cells_of,
    curve,
    felt,
    line,
    lines_of_families,
    tables_of,
)

from srhm.studies.temperature.analysis import EXPONENTS, LIMITS
from srhm.studies.temperature.figures import exponents, in_time, ratios
from srhm.studies.temperature.histories import HISTORIES, SENSITIVITY_HISTORIES

PRESET = "invented"


@pytest.fixture(scope="module")
def tables():
    cells = pd.concat(
        [
            lines_of_families(nets=["cnn", "lcn"], grammars=(*GRAMMARS, *FEWER_SYNONYMS)),
            lines_of_families(grammars=DEEP),
            cells_of(
                curve(batch_size=16, learning_rate=0.04),
                curve(momentum=0.0, learning_rate=0.1),
                curve(width=128),
                curve(batch_size=10**6, learning_rate=0.32),
                curve(engine="reference"),
            ),
        ],
        ignore_index=True,
    )
    return tables_of(cells, felt(cells))


def test_each_line_is_drawn_over_its_law_with_its_limit(tables):
    table, limits = tables["complexities"], tables["limits"]
    figure = ratios.draw(table, limits, preset=PRESET)
    first = figure.axes[0]
    drawn = np.concatenate(lines(first, "line v=6 s0=1"))
    own = table[(table["criterion"] == "test_error") & (table["threshold"] == 0.1)]
    own = own[(own["net"] == "cnn") & (own["s0"] == 1) & (own["v"] == 6) & (own["L"] == 2)]
    own = own[(own["batch_size"] == 4) & (own["momentum"] == 0.9) & (own["width"] == 64)]
    own = own[own["engine"] == "sparse"].sort_values("ratio")
    assert drawn[:, 1].tolist() == pytest.approx((own["P_star"] / own["prediction"]).tolist())
    # side by side with v = 8
    assert drawn[:, 0].tolist() == pytest.approx(own["ratio"].tolist(), rel=0.05)
    expected = limits[(limits["net"] == "cnn") & (limits["L"] == 2)]
    expected = expected[expected["m"] == expected["v"]]
    heights = sorted(y for _, y in points(first, "limit v"))
    assert heights == pytest.approx(sorted(expected["P_limit"] / expected["prediction"]))
    assert len(points(first, "P_full")) == 1
    assert not points(first, "P_flow")


def test_batches_and_other_choices_have_panels(tables):
    figure = ratios.draw(tables["complexities"], tables["limits"], preset=PRESET)
    batches = next(axes for axes in figure.axes if axes.get_ylabel() == "$P^*$ (points)")
    assert points(batches, "batch batch_size=16 momentum=0.9")
    assert points(batches, "batch batch_size=4 momentum=0")
    others = next(axes for axes in figure.axes if "choices" in axes.get_title(loc="left"))
    for name in ("width 128", "dense reference"):
        ((_, y),) = points(others, f"other={name}")
        assert y == pytest.approx(1, rel=0.02)
    synonyms = points(others, "other=$P^*_S$")
    assert [y for _, y in synonyms] == pytest.approx([1.5] * len(synonyms), rel=0.06)
    assert "width 512" not in texts(figure)


def test_exponents_are_drawn_at_each_ratio_in_the_limit_and_at_the_table(tables):
    table = tables["exponents"]
    figure = exponents.draw(table, preset=PRESET)
    first = figure.axes[0]
    own = table[(table["of"] == "s0+1") & (table["net"] == "cnn") & (table["L"] == 2)]
    heights = [y for _, y in points(first, "ratio kind=cnn 2")]
    at = own[own["at"] == "ratio"].sort_values("ratio")
    assert heights == pytest.approx(at["value"].tolist())
    ((x, y),) = points(first, "limit kind=cnn 2")
    assert y == pytest.approx(own.loc[own["at"] == "limit", "value"].item())
    assert x < at["ratio"].min()
    last = [y for _, y in points(figure.axes[3], "table kind=cnn 2")]
    assert last == pytest.approx([own.loc[own["at"] == at, "value"].item()
                                  for at in ("one rate", "table")])  # fmt: skip


def watched_tables():
    """Two rates; the loss of each falls as 1/t, S of the output at half that of layer 1."""
    cells = cells_of(
        *(curve(learning_rate=rate, sizes=[2000], grammar=GRAMMARS[0]) for rate in (0.01, 0.001))
    )
    histories, measured = [], []
    for cell in cells.to_dict("records"):
        for i, time in enumerate((0.0, 1.0, 10.0, 100.0)):
            at = {"curve": cell["curve"], "key": cell["key"], "steps": i * 500, "time": time}
            loss = np.nan if i == 0 else 1 / time * (1 if cell["learning_rate"] == 0.01 else 2)
            histories.append({**at, "train_loss": loss, "test_error": 0.5})
            for layer, k, value in (("1", 1, 0.8), ("2", 2, 0.6), ("output", 3, 0.4)):
                for kind in "SD":
                    measured.append(
                        {**at, "kind": kind, "layer": layer, "k": k, "l": 1, "value": value,
                         "standard_error": 0.01, "n": 10 if kind == "S" else 0}
                    )  # fmt: skip
    return (
        cells,
        pd.DataFrame(histories, columns=HISTORIES.names),
        pd.DataFrame(measured, columns=SENSITIVITY_HISTORIES.names),
    )


def test_histories_are_averaged_over_seeds_and_drawn_against_time():
    figure = rendered(in_time.draw(*watched_tables(), preset=PRESET))
    top, synonyms, displacements = figure.axes
    for rate, factor in ((0.01, 1), (0.001, 2)):
        ((first, *_, last),) = [
            one.tolist() for one in lines(top, f"rate={rate:g} what=train_loss")
        ]
        assert first == pytest.approx([1, factor])
        assert last == pytest.approx([100, factor / 100])
        (drawn,) = lines(synonyms, f"S rate={rate:g} what=output")
        assert drawn[:, 1] == pytest.approx(np.full(len(drawn), 0.4))
    # no displacement was possible
    assert not displacements.get_lines()
    assert "$\\eta=0.001$" in texts(figure)


def test_empty_tables_give_empty_figures(tables):
    nothing = tables["complexities"].head(0)
    for figure in (
        ratios.draw(nothing, pd.DataFrame(columns=LIMITS.names), preset=PRESET),
        exponents.draw(pd.DataFrame(columns=EXPONENTS.names), preset=PRESET),
        in_time.draw(
            tables["cells"], *(one.head(0) for one in watched_tables()[1:]), preset=PRESET
        ),
    ):
        assert "not in this preset" in texts(figure)


def test_a_single_curve_is_a_figure_of_one_panel():
    own = tables_of(cells_of(line()))
    figure = ratios.draw(own["complexities"], own["limits"], preset=PRESET)
    assert sum(bool(axes.get_lines()) for axes in figure.axes) == 1
