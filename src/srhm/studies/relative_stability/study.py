"""Relative stability to diffeomorphisms (chapter 4 of the thesis)."""

from srhm.experiments.declaration import experiment_study
from srhm.studies.relative_stability.configuration import RelativeStabilitySection, plan
from srhm.study import Figure

# Images of 28 x 28 of which rows are shipped.
IMAGES = {"mnist5k": "5,000 digits of MNIST", "fashion": "Fashion-MNIST"}

STUDY = experiment_study(
    "relative_stability",
    "Relative stability to diffeomorphisms",
    computes="relative stability",
    config=RelativeStabilitySection,
    plan=plan,
    long=("stability", "noise"),
    figures=(
        Figure(
            "stability_deformations",
            "maximum-entropy deformations and their formulas",
            ".figures:stability_deformations",
            ("cells",),
        ),
        Figure(
            "stability_training",
            "R_f before and after training, against P",
            ".figures:stability_training",
            ("cells", "stability"),
        ),
        Figure(
            "stability_errors",
            "test error against R_f, D_f and 1/G_f",
            ".figures:stability_errors",
            ("cells", "stability"),
        ),
        Figure("stability_depth", "R by depth", ".figures:stability_depth", ("cells", "stability")),
        *(
            figure
            for data, words in IMAGES.items()
            for figure in (
                Figure(
                    f"stability_{data}",
                    f"R_f on {words}",
                    ".figures:stability_images",
                    ("cells", "stability"),
                    options={"data": data},
                    answers=data == "fashion",
                ),
                Figure(
                    f"stability_{data}_scans",
                    f"the same against displacement and noise on {words}",
                    ".figures:stability_scans",
                    ("cells", "stability", "noise"),
                    options={"data": data},
                ),
            )
        ),
        Figure(
            "stability_pixels",
            "why small digits differ: R_f by kind of images",
            ".figures:stability_pixels",
            ("cells", "stability"),
        ),
        Figure(
            "stability_mnist",
            "R_f on MNIST, where its files are",
            ".figures:stability_images",
            ("cells", "stability"),
            options={"data": "mnist"},
        ),
        Figure(
            "stability_cifar10",
            "R_f on CIFAR-10, where its files are",
            ".figures:stability_images",
            ("cells", "stability"),
            options={"data": "cifar10"},
        ),
        Figure(
            "stability_models",
            "R_f of the stripe model and on the SRHM",
            ".figures:stability_models",
            ("cells", "stability"),
        ),
        Figure(
            "stability_scans",
            "R_f against displacement, G_f against noise",
            ".figures:stability_scans",
            ("cells", "stability", "noise"),
        ),
    ),
)
