"""The figure of the bottleneck, on invented tables."""

import numpy as np
import pandas as pd
from drawn import lines, rendered, texts
from tables import bottleneck_tables

from srhm.results.tables import (
    FLOW_CELLS,
    FLOW_SENSITIVITIES,
    SINGULAR_SUMMARIES,
    SINGULAR_VALUES,
)
from srhm.studies.bottleneck.figures import ranks as plane_bottleneck

PRESET = "invented"


def empty(schema) -> pd.DataFrame:
    return schema.empty_table().to_pandas()


def test_the_figure_of_the_bottleneck_shows_ranks_and_sensitivities():
    tables = bottleneck_tables()
    figure = rendered(plane_bottleneck.draw(
        tables["cells"], tables["singular_values"],
        tables["singular_summaries"], tables["sensitivities"], preset=PRESET,
    ))  # fmt: skip
    shown = lines(figure, "mean decay=1 P=512 when=end", whole=True)
    assert len(shown) == 5
    np.testing.assert_allclose(shown[0][:, 1], [10, 10, 3, 3, 3])
    np.testing.assert_allclose(shown[4][:, 1], [0.9, 0.9, 0.9, 0.1, 0.1])
    # Beside the ranks of representations: s^(L+1-l) (v - 1) directions of each level.
    first = tables["cells"].iloc[0]
    s, v, depth = (int(first[name]) for name in ("s", "v", "L"))
    for level in range(1, depth + 1):
        (height,) = lines(figure, f"level {level}")
        np.testing.assert_allclose(height[:, 1], s ** (depth + 1 - level) * (v - 1))
    assert len(lines(figure, "n_c - 1")) == 3


def test_without_rows_the_panels_say_so():
    figure = plane_bottleneck.draw(
        empty(FLOW_CELLS), empty(SINGULAR_VALUES), empty(SINGULAR_SUMMARIES),
        empty(FLOW_SENSITIVITIES), preset=PRESET,
    )  # fmt: skip
    assert f"preset {PRESET}" in texts(rendered(figure))
