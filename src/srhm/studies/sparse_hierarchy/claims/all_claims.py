"""All claims of the paper on LCN, CNN and FCN, in the order in which they are shown.

What is expected and the tolerance of a claim are written down beside it, before anything is
measured; what was changed later is in the README of the study.
"""

from srhm.scorecard.claims import Claim
from srhm.studies.sparse_hierarchy.claims.complexities import (
    COMPLEXITY_CLAIMS,
    PUBLISHED_POINTS_CLAIMS,
)
from srhm.studies.sparse_hierarchy.claims.concurrence import (
    CONCURRENCE_CLAIMS,
    concurrence_claims,
    fcn_practice_claims,
)
from srhm.studies.sparse_hierarchy.claims.falls import FALL_CLAIMS
from srhm.studies.sparse_hierarchy.claims.insensitivity import INSENSITIVITY_CLAIMS
from srhm.studies.sparse_hierarchy.claims.practice import PRACTICE_CLAIMS
from srhm.studies.sparse_hierarchy.claims.sparsity import SPARSITY_CLAIMS

CLAIMS: tuple[Claim, ...] = (
    *COMPLEXITY_CLAIMS,
    *FALL_CLAIMS,
    *PUBLISHED_POINTS_CLAIMS,
    *PRACTICE_CLAIMS,
    *SPARSITY_CLAIMS,
    *CONCURRENCE_CLAIMS,
    *concurrence_claims("fcn", 2),
    *fcn_practice_claims(),
    *INSENSITIVITY_CLAIMS,
)
