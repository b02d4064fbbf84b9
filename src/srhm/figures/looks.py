"""How networks, data and learning regimes look, once for the whole project. Imports no matplotlib.

Okabe and Ito's colours but yellow, which is near white: the common kinds of colour blindness tell
them apart. What shares a colour has another marker, so that figures can be read in grey, too.
"""

from dataclasses import dataclass

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, BLACK, GREY = "#56B4E9", "#CC79A7", "#000000", "#7F7F7F"
TINTS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, GREY)
SHAPES = ("o", "s", "^", "D", "v", "p", "P", "X")
LINES = ("-", "--", ":", "-.")


@dataclass(frozen=True)
class Look:
    """How one value is named and drawn; what is empty or None is not its to say.

    line: style of matplotlib. filled: whether its markers are full.
    """

    label: str
    colour: str = ""
    marker: str = ""
    line: str = ""
    filled: bool | None = None


# A hue for each family, a marker for each member.
NETS = {
    "lcn": Look("LCN", BLUE, "o"),
    "cnn": Look("CNN", ORANGE, "s"),
    "fcn": Look("FCN", GREEN, "H"),
    "fcn2": Look("FCN2 (practice)", GREEN, "8"),
    "fc2": Look("FCN, 2 hidden layers", GREEN, "o"),
    "fc4": Look("FCN, 4", GREEN, "s"),
    "fc6": Look("FCN, 6", GREEN, "^"),
    "lenet": Look("LeNet", GREY, "D"),
    "vgg11": Look("VGG11", VERMILION, "^"),
    "vgg16": Look("VGG16", VERMILION, "v"),
    "vgg11_bn": Look("VGG11 bn", PURPLE, "^"),
    "vgg16_bn": Look("VGG16 bn", PURPLE, "v"),
    "resnet18": Look("ResNet18", SKY, "D"),
    "resnet34": Look("ResNet34", SKY, "p"),
    "efficientnetb0": Look("EfficientNetB0", BLACK, "X"),
    "efficientnetb1": Look("EfficientNetB1", BLACK, "P"),
    "efficientnetb2": Look("EfficientNetB2", BLACK, "*"),
}
DATA = {
    "srhm": Look("SRHM", BLACK, "o"),
    "digits": Look("digits", BLUE, "s"),
    "digits_pca": Look("digits, 10 PCA", SKY, "D"),
    "mnist": Look("MNIST", VERMILION, "^"),
    "mnist_pca": Look("MNIST, 10 PCA", ORANGE, "v"),
    "stripe": Look("stripe", GREEN, "P"),
    "random": Look("random data", PURPLE, "X"),
}
REGIMES = {
    "feature": Look("feature learning", VERMILION, "o", "-"),
    "lazy": Look("lazy learning", BLUE, "s", "--"),
}


def net(name: str) -> Look:
    """Look of a network; of another than these in grey, under its own name."""
    return NETS.get(name, Look(name, GREY, "h"))


def data(kind: str) -> Look:
    """Look of a kind of data; of another than these in grey, under its own name."""
    return DATA.get(kind, Look(kind.replace("_", " "), GREY, "h"))
