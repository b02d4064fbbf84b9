"""Chapter 3b of the thesis: feature learning compresses the directions that tell nothing."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import CurveMeasurement, Figure, Study
from srhm.trainers import FLOW

MEASURE = "srhm.studies.stripe.measure"

STUDY = Study(
    name="stripe",
    title="The stripe model: compression by feature learning",
    config=FlowSection,
    plan=partial(plan, study="stripe", measured=("neurons",)),
    trainer=FLOW,
    measurements=(
        *MEASUREMENTS,
        CurveMeasurement(
            name="neurons",
            trainer=FLOW,
            function=f"{MEASURE}:measure_neurons",
            tables={"neurons": f"{MEASURE}:NEURONS"},
        ),
    ),
    figures=(
        Figure(
            name="stripe",
            title="neurons, their alignment, and learning curves in the stripe model",
            function="srhm.studies.stripe.figures.stripe:draw",
            uses=("cells", "neurons"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.stripe.claims",
    priority=-10,
)
