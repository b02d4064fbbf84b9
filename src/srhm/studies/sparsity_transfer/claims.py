"""What is expected of a network that meets the other kind of sparsity, fixed before measuring.

No source measures it; section 3 defines both kinds: A puts each informative feature in a sub-patch
of its own, B keeps their order only, so that A is a part of B.
"""

from functools import partial
from math import isfinite, nan

import pandas as pd

from srhm.scorecard.claims import NOT_MEASURED, Claim, Measurement, Tables
from srhm.scorecard.curves import THRESHOLD
from srhm.scorecard.fits import no_points
from srhm.statistics.regression import mean

TOPIC = "From one kind of sparsity to the other"
INSIDE_REASON = (
    "every datum of A is one of B, so that a network that has learnt B has learnt A; the bound is"
    " the test error that defines P*"
)
NOTHING_REASON = "the paper says nothing of it"


def error_on_other_kind(
    tables: Tables, *, net: str, trained_on: str, tested_on: str
) -> Measurement:
    """Mean error of the networks that have learnt their own kind, each at its curve's largest P.

    Learnt: their test error on their own kind is at most 10 %. A point is a curve and seed at
    s_0 > 0; the interval is that of their scatter.
    """
    table = tables.get("transfer", pd.DataFrame())
    if table.empty:
        return NOT_MEASURED
    rows = table[(table["net"] == net) & (table["trained_on"] == trained_on) & (table["s0"] > 0)]
    if rows.empty:
        return NOT_MEASURED
    largest = rows[rows["P"] == rows.groupby("curve")["P"].transform("max")]
    own, other = (
        largest[largest["tested_on"] == kind].set_index("key") for kind in (trained_on, tested_on)
    )
    learnt = other[own["error"] <= THRESHOLD].dropna(subset=["error"])
    if learnt.empty:
        return no_points(f"no network has learnt sparsity {trained_on}")
    fit = mean(learnt["error"].to_numpy(dtype=float), [])
    left = len(own) - len(learnt)
    note = (
        f"errors from {learnt['error'].min():.3f} to {learnt['error'].max():.3f}; mean of {fit.n}"
        " networks, error from their scatter"
        + (f"; {left} have not learnt {trained_on}" if left else "")
    )
    low, high = (end if isfinite(end) else nan for end in (fit.low, fit.high))
    return Measurement(value=fit.slope, low=low, high=high, n=fit.n, note=note)


def _claims_of(net: str) -> tuple[Claim, Claim]:
    name = net.upper()
    return (
        Claim(
            identifier=f"sparsity-b-to-a-{net}",
            topic=TOPIC,
            figure="sparsity_transfer",
            statement=f"{name} that has learnt sparsity B: its test error on sparsity A",
            place="section 3, from the definitions of A and B",
            expected=THRESHOLD,
            tolerance=nan,
            tolerance_reason=INSIDE_REASON,
            measure=partial(error_on_other_kind, net=net, trained_on="B", tested_on="A"),
        ),
        Claim(
            identifier=f"sparsity-a-to-b-{net}",
            topic=TOPIC,
            figure="sparsity_transfer",
            statement=f"{name} that has learnt sparsity A: its error on data of B that A lacks",
            place="section 3; not measured in the paper",
            expected=nan,
            tolerance=nan,
            tolerance_reason=NOTHING_REASON,
            measure=partial(error_on_other_kind, net=net, trained_on="A", tested_on="B, not A"),
        ),
    )


CLAIMS: tuple[Claim, ...] = (*_claims_of("cnn"), *_claims_of("lcn"))
