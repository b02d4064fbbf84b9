"""Names of the published networks, without torch: what reads a configuration needs no more."""

# Table 1 of the paper lists the families; "bn" in the name of a VGG means batch norm.
NAMED = (
    "vgg11",
    "vgg11_bn",
    "vgg16",
    "vgg16_bn",
    "resnet18",
    "resnet34",
    "efficientnetb0",
    "efficientnetb1",
    "efficientnetb2",
)
