"""How networks, data and learning regimes look, once for the whole project. Imports no matplotlib.

Okabe and Ito's colours, with olive in place of yellow, which is near white: the common kinds of
colour blindness tell them apart. What shares a colour has another marker, so that figures can be
read in grey, too.
"""

from dataclasses import dataclass

from srhm.networks.registry import label

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, BLACK, GREY = "#56B4E9", "#CC79A7", "#000000", "#7F7F7F"
OLIVE = "#7D7A00"  # of fully connected networks; green is D
# Test error, S (synonyms) and D (diffeomorphisms), wherever a figure or a page shows them.
ERROR, SYNONYMS, SHIFTS = BLACK, "#AA3377", GREEN
# The same hues on a dark ground.
DARK_ERROR, DARK_SYNONYMS, DARK_SHIFTS = "#ECECEC", "#E07BB0", "#2FC79A"
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
NETS = {name: Look(label(name), *look) for name, look in {
    "lcn": (BLUE, "o"),
    "cnn": (ORANGE, "s"),
    "cnn_first": (SKY, "^"),
    "cnn_second": (BLUE, "v"),
    "cnn_third": (BLUE, "<"),
    "cnn_first_second": (ORANGE, "^"),
    "cnn_first_third": (SKY, "<"),
    "cnn_second_third": (BLUE, ">"),
    "cnn_places": (VERMILION, "D"),
    "cnn_features": (SKY, "*"),
    "cnn_pooled": (BLACK, "h"),
    "cnn_pooled_first": (PURPLE, "P"),
    "cnn_pooled_last": (GREY, "X"),
    "fcn": (OLIVE, "H"),
    "fcn2": (OLIVE, "8"),
    "fc2": (OLIVE, "o"),
    "fc4": (OLIVE, "s"),
    "fc6": (OLIVE, "^"),
    "lenet": (GREY, "D"),
    "vgg11": (VERMILION, "^"),
    "vgg13": (VERMILION, "<"),
    "vgg16": (VERMILION, "v"),
    "vgg19": (VERMILION, ">"),
    "vgg11_bn": (PURPLE, "^"),
    "vgg13_bn": (PURPLE, "<"),
    "vgg16_bn": (PURPLE, "v"),
    "vgg19_bn": (PURPLE, ">"),
    "resnet18": (SKY, "D"),
    "resnet34": (SKY, "p"),
    "efficientnetb0": (BLACK, "X"),
    "efficientnetb1": (BLACK, "P"),
    "efficientnetb2": (BLACK, "*"),
}.items()}  # fmt: skip
DATA = {
    "srhm": Look("SRHM", BLACK, "o"),
    "digits": Look("digits", BLUE, "s"),
    "digits_pca": Look("digits, 10 PCA", SKY, "D"),
    "mnist": Look("MNIST", VERMILION, "^"),
    "mnist_pca": Look("MNIST, 10 PCA", ORANGE, "v"),
    "mnist5k": Look("MNIST (5,000)", VERMILION, "<"),
    "mnist5k_pca": Look("MNIST (5,000), 10 PCA", ORANGE, ">"),
    "fashion": Look("Fashion-MNIST", GREY, "D"),
    "fashion_pca": Look("Fashion-MNIST, 10 PCA", GREY, "H"),
    "stripe": Look("stripe", GREEN, "P"),
    "random": Look("random data", PURPLE, "X"),
}
REGIMES = {
    "feature": Look("feature learning", VERMILION, "o", "-"),
    "lazy": Look("lazy learning", BLUE, "s", "--"),
}


def net(name: str) -> Look:
    """Look of a network; of another than these in grey, under its label."""
    return NETS.get(name, Look(label(name), GREY, "h"))


def data(kind: str) -> Look:
    """Look of a kind of data; of another than these in grey, under its own name."""
    return DATA.get(kind, Look(kind.replace("_", " "), GREY, "h"))
