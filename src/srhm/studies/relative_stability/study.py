"""Relative stability to diffeomorphisms (chapter 4 of the thesis)."""

from srhm.experiments.declaration import experiment_study
from srhm.studies.relative_stability.configuration import RelativeStabilitySection, plan
from srhm.study import Figure

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
            ".figures.deformations:draw",
            ("cells",),
        ),
        Figure(
            "stability_training",
            "R_f before and after training, against P",
            ".figures.training:draw",
            ("cells", "stability"),
        ),
        Figure(
            "stability_errors",
            "test error against R_f, D_f and 1/G_f",
            ".figures.errors:draw",
            ("cells", "stability"),
        ),
        Figure("stability_depth", "R by depth", ".figures.depth:draw", ("cells", "stability")),
        Figure(
            "stability_mnist",
            "R_f on MNIST, where its files are",
            ".figures.images:draw",
            ("cells", "stability"),
            options={"data": "mnist"},
        ),
        Figure(
            "stability_cifar10",
            "R_f on CIFAR-10, where its files are",
            ".figures.images:draw",
            ("cells", "stability"),
            options={"data": "cifar10"},
        ),
        Figure(
            "stability_models",
            "R_f of the stripe model and on the SRHM",
            ".figures.models:draw",
            ("cells", "stability"),
        ),
        Figure(
            "stability_scans",
            "R_f against displacement, G_f against noise",
            ".figures.scans:draw",
            ("cells", "stability", "noise"),
        ),
    ),
)
