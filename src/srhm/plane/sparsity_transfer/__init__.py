"""Networks trained with sparsity A and tested with sparsity B, and the other way round."""

from functools import partial

from srhm.declare.study import CellMeasurement, Figure, Study
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan
from srhm.training.trainers import HIERARCHY

STUDY = Study(
    package=__package__,
    name="sparsity_transfer",
    title="From one kind of sparsity to the other",
    config=HierarchySection,
    plan=partial(plan, measured=("transfer",)),
    trainer=HIERARCHY,
    measurements=(
        CellMeasurement("transfer", HIERARCHY, ".measure:measure_transfer",
                        {"transfer": ".measure:TRANSFER"}),
    ),
    figures=(
        Figure("sparsity_transfer", "test errors on the kind of sparsity learnt and on the other",
               ("transfer",), settings=("preset", "threshold")),
    ),
    claims=".claims",
    priority=-10,
)  # fmt: skip
