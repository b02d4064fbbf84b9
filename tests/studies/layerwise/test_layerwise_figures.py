"""The figures of layerwise training and of singular values, on invented tables."""

import numpy as np
import pandas as pd
from drawn import lines, points, rendered, texts
from tables import bottleneck_tables, layerwise_tables

from srhm.results.tables import FLOW_CELLS, FLOW_COMPLEXITY, SINGULAR_SUMMARIES, SINGULAR_VALUES
from srhm.studies.layerwise.figures import sample_complexity as plane_layerwise
from srhm.studies.layerwise.figures import singular_values as plane_singular_values

PRESET = "invented"


def empty(schema) -> pd.DataFrame:
    return schema.empty_table().to_pandas()


def test_the_figure_of_layerwise_training_shows_every_complexity():
    cells, complexity = layerwise_tables()
    figure = rendered(plane_layerwise.draw(cells, complexity, threshold=0.1, preset=PRESET))
    panel = figure.axes[1]
    assert len(points(panel, "P* series")) == len(complexity)
    assert len(points(panel, "bound of P*")) == 1
    foot = texts(figure)
    assert "log m 2.0 ± " in foot
    assert "3.0 ± " in foot
    # The largest of three P is open, since a seed is capped there.
    assert len(points(figure, "error series")) == 3 * 3
    assert len(points(figure.axes[0], "open")) == 3


def test_the_figure_of_singular_values_shows_start_and_end_of_one_curve():
    tables = bottleneck_tables()
    for table in tables.values():  # as a curve with two alpha_tilde
        table["curve"] = "one"
    cells = tables["cells"].assign(study="complexity")
    cells["alpha_tilde"] = np.where(cells["weight_decay"] > 0, 0.1, 100.0)
    figure = rendered(plane_singular_values.draw(
        cells, tables["singular_values"], tables["singular_summaries"], preset=PRESET,
    ))  # fmt: skip
    by_layer = lines(figure, "mean state=0.1", whole=True)[0]
    np.testing.assert_allclose(by_layer[:, 1], [10, 10, 3, 3, 3])
    for state in ("-1", "0.1", "100"):  # -1: the start
        shown = [lines(figure, f"mean k={k} state={state}", whole=True) for k in range(1, 6)]
        assert sum(map(len, shown)) == 2 * 2 * 5
    spectrum = lines(figure, "mean k=3 state=0.1", whole=True)[1]
    np.testing.assert_allclose(spectrum[:4, 1], [1, 1, 1, 0.1])


def test_without_rows_the_panels_say_so():
    cells = empty(FLOW_CELLS)
    figures = [
        plane_layerwise.draw(cells, empty(FLOW_COMPLEXITY), threshold=0.1, preset=PRESET),
        plane_singular_values.draw(
            cells, empty(SINGULAR_VALUES), empty(SINGULAR_SUMMARIES), preset=PRESET
        ),
    ]
    for figure in figures:
        assert f"preset {PRESET}" in texts(rendered(figure))
