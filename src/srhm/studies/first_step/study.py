"""The first step of gradient descent (appendix C of the paper): signal and noise."""

from srhm.studies.first_step.configuration import FirstStepSection, plan
from srhm.study import Derived, Figure, Study

STUDY = Study(
    name="first_step",
    title="The first step of gradient descent",
    config=FirstStepSection,
    plan=plan,
    tables=(
        Derived(
            name="first_step",
            function="srhm.studies.first_step.table:first_step_rows",
            schema="FIRST_STEP",
            settings=("entries",),
        ),
    ),
    figures=(
        Figure(
            name="first_step",
            title="signal and noise of the first step",
            function="srhm.studies.first_step.figures.signal_and_noise:draw",
            uses=("first_step",),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.first_step.claims",
    priority=-10,
)
