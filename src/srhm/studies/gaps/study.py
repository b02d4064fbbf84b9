"""Gaps, cusps, N* by time, depth and loss, and spectra at jamming (thesis, chapter 1)."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import CurveMeasurement, Figure, Study
from srhm.trainers import FLOW

HERE = "srhm.studies.gaps"

STUDY = Study(
    name="gaps",
    title="Gaps, cusps and N* at jamming",
    config=FlowSection,
    plan=partial(plan, study="gaps", measured=("at_jamming",)),
    trainer=FLOW,
    measurements=(
        *MEASUREMENTS,
        CurveMeasurement(
            name="at_jamming",
            trainer=FLOW,
            function=f"{HERE}.measure:measure",
            tables={name: f"{HERE}.measure:{name.upper()}" for name in ("gaps", "cusps", "ranks")},
            may_be_empty=True,
        ),
    ),
    figures=(
        Figure(
            name="gaps",
            title="gaps of satisfied and unsatisfied points at jamming, with their exponents",
            function=f"{HERE}.figures.gaps:draw",
            uses=("cells", "gaps"),
            settings=("preset",),
        ),
        Figure(
            name="gaps_n_star",
            title="N* by training time, depth and loss; the SRHM",
            function=f"{HERE}.figures.n_star:draw",
            uses=("cells", "histories"),
            settings=("preset",),
        ),
        Figure(
            name="gaps_spectra",
            title="spectra of the Hessian, preactivations at zero and effective parameters",
            function=f"{HERE}.figures.spectra:draw",
            uses=("cells", "hessians", "cusps", "ranks"),
            settings=("preset",),
        ),
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
