"""Large singular values of every layer under weight decay, beside the sensitivities."""

from functools import partial

from srhm.flow.configuration import FlowSection
from srhm.flow.measurements import MEASUREMENTS
from srhm.flow.plan import plan
from srhm.study import Figure, Study
from srhm.trainers import FLOW

STUDY = Study(
    name="bottleneck",
    title="Ranks of layers under weight decay",
    config=FlowSection,
    plan=partial(plan, study="bottleneck", measured=("singular_values", "sensitivities")),
    trainer=FLOW,
    measurements=MEASUREMENTS,
    figures=(
        Figure(
            name="bottleneck",
            title="bottleneck rank with weight decay",
            function="srhm.studies.bottleneck.figures.ranks:draw",
            uses=("cells", "singular_values", "singular_summaries", "sensitivities"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.bottleneck.claims",
    priority=-10,
)
