"""All claims of the paper on LCN, CNN and FCN, in the order in which they are shown.

What is expected and the tolerance of a claim are written down beside it, before anything is
measured; what was changed after a look is said at the end and in the study's methods.md.
"""

from srhm.paper.sparse_hierarchy.claims.complexities import COMPLEXITY_CLAIMS
from srhm.paper.sparse_hierarchy.claims.concurrence import (
    CONCURRENCE_CLAIMS,
    concurrence_claims,
    fcn_practice_claims,
)
from srhm.paper.sparse_hierarchy.claims.falls import FALL_CLAIMS
from srhm.paper.sparse_hierarchy.claims.insensitivity import INSENSITIVITY_CLAIMS
from srhm.paper.sparse_hierarchy.claims.practice import PRACTICE_CLAIMS
from srhm.paper.sparse_hierarchy.claims.sparsity import SPARSITY_CLAIMS
from srhm.scorecard.claims import Claim, after_a_look

STATED: tuple[Claim, ...] = (
    *COMPLEXITY_CLAIMS,
    *FALL_CLAIMS,
    *PRACTICE_CLAIMS,
    *SPARSITY_CLAIMS,
    *CONCURRENCE_CLAIMS,
    *concurrence_claims("fcn", 2),
    *fcn_practice_claims(),
    *INSENSITIVITY_CLAIMS,
)

CLAIMS = after_a_look(
    STATED,
    {
        "slope-against-prediction*":
            "the paper's grammars alone; intervals by vocabularies, as curves that share "
            "grammars are not independent; an intercept for each learning rate",
        "sparsity-b-slope-*":
            "intervals by vocabularies, as curves that share grammars are not independent; an "
            "intercept for each learning rate, as all curves of L = 3 have another than those of "
            "L = 2",
        "[sd]-ratio-???-s3 [sd]-ratio-fcn-s2-practice*":
            "the paper's grammars alone; intervals by vocabularies, as curves that share "
            "grammars are not independent",
        "[sd]-onset-of-levels-* onset-of-d-and-s-*":
            "the paper's grammars alone; intervals by vocabularies, as curves that share "
            "grammars are not independent",
        "d-output-top-remains-*":
            "the largest P alone, l < L and l = L apart; intervals by vocabularies, as curves "
            "that share grammars are not independent",
    },
)  # fmt: skip
