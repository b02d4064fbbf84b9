"""The figure of the first step, on an invented table."""

import numpy as np
import pandas as pd
from drawn import lines, rendered, texts
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
        points = np.concatenate(lines(figure, f"{net} point"))
        np.testing.assert_allclose(
            sorted(map(tuple, points)), sorted(zip(own["law"], own["n_equal"], strict=True))
        )
    assert len(lines(figure, "lcn exponent")) == 6  # three letters, two L
    fit = exponent(equal_points(table), net="cnn", of="s0+1", depth=3)
    ((point,),) = lines(figure, "cnn exponent s0+1 L=3")
    assert point[0] == fit.slope
    assert len(lines(figure, "noise s0=")) == 2 * 3
    assert len(lines(figure, "synonyms m=")) == 2 * 3
    assert len(lines(figure, "placements s0=")) == 2 * 2


def test_without_rows_the_panels_say_so():
    figure = plane_first_step.draw(empty(FIRST_STEP), preset=PRESET)
    assert f"preset {PRESET}" in texts(rendered(figure))
