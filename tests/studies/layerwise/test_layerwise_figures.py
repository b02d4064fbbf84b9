"""The figures of layerwise training and of singular values, on invented tables."""

import numpy as np
import pandas as pd
from drawn import lines, rendered, texts
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
    shown = [line for line in panel.get_lines() if str(line.get_gid()).startswith("ours")]
    assert len(shown) == len(complexity)
    assert sum("not_reached" in str(line.get_gid()) for line in shown) == 1
    foot = texts(figure)
    assert "log m 2.0 ± " in foot
    assert "3.0 ± " in foot
    assert len(lines(figure, "mean ")) == 3
    assert len(lines(figure, "unfitted")) == 3


def test_the_figure_of_singular_values_shows_start_and_end_of_one_curve():
    tables = bottleneck_tables()
    for table in tables.values():  # as a curve with two alpha_tilde
        table["curve"] = "one"
    cells = tables["cells"].assign(study="complexity")
    cells["alpha_tilde"] = np.where(cells["weight_decay"] > 0, 0.1, 100.0)
    figure = rendered(plane_singular_values.draw(
        cells, tables["singular_values"], tables["singular_summaries"], preset=PRESET,
    ))  # fmt: skip
    by_layer = lines(figure, "alpha_tilde=0.1")[0]
    np.testing.assert_allclose(by_layer[:, 1], [10, 10, 3, 3, 3])
    assert len(lines(figure, "start k=")) == 2 * 2 * 5
    assert len(lines(figure, "alpha_tilde=100 k=")) == 2 * 2 * 5
    spectrum = lines(figure, "alpha_tilde=0.1 k=3")[1]
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
