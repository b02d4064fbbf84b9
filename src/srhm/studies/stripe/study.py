"""Chapter 3b of the thesis: feature learning compresses the directions that tell nothing."""

from srhm.cell_measurement import CellMeasurement
from srhm.flow.measurements import flow_study
from srhm.study import Derived, Figure
from srhm.trainers import FLOW

STUDY = flow_study(
    "stripe",
    "The stripe model: compression by feature learning",
    measured=("neurons",),
    measurements=(
        CellMeasurement(
            "neurons", FLOW, ".measure:measure_neurons", {"neurons": ".measure:NEURONS"}
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
            ("cells", "neurons", "machines"),
        ),
    ),
)
