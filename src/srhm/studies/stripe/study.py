"""Chapter 3b of the thesis: feature learning compresses the directions that tell nothing."""

from srhm.flow.measurements import flow_study
from srhm.study import CurveMeasurement, Derived, Figure
from srhm.trainers import FLOW

STUDY = flow_study(
    "stripe",
    "The stripe model: compression by feature learning",
    measured=("neurons",),
    measurements=(
        CurveMeasurement(
            "neurons",
            FLOW,
            ".measure:measure_neurons",
            {"neurons": ".measure:NEURONS"},
            by_cell=True,
        ),
    ),
    tables=(
        Derived(
            "machines",
            ".machines:machines",
            ".machines:MACHINES",
            files={"published": "published/*/kernels/cells.parquet"},
        ),
    ),
    figures=(
        Figure(
            "stripe",
            "neurons, their alignment, and learning curves in the stripe model",
            ".figures.stripe:draw",
            ("cells", "neurons", "machines"),
        ),
    ),
)
