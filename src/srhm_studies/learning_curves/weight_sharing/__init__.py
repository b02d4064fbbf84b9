"""Sample complexities of networks that share weights in some layers, or among some patches."""

from srhm.declare.study import Derived, Figure
from srhm_studies.learning_curves.learner import hierarchy_study

STUDY = hierarchy_study(
    "weight_sharing",
    "Which shared weights save which power of s_0+1",
    package=__package__,
    tables=(
        Derived("first_steps", uses=("cells",)),
        Derived("two_steps", ".two_steps:two_steps", ".two_steps:ROWS", ("cells",)),
        Derived("exponents", uses=("cells", "first_steps", "two_steps"), settings=("threshold",)),
    ),
    figures=(
        Figure("weight_sharing", "exponents of s_0+1 between LCN and CNN",
               ("sample_complexity", "exponents"), settings=("preset", "threshold")),
    ),
)  # fmt: skip
