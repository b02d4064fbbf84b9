"""How much rarer equal placements are with sparsity B than with A, a counting without parameters.

Section 6: data of one latent are grouped together by their correlation with the class, which needs
data that agree in what a weight sees. At level 1 that is where the tuple of a rule lies; above it
is where the one child lies of which the tuple is drawn. With A a place of a patch has one child,
with B any, so that the data of several children mix there. Only the ratio of both is taken: for A
alone it would give (s_0+1)^(s+L-1), where Eq. 3 has (s_0+1)^L.
"""

import numpy as np

from srhm.model.grammar import GrammarParameters, Sparsity, placement_offsets


def equal_tuples(parameters: GrammarParameters) -> float:
    """Probability that two data have all features of one rule at the same places."""
    return 1 / parameters.n_placements


def equal_children(parameters: GrammarParameters) -> float:
    """Probability that two data have one child of a rule at the same place, mean over children."""
    children = placement_offsets(parameters).T
    parts = [np.bincount(places) / places.size for places in children]
    return float(np.mean([part @ part for part in parts]))


def placements_ratio(*, depth: int, branching: int, n_empty: int) -> float:
    """Data that sparsity B needs over those that A needs, by the places alone.

    The tuple's at level 1 times the child's at each of the L-1 levels above. At s = L = 2 that is
    1.93, 2.27, 2.56 for s_0 = 1, 2, 4.
    """

    def needed(sparsity: Sparsity) -> float:
        # What v, m and n_c are has no part in it.
        one = GrammarParameters(
            depth=depth, branching=branching, n_features=2, n_synonyms=1, n_classes=2,
            n_empty=n_empty, sparsity=sparsity,
        )  # fmt: skip
        return 1 / (equal_tuples(one) * equal_children(one) ** (depth - 1))

    return needed("B") / needed("A")
