"""Chapter 3a of the thesis: the first times of training, and checks of the gradient flow."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import CurveMeasurement, Figure, Study
from srhm.trainers import FLOW

HERE = "srhm.studies.early_dynamics"
MEASURE = f"{HERE}.measure"

STUDY = Study(
    name="early_dynamics",
    title="The beginning of training, and checks of the gradient flow",
    config=FlowSection,
    plan=partial(plan, study="early_dynamics", measured=("beginnings",)),
    trainer=FLOW,
    measurements=(
        *MEASUREMENTS,
        CurveMeasurement(
            name="beginnings",
            trainer=FLOW,
            function=f"{MEASURE}:measure_beginnings",
            tables={"rates": f"{MEASURE}:RATES", "outputs": f"{MEASURE}:OUTPUTS"},
            share=0.1,
            may_be_empty=True,
        ),
    ),
    figures=tuple(
        Figure(
            name=f"early_{name}",
            title=title,
            function=f"{HERE}.figures.{name}:draw",
            uses=uses,
            settings=("preset",),
        )
        for name, title, uses in (
            (
                "times",
                "output and preactivations at the beginning",
                ("cells", "histories", "rates"),
            ),
            ("regimes", "third regime of ReLU; variance by training set", ("cells", "ensembles")),
            ("checks", "tolerance of the flow, f0, biases", ("cells", "ensembles", "outputs")),
        )
    ),
    claims=f"{HERE}.claims",
    priority=-10,
)
