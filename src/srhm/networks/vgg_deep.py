"""VGG13 with batch norm and VGG19 of Simonyan & Zisserman (2015), which the paper leaves out.

More networks for the comparison at one P (Figures 1 C, D and 17), of the families of Table 1.
"""

from functools import partial

from srhm.networks.vgg import Vgg

vgg13_bn = partial(Vgg, (2, 2, 2, 2, 2), norm=True)
vgg19 = partial(Vgg, (2, 2, 4, 4, 4), norm=False)
vgg19_bn = partial(Vgg, (2, 2, 4, 4, 4), norm=True)
