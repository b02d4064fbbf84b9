"""Chapter 3b of the thesis: the plane of width and output scale, and kernels that see features."""

from srhm.declare.study import CellMeasurement, Figure
from srhm.flow.measurements import flow_study
from srhm.training.trainers import FLOW

STUDY = flow_study(
    "phase_diagram",
    "Phase diagram of width and output scale",
    package=__package__,
    measured=("alignment", "compressed"),
    # Each of them is of some kinds of data alone: its table has no row of others.
    measurements=(
        CellMeasurement("alignment", FLOW, ".measure:measure_alignment",
                        {"alignment": ".measure:ALIGNMENT"}, share=0.5, may_be_empty=True),
        CellMeasurement("compressed", FLOW, ".measure:measure_compressed",
                        {"compressed": ".measure:COMPRESSED"}, share=0.5, may_be_empty=True),
    ),
    figures=(
        Figure("phase_diagram",
               "the plane of width and output scale, and of size and training points",
               ("cells", "ensembles", "histories")),
        Figure("phase_learning", "learning curves: digits, stripes, and stripes compressed",
               ("cells", "compressed")),
        Figure("phase_alignment", "eigenvectors of the tangent kernel and the labels",
               ("cells", "alignment")),
    ),
)  # fmt: skip
