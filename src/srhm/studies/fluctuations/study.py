"""Chapter 2b of the thesis: what the random start does to the output and to the test error."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import CurveMeasurement, Figure, Study
from srhm.trainers import FLOW

HERE = "srhm.studies.fluctuations"
MEASURE = f"{HERE}.measure"
LINES = ("resampled", "crossings", "courses")
SIZES = ("cells", "histories", "fluctuations")

STUDY = Study(
    name="fluctuations",
    title="Fluctuations of the output and the test error beyond jamming",
    config=FlowSection,
    plan=partial(plan, study="fluctuations", measured=("fluctuations",)),
    trainer=FLOW,
    measurements=(
        *MEASUREMENTS,
        CurveMeasurement(
            name="fluctuations",
            trainer=FLOW,
            function=f"{MEASURE}:measure_fluctuations",
            tables={name: f"{MEASURE}:{name.upper()}" for name in ("fluctuations", *LINES)},
            share=0.2,
            may_be_empty=True,
        ),
    ),
    figures=tuple(
        Figure(
            name=f"fluctuations_{name}",
            title=title,
            function=f"{HERE}.figures.{name}:draw",
            uses=uses,
            settings=("preset",),
        )
        for name, title, uses in (
            ("members", "ensembles of n networks, and the distance between boundaries", LINES),
            ("size", "fluctuations of output, gradient, boundary and error against N", SIZES),
            ("norm", "norm of the output near jamming, by training time", SIZES),
        )
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
