"""Chapter 3b of the thesis: the plane of width and output scale, and kernels that see features."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import CurveMeasurement, Figure, Study
from srhm.trainers import FLOW

MEASURE = "srhm.studies.phase_diagram.measure"
FIGURES = "srhm.studies.phase_diagram.figures"
# Each of them is of some kinds of data alone: its table has no row of others.
OWN = ("alignment", "compressed")

STUDY = Study(
    name="phase_diagram",
    title="Phase diagram of width and output scale",
    config=FlowSection,
    plan=partial(plan, study="phase_diagram", measured=OWN),
    trainer=FLOW,
    measurements=(
        *MEASUREMENTS,
        *(
            CurveMeasurement(
                name=name,
                trainer=FLOW,
                function=f"{MEASURE}:measure_{name}",
                tables={name: f"{MEASURE}:{name.upper()}"},
                share=0.5,
                may_be_empty=True,
            )
            for name in OWN
        ),
    ),
    figures=(
        Figure(
            name="phase_diagram",
            title="the plane of width and output scale, and of size and training points",
            function=f"{FIGURES}.plane:draw",
            uses=("cells", "ensembles", "histories"),
            settings=("preset",),
        ),
        Figure(
            name="phase_learning",
            title="learning curves: digits, stripes, and stripes compressed",
            function=f"{FIGURES}.learning:draw",
            uses=("cells", "compressed"),
            settings=("preset",),
        ),
        Figure(
            name="phase_alignment",
            title="eigenvectors of the tangent kernel and the labels",
            function=f"{FIGURES}.alignment:draw",
            uses=("cells", "alignment"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.phase_diagram.claims",
    priority=-10,
)
