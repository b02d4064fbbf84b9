"""Jamming at minima of the loss: networks after a second-order end (thesis, chapter 1)."""

from srhm.flow.measurements import flow_study
from srhm.study import CurveMeasurement, Figure
from srhm.trainers import FLOW

STUDY = flow_study(
    "minima",
    "Jamming at minima of the loss",
    measured=("at_minima",),
    measurements=(
        CurveMeasurement(
            "at_minima",
            FLOW,
            ".measure:measure",
            {"ends": ".measure:ENDS", "gaps": ".measure:GAPS"},
            may_be_empty=True,
            by_cell=True,
        ),
    ),
    figures=(
        Figure(
            "minima",
            "negative modes, unsatisfied points, cusps and gaps at minima of the loss",
            ".figures:draw",
            ("cells", "ends", "gaps"),
        ),
    ),
)
