"""P* against the output scale: networks, frozen kernels, sensitivities."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS, SAMPLE_COMPLEXITY
from srhm.flow.plan import plan
from srhm.study import Figure, Study
from srhm.trainers import FLOW

STUDY = Study(
    name="complexity",
    title="Sample complexity from feature to lazy learning",
    config=FlowSection,
    plan=partial(plan, study="complexity", measured=("sensitivities", "frozen_kernels")),
    trainer=FLOW,
    measurements=MEASUREMENTS,
    tables=(SAMPLE_COMPLEXITY,),
    figures=(
        Figure(
            name="complexity",
            title="P* against the output scale",
            function="srhm.studies.complexity.figures.complexity:draw",
            uses=("cells", "sample_complexity"),
            settings=("preset", "threshold"),
        ),
        Figure(
            name="onset",
            title="onset of the invariances at small and large output scale",
            function="srhm.studies.complexity.figures.onset:draw",
            uses=("cells", "sensitivities", "frozen_kernels", "sample_complexity"),
            settings=("preset", "threshold"),
        ),
        Figure(
            name="stability",
            title="sensitivities before and after training",
            function="srhm.studies.complexity.figures.stability:draw",
            uses=("cells", "sensitivities"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.complexity.claims",
    page_tables="srhm.report.complexities:complexity_tables",
    priority=-10,
)
