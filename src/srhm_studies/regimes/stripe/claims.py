"""Claims on the stripe model: alignment of the weights and exponents of the error (chapter 3b).

Networks of one hidden layer; those that did not fit are left out and counted. Tolerances were
fixed before measuring.
"""

from functools import partial

import pandas as pd

from srhm.scorecard.claims import Claim, after_a_look
from srhm.scorecard.estimators import Mean, Slope
from srhm.scorecard.expectations import Below, Within
from srhm.scorecard.rows import left_out, rows_of
from srhm_studies.regimes.stripe.analysis import alignments, beta, in_regimes

DIMENSIONS = (5,)  # of the presets; others are fitted in none of the claims
NETWORK = ("width", "seed", "member")


@rows_of("cells", nothing="no network of this regime fitted")
def networks(cells: pd.DataFrame) -> pd.DataFrame:
    """Networks of one hidden layer in the two regimes, `in_regimes`."""
    own = in_regimes(cells[cells["hidden_layers"] == 1])
    return left_out(own, {"networks that did not fit": own["status"] != "fitted"})


@rows_of("cells", "neurons", nothing="no network of this regime fitted")
def aligned(cells: pd.DataFrame, neurons: pd.DataFrame) -> pd.DataFrame:
    """The same with their alignment."""
    return networks.function(alignments(cells, neurons))


@rows_of("cells", nothing="no data set of which both fit")
def advantages(cells: pd.DataFrame) -> pd.DataFrame:
    """Errors of both regimes at the largest P at which both fit; ratio: feature over lazy."""
    rows = networks.function(cells).query("status == 'fitted'")
    place = ["n_inputs", "P", *NETWORK]
    both = rows.pivot_table(index=place, columns="regime", values="test_error")
    both = both.reindex(columns=["feature", "lazy"]).dropna().query("feature > 0 and lazy > 0")
    both = both.assign(ratio=both["feature"] / both["lazy"]).reset_index()
    return both[both["P"] == both.groupby("n_inputs")["P"].transform("max")]


@rows_of("cells", "machines", nothing="no network that fitted and machine on the same points")
def beside_machines(cells: pd.DataFrame, machines: pd.DataFrame) -> pd.DataFrame:
    """Networks and the support vector machine on the same training points; ratio: of errors.

    The machine has the tangent kernel of infinitely many neurons: of inputs as they are beside lazy
    networks, of inputs compressed by sqrt(P) beside those that learn features.
    """
    both = networks.function(cells).merge(machines, on=["regime", "n_inputs", "P", "seed"])
    return both.assign(ratio=both["test_error"] / both["kernel_error"])


SLOPE = partial(Slope, against="P", within=NETWORK, what="networks", tells=("alpha_tilde", "P"))

stripe = partial(
    Claim, topic="The stripe model: compression of directions without information", figure="stripe"
)

STATED = tuple(
    one
    for d in DIMENSIONS
    for one in (
        stripe(
            f"alignment-feature-d{d}", f"feature, d = {d}: Λ = W_∥/W_⊥ against P: slope",
            place="thesis, ch. 3b, Fig. 9: Λ ~ √P", expected=Within(0.5, 0.15),
            why="0.15, ours: the thesis has a scaling argument and no number measured",
            measure=SLOPE("alignment", where={"n_inputs": d, "regime": "feature"}, rows=aligned),
        ),
        *(
            stripe(
                f"error-{regime}-d{d}", f"{regime}, d = {d}: test error against P: slope -β",
                place="thesis, ch. 3b, Fig. 9, right",
                expected=Within(-beta(d, lazy=regime == "lazy"), 0.075),
                why="0.075, ours: half of the distance between the two regimes at d = 5",
                measure=SLOPE(
                    "test_error", where={"n_inputs": d, "regime": regime}, rows=networks
                ),
            )
            for regime in ("feature", "lazy")
        ),
        *(
            stripe(
                f"beside-machine-{regime}-d{d}",
                f"{regime}, d = {d}: error over that of the tangent kernel{inputs}: slope",
                place="thesis, ch. 3b, Fig. 9, right: the curves are similar",
                expected=Within(0, 0.075), fixed="after",
                why="0.075 as of the slopes; set after a look at both curves up to P = 512",
                measure=SLOPE(
                    "ratio", where={"n_inputs": d, "regime": regime}, rows=beside_machines
                ),
            )
            for regime, inputs in (("feature", " of x/√P"), ("lazy", ""))
        ),
        stripe(
            f"advantage-d{d}", f"d = {d}: error of feature over lazy at the largest P",
            place="thesis, ch. 3b, Fig. 9, right",
            expected=Below(1), why="an upper bound: feature learning errs less",
            measure=Mean(
                "ratio", scale="ratio", where={"n_inputs": d}, rows=advantages, what="networks",
                each="{feature:.4f} over {lazy:.4f}",
            ),
        ),
    )
)  # fmt: skip

CLAIMS = after_a_look(
    STATED,
    {
        "*-d5": "eighteen data sets of the networks in place of six, by cost alone",
    },
)  # fmt: skip
