"""P* of the CNN at L = 4 with small rates, and at L = 2 with large vocabularies at two widths."""

from srhm.declare.study import Derived, Figure
from srhm_studies.learning_curves.learner import hierarchy_study

STUDY = hierarchy_study(
    "cnn_exponent",
    "Is the CNN's exponent of s_0+1 two?",
    package=__package__,
    tables=(
        Derived("exponents", ".figures:exponents", ".figures:EXPONENTS", ("cells",),
                settings=("threshold",)),
    ),
    figures=(
        Figure("cnn_exponent", "exponents of s_0+1 at L = 4, and at L = 2 against v",
               ("exponents",), settings=("preset",)),
    ),
)  # fmt: skip
