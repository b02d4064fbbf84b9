"""Which networks are jammed, and the smallest that fits, on invented tables."""

from itertools import product

import pandas as pd
import pytest

from srhm.statistics.jamming import smallest_that_fit, with_jamming

SIZES, WIDTHS, N_MEMBERS = (128, 256, 512), (2, 4, 8, 16, 32), 3
WEIGHTS = 16.0  # of each channel


def cell(**changes):
    """A cell that fits, with some columns changed."""
    return {
        "width": 8, "n_weights": 128, "P": 128, "seed": 0, "member": 0, "labels": "parity",
        "loss": "quadratic_hinge", "status": "fitted", "mean_loss": 0.0, "n_unsatisfied": 0,
        **changes,
    }  # fmt: skip


def cells(*, n_star=0.5, power=1.0, **changes):
    """Cells of all P and widths, jammed where N is below n_star P^power, P in units of 128."""
    rows = []
    for P, width, member in product(SIZES, WIDTHS, range(N_MEMBERS)):
        N = int(WEIGHTS * width)
        jammed = n_star * 128 * (P / 128) ** power > N
        rows.append(
            cell(width=width, n_weights=N, P=P, member=member, mean_loss=1e-3 * jammed,
                 n_unsatisfied=int(0.75 * N) * jammed, status="capped" if jammed else "fitted",
                 **changes)
        )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"status": "capped", "n_unsatisfied": 40, "mean_loss": 1e-3}, True),
        # A point or two that no neuron sees.
        ({"status": "capped", "n_unsatisfied": 12, "mean_loss": 1e-3}, False),
        # Converging to zero loss when the budget ended.
        ({"status": "capped", "n_unsatisfied": 40, "mean_loss": 1e-18}, False),
        ({"status": "fitted"}, False),
        # Misclassified points do not jump at N*.
        ({"status": "capped", "n_unsatisfied": 12, "mean_loss": 0.3, "loss": "logistic"}, True),
    ],
)
def test_more_than_a_tenth_of_n_unsatisfied_points_with_a_loss_are_jammed(changes, expected):
    (row,) = with_jamming(pd.DataFrame([cell(**changes)])).to_dict("records")
    assert row["jammed"] is expected
    assert row["load"] == 1


@pytest.mark.parametrize(
    ("n_star", "status"), [(0.05, "below_range"), (1000.0, "above_range"), (0.5, "reached")]
)
def test_n_star_beyond_the_widths_is_a_bound(n_star, status):
    found = smallest_that_fit(cells(n_star=n_star, power=0))
    assert set(found["status"]) == {status}
    assert found["N_low"].isna().all() == (status == "below_range")
    assert found["N_high"].isna().all() == (status == "above_range")
    assert found["N_star"].isna().all() == (status != "reached")
