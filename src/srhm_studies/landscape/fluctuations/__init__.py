"""Chapter 2b of the thesis: what the random start does to the output and to the test error."""

from srhm.declare.study import CurveMeasurement, Figure
from srhm.flow.measurements import flow_study
from srhm.training.trainers import FLOW

# The data sets that the study learns, by their names in the configuration.
DIGITS, MNIST = "digits_pca", "mnist5k_pca"

STUDY = flow_study(
    "fluctuations",
    "Fluctuations of the output and the test error beyond jamming",
    package=__package__,
    measured=("fluctuations",),
    measurements=(
        CurveMeasurement("fluctuations", FLOW, ".measure:measure_fluctuations", {
            "fluctuations": ".measure:FLUCTUATIONS", "resampled": ".measure:RESAMPLED",
            "crossings": ".measure:CROSSINGS", "courses": ".measure:COURSES",
        }, share=0.2, may_be_empty=True),
    ),
    figures=tuple(
        Figure(f"fluctuations_{name}{end}", f"{title}{where}", ("cells", *uses),
               function=f".figures:{name}", options={"data": data})
        for data, (end, where) in {DIGITS: ("", ""), MNIST: ("_mnist", ", MNIST")}.items()
        for name, title, uses in (
            ("members", "ensembles of n networks, and the distance between boundaries",
             ("resampled", "crossings", "courses")),
            ("size", "fluctuations of output, gradient, boundary and error against N",
             ("histories", "fluctuations")),
            ("norm", "norm of the output near jamming, by training time",
             ("histories", "fluctuations")),
        )
    ),
)  # fmt: skip
