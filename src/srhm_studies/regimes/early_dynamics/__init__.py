"""Chapter 3a of the thesis: the first times of training, and checks of the gradient flow."""

from srhm.declare.study import CellMeasurement, Figure
from srhm.flow.measurements import flow_study
from srhm.training.trainers import FLOW

STUDY = flow_study(
    "early_dynamics",
    "The beginning of training, and checks of the gradient flow",
    package=__package__,
    measured=("beginnings",),
    measurements=(
        CellMeasurement("beginnings", FLOW, ".measure:measure_beginnings",
                        {"rates": ".measure:RATES", "outputs": ".measure:OUTPUTS"}, share=0.1,
                        may_be_empty=True),
    ),
    figures=(
        Figure("early_times", "output and preactivations at the beginning",
               ("cells", "histories", "rates")),
        Figure("early_regimes", "third regime of ReLU; variance by training set",
               ("cells", "ensembles")),
        Figure("early_checks", "tolerance of the flow, f0, biases",
               ("cells", "ensembles", "outputs")),
    ),
)  # fmt: skip
