"""Networks trained with sparsity A and tested with sparsity B, and the other way round."""

from functools import partial

from srhm.study import CurveMeasurement, Figure, Study
from srhm.trainers import HIERARCHY
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan

STUDY = Study(
    name="sparsity_transfer",
    title="From one kind of sparsity to the other",
    config=HierarchySection,
    plan=partial(plan, measured=("transfer",)),
    trainer=HIERARCHY,
    measurements=(
        CurveMeasurement(
            "transfer",
            HIERARCHY,
            ".measure:measure_transfer",
            {"transfer": ".measure:TRANSFER"},
            by_cell=True,
        ),
    ),
    figures=(
        Figure(
            "sparsity_transfer",
            "test errors on the kind of sparsity learnt and on the other",
            ".figures.error:draw",
            ("transfer",),
            settings=("preset", "threshold"),
        ),
    ),
    claims=".claims",
    priority=-10,
)
