"""What is expected of the softmax where the logits keep a sensitivity, fixed before measuring.

Section 5 says that the output becomes insensitive to synonyms at any level; S of the logits at
l = L stays near 0.46, as in Figures 12 and 15 (study `sparse_hierarchy`). The paper says nothing of
the softmax.
"""

from srhm.scorecard.expectations import Below, Factor
from srhm.scorecard.sheet import Sheet
from srhm_studies.learning_curves.softmax_outputs.analysis import (
    BEYOND,
    INSENSITIVE,
    beyond,
    over_certain,
)

sheet, NETWORKS = Sheet(), ("curve", "seed")
say = sheet.topic(
    "Sensitivity of the softmax to synonyms of the top level", "softmax_outputs",
)  # fmt: skip
for net in ("lcn", "cnn"):
    for L in (2, 3):
        say(f"s-softmax-{net}-L{L}",
            f"{net.upper()}, L = {L}: S of softmax, synonyms of level l = L, P above {BEYOND} P*",
            beyond.mean("softmax", net=net, L=L, per=NETWORKS), Below(INSENSITIVE),
            "the smallest threshold that the paper has for S; certain answers have S near"
            " 2ε n_c/(n_c - 1), below 0.03 at ε = 1 %",
            place="section 5: insensitive at any level")  # fmt: skip
for net in ("lcn", "cnn"):
    say(f"s-certain-{net}",
        f"{net.upper()}: S of the softmax at level l = L divided by S of certain answers",
        over_certain.mean("ratio", net=net, per=NETWORKS, scale="log"), Factor(1, within=1.5),
        "prediction of this study: S of the softmax counts wrong answers. Uncertain wrong ones"
        " lower it, uncertain right ones raise it, and errors of x and p_L x are not independent:"
        " by how much is not known", place="prediction of this project")  # fmt: skip

CLAIMS = sheet.finished(committed={"s-certain-*": "2026-11-28, 01e7be5b"})
