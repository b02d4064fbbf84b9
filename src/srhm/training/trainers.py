"""The trainers: what trains the cells of a study, and where these are kept. Imports no torch.

Several studies may have one trainer. They then share its store: a cell is trained once.
"""

from collections.abc import Iterable
from dataclasses import replace

from srhm.declare.study import Trainer
from srhm.networks.registry import CONNECTED, HIERARCHICAL, NAMED


def _beginning_with(names: Iterable[str]) -> str:
    return f"({'|'.join(sorted(names))})_[^/]+"


# LCN, CNN and FCN on the SRHM: the engines `sparse`, `dense` and `reference`.
HIERARCHY = Trainer(
    name="hierarchy", title="LCN, CNN and FCN", module="srhm.training.engines",
    cost="srhm.training.cost:costs", folder="results", cells="CELLS",
    curves=_beginning_with((*HIERARCHICAL, *CONNECTED)),
)  # fmt: skip
# VGG, ResNet, EfficientNet on the SRHM. They are trained after LCN, CNN and FCN, in the same store.
NAMED_NETS = replace(
    HIERARCHY, name="named", title="VGG, ResNet, EfficientNet", curves=_beginning_with(NAMED),
    priority=-10,
)  # fmt: skip
# The same networks on images. These take longest, and go last.
IMAGES = Trainer(
    name="images", title="networks on images", module="srhm.images.trainer",
    cost="srhm.training.cost:image_costs", folder="results/images", cells="IMAGE_CELLS",
    priority=-20,
)  # fmt: skip
# Networks of any output scale by gradient flow, Adam or SGD.
FLOW = Trainer(
    name="flow", title="gradient flow, Adam and SGD", module="srhm.flow.trainer",
    cost="srhm.flow.cost:flow_costs", folder="results/plane", cells="FLOW_CELLS",
    timings="FLOW_TIMINGS", priority=-10, stacked=True,
)  # fmt: skip
TRAINERS = (HIERARCHY, NAMED_NETS, IMAGES, FLOW)
