"""How many points the kinds of data have. Loads neither torch nor scikit-learn."""

from srhm.model.grammar import GrammarParameters

# Two classes, whose labels are 1 and -1; 8,192 distinct data.
HIERARCHY = GrammarParameters(
    depth=2, branching=2, n_features=4, n_synonyms=4, n_classes=2, n_empty=1
)
N_DIGITS = 1797
