"""Sample complexities of networks that share weights in some layers, or among some patches."""

from functools import partial

from srhm.declare.study import Derived, Figure, Study
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan
from srhm.training.trainers import HIERARCHY

STUDY = Study(
    package=__package__,
    name="weight_sharing",
    title="Which shared weights save which power of s_0+1",
    config=HierarchySection,
    plan=partial(plan, measured=()),
    trainer=HIERARCHY,
    tables=(
        Derived(
            "sample_complexity",
            "srhm.statistics.exponents_of_grammars:complexities",
            "SAMPLE_COMPLEXITY",
            uses=("cells",),
            settings=("thresholds",),
        ),
        Derived("first_steps", ".first_steps:first_steps", ".first_steps:ROWS", uses=("cells",)),
        Derived("two_steps", ".two_steps:two_steps", ".two_steps:ROWS", uses=("cells",)),
        Derived(
            "exponents",
            ".analysis:exponents",
            ".analysis:EXPONENTS",
            uses=("cells", "first_steps", "two_steps"),
            settings=("threshold",),
        ),
    ),
    figures=(
        Figure(
            "weight_sharing",
            "exponents of s_0+1 between LCN and CNN",
            ("sample_complexity", "exponents"),
            settings=("preset", "threshold"),
        ),
    ),
    claims=".claims",
    priority=-10,
)
