"""Chapter 2b of the thesis: what the random start does to the output and to the test error."""

from srhm.flow.measurements import flow_study
from srhm.study import CurveMeasurement, Figure
from srhm.trainers import FLOW

STUDY = flow_study(
    "fluctuations",
    "Fluctuations of the output and the test error beyond jamming",
    measured=("fluctuations",),
    measurements=(
        CurveMeasurement(
            "fluctuations",
            FLOW,
            ".measure:measure_fluctuations",
            {
                "fluctuations": ".measure:FLUCTUATIONS",
                "resampled": ".measure:RESAMPLED",
                "crossings": ".measure:CROSSINGS",
                "courses": ".measure:COURSES",
            },
            share=0.2,
            may_be_empty=True,
        ),
    ),
    figures=(
        Figure(
            "fluctuations_members",
            "ensembles of n networks, and the distance between boundaries",
            ".figures.members:draw",
            ("resampled", "crossings", "courses"),
        ),
        Figure(
            "fluctuations_size",
            "fluctuations of output, gradient, boundary and error against N",
            ".figures.size:draw",
            ("cells", "histories", "fluctuations"),
        ),
        Figure(
            "fluctuations_norm",
            "norm of the output near jamming, by training time",
            ".figures.norm:draw",
            ("cells", "histories", "fluctuations"),
        ),
    ),
)
