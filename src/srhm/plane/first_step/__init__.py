"""The first step of gradient descent (appendix C of the paper): signal and noise."""

from srhm.declare.study import Derived, Figure, Study
from srhm.plane.first_step.configuration import FirstStepSection, plan

STUDY = Study(
    package=__package__,
    name="first_step",
    title="The first step of gradient descent",
    config=FirstStepSection,
    plan=plan,
    tables=(
        Derived("first_step", ".analysis:first_step_rows", "FIRST_STEP", settings=("entries",)),
    ),
    figures=(Figure("first_step", "signal and noise of the first step", ("first_step",)),),
    claims=".claims",
    priority=-10,
)
