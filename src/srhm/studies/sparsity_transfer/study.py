"""Networks trained with sparsity A and tested with sparsity B, and the other way round."""

from functools import partial

from srhm.cell_measurement import CellMeasurement
from srhm.study import Figure, Study
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
        CellMeasurement(
            "transfer", HIERARCHY, ".measure:measure_transfer", {"transfer": ".measure:TRANSFER"}
        ),
    ),
    figures=(
        Figure(
            "sparsity_transfer",
            "test errors on the kind of sparsity learnt and on the other",
            ("transfer",),
            settings=("preset", "threshold"),
        ),
    ),
    claims=".claims",
    priority=-10,
)
