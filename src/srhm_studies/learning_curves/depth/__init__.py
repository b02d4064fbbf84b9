"""P* of LCN and CNN at L = 2, 3 and 4, at one ratio of learning rate to batch size."""

from srhm.declare.study import Derived, Figure
from srhm_studies.learning_curves.learner import hierarchy_study

STUDY = hierarchy_study(
    "depth",
    "Empty places in deeper hierarchies",
    package=__package__,
    tables=(
        Derived("exponents", ".figures:exponents", ".figures:EXPONENTS", ("cells",),
                settings=("threshold",)),
    ),
    figures=(
        Figure("depth", "P* against s_0+1 at L = 2, 3 and 4", ("sample_complexity", "exponents"),
               settings=("preset", "threshold")),
    ),
)  # fmt: skip
