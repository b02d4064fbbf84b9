"""What is expected of the softmax where the logits keep a sensitivity, fixed before measuring.

Section 5 says that the output becomes insensitive to synonyms at any level; S of the logits at
l = L stays near 0.46, as in Figures 12 and 15 (study `sparse_hierarchy`). The paper says nothing of
the softmax.
"""

from functools import partial

from srhm.scorecard.claims import Claim, predictions
from srhm.scorecard.estimators import Mean
from srhm.scorecard.expectations import Below, Factor
from srhm_studies.learning_curves.softmax_outputs.analysis import BEYOND, beyond, over_certain

INSENSITIVE = 0.2  # the smallest threshold that the paper has for S, by which S_2 defines P*_S

outputs = partial(
    Claim, topic="Sensitivity of the softmax to synonyms of the top level", figure="softmax_outputs"
)

STATED = (
    *(
        outputs(
            f"s-softmax-{net}-L{depth}",
            f"{net.upper()}, L = {depth}: S of the softmax at l = L, P above {BEYOND} P*",
            place="section 5: insensitive at any level",
            expected=Below(INSENSITIVE),
            why="the smallest threshold that the paper has for S; certain answers have S near"
                " 2ε n_c/(n_c - 1), below 0.03 at ε = 1 %",
            measure=Mean(
                "softmax", rows=beyond, where={"net": net, "L": depth}, per=("curve", "seed"),
                what="networks",
            ),
        )
        for net in ("lcn", "cnn")
        for depth in (2, 3)
    ),
    *(
        outputs(
            f"s-certain-{net}",
            f"{net.upper()}: S of the softmax at l = L over that of certain answers",
            place="beside section 5",
            expected=Factor(1, within=1.5),
            why="prediction of this study: S of the softmax counts wrong answers. Uncertain wrong"
                " ones lower it, uncertain right ones raise it, and errors of x and p_L x are not"
                " independent: by how much is not known",
            measure=Mean(
                "ratio", scale="log", rows=over_certain, where={"net": net}, per=("curve", "seed"),
                what="networks",
            ),
        )
        for net in ("lcn", "cnn")
    ),
)  # fmt: skip

CLAIMS = predictions(
    STATED,
    {
        "s-certain-*": "2026-11-28, 01e7be5b",
    },
)
