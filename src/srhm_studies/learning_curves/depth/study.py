"""P* of LCN and CNN at L = 2, 3 and 4, at one ratio of learning rate to batch size."""

from functools import partial

from srhm.declare.study import Derived, Figure, Study
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan
from srhm.training.trainers import HIERARCHY

STUDY = Study(
    package=__package__,
    name="depth",
    title="Empty places in deeper hierarchies",
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
        Derived(
            "exponents",
            ".analysis:exponents",
            ".analysis:EXPONENTS",
            uses=("cells",),
            settings=("threshold",),
        ),
    ),
    figures=(
        Figure(
            "depth",
            "P* against s_0+1 at L = 2, 3 and 4",
            ("sample_complexity", "exponents"),
            settings=("preset", "threshold"),
        ),
    ),
    claims=".claims",
    priority=-10,
)
