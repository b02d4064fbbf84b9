"""Every network by its name: what people call it, and the module that makes it.

The function of a network has its name: "vgg11" is `vgg11` of its module. A line that is added here
renames no stored result: what trains looks networks up by text, its digest does not read these
tables (`srhm.store.sources`), and the key of a cell holds the digest of the function of its own
network.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Net:
    """label: for people. module: its dotted name, part of the keys of all cells of the network.

    like: a network of the same table whose coefficients of cost, predicted sample complexity and
    thresholds of sensitivities stand in for those of this one, which has none of its own. They
    decide nothing of a cell. taped: whether a named net says its steps to the engine `torch`, of
    gradients that are written by hand; else `autograd` trains it.
    """

    label: str
    module: str
    like: str = ""
    taped: bool = False


# On the SRHM: (parameters of the grammar, *, width, ...) -> `geometry.Geometry`.
HIERARCHICAL = {
    "lcn": Net("LCN", "srhm.networks.slots"),
    "cnn": Net("CNN", "srhm.networks.slots"),
    "fcn": Net("FCN", "srhm.networks.slots"),
    "cnn_first": Net("CNN in layer 1", "srhm.networks.slots", like="lcn"),
    "cnn_second": Net("CNN in layer 2", "srhm.networks.slots", like="lcn"),
    "cnn_third": Net("CNN in layer 3", "srhm.networks.slots", like="lcn"),
    "cnn_first_second": Net("CNN in layers 1, 2", "srhm.networks.slots", like="lcn"),
    "cnn_first_third": Net("CNN in layers 1, 3", "srhm.networks.slots", like="lcn"),
    "cnn_second_third": Net("CNN in layers 2, 3", "srhm.networks.slots", like="lcn"),
    "cnn_places": Net("shared by positions", "srhm.networks.slots", like="cnn"),
    "cnn_features": Net("shared by features", "srhm.networks.slots", like="lcn"),
    "cnn_pooled": Net("CNN, pooled", "srhm.networks.slots", like="cnn"),
    "cnn_pooled_first": Net("CNN, pooled before layer 1", "srhm.networks.slots", like="cnn"),
    "cnn_pooled_last": Net("CNN, pooled before layer L", "srhm.networks.slots", like="cnn"),
}
# On the SRHM, each with an engine of its own name: units in place of channels at places. Functions
# (parameters of the grammar, *, width) -> layers of any number of units.
CONNECTED = {"fcn2": Net("FCN2 (practice)", "srhm.networks.fcn2", like="fcn")}
# On the SRHM and on images: the arguments of `named.named_network` -> a module of PyTorch. Table 1
# of the paper lists the families; "bn" in the name of a VGG means batch norm.
NAMED = {
    "vgg11": Net("VGG11", "srhm.networks.vgg", taped=True),
    "vgg11_bn": Net("VGG11 bn", "srhm.networks.vgg", taped=True),
    "vgg13": Net("VGG13", "srhm.networks.vgg", like="vgg11", taped=True),
    "vgg13_bn": Net("VGG13 bn", "srhm.networks.vgg", like="vgg11_bn", taped=True),
    "vgg16": Net("VGG16", "srhm.networks.vgg", taped=True),
    "vgg16_bn": Net("VGG16 bn", "srhm.networks.vgg", taped=True),
    "vgg19": Net("VGG19", "srhm.networks.vgg", like="vgg16", taped=True),
    "vgg19_bn": Net("VGG19 bn", "srhm.networks.vgg", like="vgg16_bn", taped=True),
    "resnet18": Net("ResNet18", "srhm.networks.resnet", taped=True),
    "resnet34": Net("ResNet34", "srhm.networks.resnet", taped=True),
    "efficientnetb0": Net("EfficientNetB0", "srhm.networks.efficientnet", taped=True),
    "efficientnetb1": Net("EfficientNetB1", "srhm.networks.efficientnet", taped=True),
    "efficientnetb2": Net("EfficientNetB2", "srhm.networks.efficientnet", taped=True),
}
# On images alone: the arguments of `primitive.image_network` -> its layers (thesis, chapter 4).
PRIMITIVE = {
    "fc2": Net("FCN, 2 hidden layers", "srhm.networks.small"),
    "fc4": Net("FCN, 4", "srhm.networks.small"),
    "fc6": Net("FCN, 6", "srhm.networks.small"),
    "lenet": Net("LeNet", "srhm.networks.small"),
}
NETS = {**HIERARCHICAL, **CONNECTED, **NAMED, **PRIMITIVE}


def label(net: str) -> str:
    """What people call a network; its own name if it is none of these."""
    return NETS[net].label if net in NETS else net


def function_of(net: str) -> str:
    """The function that makes a network, "package.module:function"."""
    return f"{NETS[net].module}:{net}"


def stand_in(net: str) -> str:
    """The network whose coefficients and predictions a network has: its own, or that of `like`."""
    return (NETS[net].like if net in NETS else "") or net
