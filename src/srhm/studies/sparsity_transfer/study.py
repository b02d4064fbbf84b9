"""Networks trained with sparsity A and tested with sparsity B, and the other way round."""

from functools import partial

from srhm.study import CurveMeasurement, Figure, Study
from srhm.trainers import HIERARCHY
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan

MEASURE = "srhm.studies.sparsity_transfer.measure"

STUDY = Study(
    name="sparsity_transfer",
    title="From one kind of sparsity to the other",
    config=HierarchySection,
    plan=partial(plan, measured=("transfer",)),
    trainer=HIERARCHY,
    measurements=(
        CurveMeasurement(
            name="transfer",
            trainer=HIERARCHY,
            function=f"{MEASURE}:measure_transfer",
            tables={"transfer": f"{MEASURE}:TRANSFER"},
        ),
    ),
    figures=(
        Figure(
            name="sparsity_transfer",
            title="test errors on the kind of sparsity learnt and on the other",
            function="srhm.studies.sparsity_transfer.figures.error:draw",
            uses=("transfer",),
            settings=("preset", "threshold"),
        ),
    ),
    claims="srhm.studies.sparsity_transfer.claims",
    priority=-10,
)
