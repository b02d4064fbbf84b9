"""Chapter 2b of the thesis: what the random start does to the output and to the test error."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import Figure, Measurement, Study
from srhm.trainers import FLOW

HERE = "srhm.studies.fluctuations"
MEASURE = f"{HERE}.measure"

STUDY = Study(
    name="fluctuations",
    title="Fluctuations of the output and the test error beyond jamming",
    config=FlowSection,
    plan=partial(plan, study="fluctuations", measured=("fluctuations",)),
    trainer=FLOW,
    measurements=(
        *MEASUREMENTS,
        Measurement(
            name="fluctuations",
            trainer=FLOW,
            function=f"{MEASURE}:measure_fluctuations",
            tables={
                name: f"{MEASURE}:{name.upper()}"
                for name in ("fluctuations", "resampled", "crossings", "courses")
            },
            share=0.2,
            may_be_empty=True,
        ),
    ),
    figures=(
        Figure(
            name="fluctuations_members",
            title="ensembles of n networks, and the distance between boundaries",
            function=f"{HERE}.figures.members:draw",
            uses=("resampled", "crossings", "courses"),
            settings=("preset",),
        ),
        Figure(
            name="fluctuations_size",
            title="fluctuations of the output, gradient, boundary and test error against N",
            function=f"{HERE}.figures.size:draw",
            uses=("cells", "histories", "fluctuations"),
            settings=("preset",),
        ),
        Figure(
            name="fluctuations_norm",
            title="norm of the output near jamming, by training time",
            function=f"{HERE}.figures.norm:draw",
            uses=("cells", "histories", "fluctuations"),
            settings=("preset",),
        ),
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
