"""The cusp of a curve of errors on digits: its place."""

import pandas as pd

from srhm_studies.landscape.digits_jamming.analysis import peaks


def test_a_cusp_is_the_largest_error_from_half_of_n_star_on():
    rows = pd.DataFrame(
        {"data": "digits", "hidden_layers": 3, "P": 600, "N_star": 100.0,
         "N": [30, 60, 90, 120, 200, 400], "final": [0.9, 0.2, 0.3, 0.5, 0.2, 0.1]}
    )  # fmt: skip
    (cusp,) = peaks(rows).to_dict("records")
    assert (cusp["N_peak"], cusp["is_cusp"]) == (120, True)
    (falling,) = peaks(rows[rows["N"] >= 120]).to_dict("records")
    assert (falling["N_peak"], falling["is_cusp"]) == (120, False)
