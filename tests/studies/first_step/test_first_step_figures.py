"""The figure of the first step, on an invented table."""

import numpy as np
import pandas as pd
from drawn import lines, points, rendered, texts
from tables import first_step_table

from srhm.results.tables import FIRST_STEP
from srhm.studies.first_step.figures import signal_and_noise as plane_first_step
from srhm.studies.first_step.scaling import equal_points, exponent, over_seeds

PRESET = "invented"


def empty(schema) -> pd.DataFrame:
    return schema.empty_table().to_pandas()


def test_the_figure_of_the_first_step_shows_every_grammar_and_exponent():
    table = first_step_table()
    figure = rendered(plane_first_step.draw(table, preset=PRESET))
    means = over_seeds(equal_points(table))
    for net in ("lcn", "cnn"):
        own = means[means["net"] == net]
        drawn = [one for L in (2, 3) for one in points(figure, f"point L={L} net={net}")]
        np.testing.assert_allclose(
            sorted(drawn), sorted(zip(own["law"], own["n_equal"], strict=True))
        )
        # Three letters, two L.
        assert sum(len(lines(figure, f"exponent L={L} net={net}")) for L in (2, 3)) == 6
    fit = exponent(equal_points(table), net="cnn", of="s0+1", depth=3)
    ((point,),) = lines(figure, "exponent L=3 net=cnn of=s0+1")
    assert point[0] == fit.slope
    assert len(lines(figure, "noise s0=")) == 2 * 3
    assert len(lines(figure, "synonyms m=")) == 2 * 3
    assert len(lines(figure, "placements s0=")) == 2 * 2


def test_without_rows_the_panels_say_so():
    figure = plane_first_step.draw(empty(FIRST_STEP), preset=PRESET)
    shown = texts(rendered(figure))
    assert f"preset {PRESET}" in shown
    assert "not in this preset" in shown
