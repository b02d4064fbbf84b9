"""VGG13 of Simonyan & Zisserman (2015), which the paper leaves out: two convolutions a stage."""

from functools import partial

from srhm.networks.vgg import Vgg

vgg13 = partial(Vgg, (2, 2, 2, 2, 2), norm=False)
