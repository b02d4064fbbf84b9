"""Chapter 3b of the thesis: feature learning compresses the directions that tell nothing."""

from srhm.declare.study import CellMeasurement, Derived, Figure
from srhm.flow.measurements import flow_study
from srhm.training.trainers import FLOW

STUDY = flow_study(
    "stripe",
    "The stripe model: compression by feature learning",
    package=__package__,
    measured=("neurons",),
    measurements=(
        CellMeasurement("neurons", FLOW, ".measure:measure_neurons",
                        {"neurons": ".measure:NEURONS"}),
    ),
    tables=(
        Derived("machines", ".analysis:machines", ".analysis:MACHINES",
                files={"published": "published/*/kernels/cells.parquet"}),
    ),
    figures=(
        Figure("stripe", "neurons, their alignment, and learning curves in the stripe model",
               ("cells", "neurons", "machines")),
    ),
)  # fmt: skip
