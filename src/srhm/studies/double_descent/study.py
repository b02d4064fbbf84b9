"""Test error, error of ensembles and norm of F against the number of weights."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import Figure, Study
from srhm.trainers import FLOW

STUDY = Study(
    name="double_descent",
    title="Double descent",
    config=FlowSection,
    plan=partial(plan, study="double_descent", measured=()),
    trainer=FLOW,
    measurements=MEASUREMENTS,
    figures=(
        Figure(
            name="double_descent",
            title="double descent",
            function="srhm.studies.double_descent.figures.error_and_norm:draw",
            uses=("cells", "ensembles"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.double_descent.claims",
    priority=-10,
)
