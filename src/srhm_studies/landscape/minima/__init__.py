"""Jamming at minima of the loss: networks after a second-order end (thesis, chapter 1)."""

from srhm.declare.study import CellMeasurement, Figure
from srhm.flow.measurements import flow_study
from srhm.training.trainers import FLOW

STUDY = flow_study(
    "minima",
    "Jamming at minima of the loss",
    package=__package__,
    measured=("at_minima",),
    measurements=(
        CellMeasurement("at_minima", FLOW, ".measure:measure",
                        {"ends": ".measure:ENDS", "gaps": ".measure:GAPS"}, may_be_empty=True),
    ),
    figures=(
        Figure("minima", "negative modes, unsatisfied points, cusps and gaps at minima of the loss",
               ("cells", "ends", "gaps")),
    ),
)  # fmt: skip
