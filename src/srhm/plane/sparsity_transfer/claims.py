"""What is expected of a network that meets the other kind of sparsity, fixed before measuring.

No source measures it; section 3 defines both kinds: A puts each informative feature in a sub-patch
of its own, B keeps their order only, so that A is contained in B.
"""

import pandas as pd

from srhm.scorecard.complexity_rows import THRESHOLD
from srhm.scorecard.expectations import Below
from srhm.scorecard.rows import left_out
from srhm.scorecard.sheet import Sheet, rows_of


@rows_of("transfer", nothing="no network has learnt its own kind of sparsity", what="networks")
def errors(transfer: pd.DataFrame) -> pd.DataFrame:
    """Error of each network on each kind, at its curve's largest P and s_0 > 0.

    Left out are those whose test error on their own kind is above 10 %: they have not learnt it.
    """
    rows = transfer[transfer["s0"] > 0]
    curve = rows.groupby(["net", "trained_on", "curve"])["P"]
    rows = rows[rows["P"] == curve.transform("max")]
    own_error = rows[rows["tested_on"] == rows["trained_on"]].set_index("key")["error"]
    learnt = rows["key"].map(own_error) <= THRESHOLD
    reasons = {"that have not learnt their own kind": ~learnt}
    return left_out(rows, {**reasons, "without data to test on": rows["error"].isna()})


sheet = Sheet()
say = sheet.topic(
    "From one kind of sparsity to the other", "sparsity_transfer", expected=Below(THRESHOLD),
    place="section 3, from the definitions of A and B",
    why="every datum of A is one of B, so that a network that has learnt B has learnt A;"
        " the bound is the test error that defines P*",
)  # fmt: skip
for net in ("cnn", "lcn"):
    say(f"sparsity-b-to-a-{net}",
        f"{net.upper()} that has learnt sparsity B: test error on data of sparsity A",
        errors.mean("error", net=net, trained_on="B", tested_on="A"))  # fmt: skip
CLAIMS = sheet.finished()
