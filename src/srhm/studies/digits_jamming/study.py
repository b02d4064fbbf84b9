"""Chapters 1 and 2 of the thesis on images of digits, beside random data."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import Figure, Study
from srhm.trainers import FLOW

STUDY = Study(
    name="digits_jamming",
    title="Jamming and double descent on digits",
    config=FlowSection,
    plan=partial(plan, study="digits_jamming"),
    trainer=FLOW,
    measurements=MEASUREMENTS,
    figures=(
        Figure(
            name="digits_jamming",
            title="jamming on digits and on random data",
            function="srhm.studies.digits_jamming.figures.jamming:draw",
            uses=("cells",),
            settings=("preset",),
        ),
        Figure(
            name="digits_descent",
            title="test error of digits against size and time: final, early stopped, averaged",
            function="srhm.studies.digits_jamming.figures.descent:draw",
            uses=("cells", "ensembles", "histories"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.digits_jamming.claims",
    priority=-10,
)
