"""Relative stability to diffeomorphisms (chapter 4 of the thesis)."""

from srhm.declare.study import Figure
from srhm.experiments.study import experiment_study
from srhm_studies.smoothness.relative_stability.configuration import RelativeStabilitySection, plan

# Images of 28 x 28 of which rows are shipped.
IMAGES = {"mnist5k": "5,000 digits of MNIST", "fashion": "Fashion-MNIST"}

STUDY = experiment_study(
    "relative_stability",
    "Relative stability to diffeomorphisms",
    package=__package__,
    schemas=".analysis",
    computes="relative stability",
    config=RelativeStabilitySection,
    plan=plan,
    long=("stability", "noise"),
    figures=(
        Figure("stability_deformations", "maximum-entropy deformations and their formulas",
               ("cells",)),
        Figure("stability_training", "R_f before and after training, against P",
               ("cells", "stability")),
        Figure("stability_errors", "test error against R_f, D_f and 1/G_f", ("cells", "stability")),
        Figure("stability_depth", "R by depth", ("cells", "stability")),
        *(
            figure
            for data, words in IMAGES.items()
            for figure in (
                Figure(f"stability_{data}", f"R_f on {words}", ("cells", "stability"),
                       function=".figures:stability_images", options={"data": data},
                       answers=data == "fashion"),
                Figure(f"stability_{data}_scans",
                       f"the same against displacement and noise on {words}",
                       ("cells", "stability", "noise"), function=".figures:stability_scans",
                       options={"data": data}),
            )
        ),
        Figure("stability_pixels", "why small digits differ: R_f by kind of images",
               ("cells", "stability")),
        Figure("stability_mnist", "R_f on MNIST, where its files are", ("cells", "stability"),
               function=".figures:stability_images", options={"data": "mnist"}),
        Figure("stability_cifar10", "R_f on CIFAR-10, where its files are", ("cells", "stability"),
               function=".figures:stability_images", options={"data": "cifar10"}),
        Figure("stability_models", "R_f of the stripe model and on the SRHM",
               ("cells", "stability")),
        Figure("stability_scans", "R_f against displacement, G_f against noise",
               ("cells", "stability", "noise")),
    ),
)  # fmt: skip
