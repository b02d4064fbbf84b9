"""Jamming at minima of the loss: networks after a second-order end (thesis, chapter 1)."""

from srhm.cell_measurement import CellMeasurement
from srhm.flow.measurements import flow_study
from srhm.study import Figure
from srhm.trainers import FLOW

STUDY = flow_study(
    "minima",
    "Jamming at minima of the loss",
    measured=("at_minima",),
    measurements=(
        CellMeasurement(
            "at_minima",
            FLOW,
            ".measure:measure",
            {"ends": ".measure:ENDS", "gaps": ".measure:GAPS"},
            may_be_empty=True,
        ),
    ),
    figures=(
        Figure(
            "minima",
            "negative modes, unsatisfied points, cusps and gaps at minima of the loss",
            ("cells", "ends", "gaps"),
        ),
    ),
)
