"""Gaps, cusps, N* by time, depth and loss, and spectra at jamming (thesis, chapter 1)."""

from srhm.declare.study import CellMeasurement, Figure
from srhm.flow.measurements import flow_study
from srhm.training.trainers import FLOW

STUDY = flow_study(
    "gaps",
    "Gaps, cusps and N* at jamming",
    package=__package__,
    measured=("at_jamming",),
    measurements=(
        CellMeasurement("at_jamming", FLOW, ".measure:measure", {
            "gaps": ".measure:GAPS", "cusps": ".measure:CUSPS", "ranks": ".measure:RANKS",
        }, may_be_empty=True),
    ),
    figures=(
        Figure("gaps", "gaps of satisfied and unsatisfied points at jamming, with their exponents",
               ("cells", "gaps")),
        Figure("gaps_n_star", "N* by training time, depth and loss; the SRHM",
               ("cells", "histories")),
        Figure("gaps_spectra",
               "spectra of the Hessian, preactivations at zero and effective parameters",
               ("cells", "hessians", "cusps", "ranks")),
    ),
)  # fmt: skip
