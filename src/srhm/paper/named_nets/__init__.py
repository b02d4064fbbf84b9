"""VGG, ResNet and EfficientNet on the SRHM: Figures 1, 9, 17 and Table 1 of the paper."""

from srhm.declare.study import CellMeasurement, Figure, Study
from srhm.training.configuration import NamedSection
from srhm.training.plan import plan
from srhm.training.trainers import NAMED_NETS

# LCN and CNN stand beside the named nets.
CORE = ("sparse_hierarchy/cells", "sparse_hierarchy/sensitivities")
OWN = ("cells", "sensitivities")

STUDY = Study(
    package=__package__,
    name="named_nets",
    title="VGG, ResNet and EfficientNet on the SRHM",
    config=NamedSection,
    plan=plan,
    trainer=NAMED_NETS,
    measurements=(
        CellMeasurement("sensitivities", NAMED_NETS,
                        "srhm.measure.network_representations:measure_sensitivities",
                        {"sensitivities": "SENSITIVITIES"}),
    ),
    figures=(
        Figure("fig01", "test error against the sensitivities of the output",
               (*CORE, *OWN, "images/images")),
        Figure("fig09", "VGG, ResNet and EfficientNet at three relative depths", OWN),
        Figure("fig17", "test error against the sensitivities of a layer at 80 % depth",
               (*CORE, *OWN)),
        Figure(name="table1", title="what VGG, ResNet and EfficientNet are made of"),
    ),
    claims=".claims",
    claim_uses={
        "core_cells": "sparse_hierarchy/cells",
        "core_sensitivities": "sparse_hierarchy/sensitivities",
    },
    page="report",
    priority=-10,
)  # fmt: skip
