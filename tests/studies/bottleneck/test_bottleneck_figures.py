"""The figure of the bottleneck, on invented tables."""

import warnings

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from tables import bottleneck_tables

from srhm.results.tables import (
    FLOW_CELLS,
    FLOW_SENSITIVITIES,
    SINGULAR_SUMMARIES,
    SINGULAR_VALUES,
)
from srhm.studies.bottleneck.figures import ranks as plane_bottleneck

PRESET = "invented"


def rendered(figure: Figure) -> Figure:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()
    return figure


def empty(schema) -> pd.DataFrame:
    return schema.empty_table().to_pandas()


def drawn(figure: Figure, part: str) -> list[np.ndarray]:
    """Points (n, 2) of the lines whose name holds a part, over all panels."""
    return [
        np.column_stack([line.get_xdata(), line.get_ydata()]).astype(float)
        for axes in figure.axes
        for line in axes.get_lines()
        if part in str(line.get_gid())
    ]


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for axes in figure.axes for text in axes.texts)


def test_the_figure_of_the_bottleneck_shows_ranks_and_sensitivities():
    tables = bottleneck_tables()
    figure = rendered(plane_bottleneck.draw(
        tables["cells"], tables["singular_values"],
        tables["singular_summaries"], tables["sensitivities"], preset=PRESET,
    ))  # fmt: skip
    lines = drawn(figure, "end decay=True P=512")
    assert len(lines) == 5
    np.testing.assert_allclose(lines[0][:, 1], [10, 10, 3, 3, 3])
    np.testing.assert_allclose(lines[4][:, 1], [0.9, 0.9, 0.9, 0.1, 0.1])
    assert len(drawn(figure, "n_c - 1")) == 3


def test_without_rows_the_panels_say_so():
    figure = plane_bottleneck.draw(
        empty(FLOW_CELLS), empty(SINGULAR_VALUES), empty(SINGULAR_SUMMARIES),
        empty(FLOW_SENSITIVITIES), preset=PRESET,
    )  # fmt: skip
    assert f"preset {PRESET}" in texts(rendered(figure))
