"""Chapter 3a of the thesis on images of digits, at several depths."""

from srhm.declare.study import Figure
from srhm.flow.measurements import flow_study

STUDY = flow_study(
    "lazy_feature",
    "Lazy and feature learning of digits",
    package=__package__,
    figures=(
        Figure("digits_regimes",
               "exponents of feature learning at several depths, and who errs less", ("cells",)),
        Figure("digits_error", "test error of digits across the crossover", ("cells", "ensembles"),
               function="srhm.figures.regimes:error_by_scale", options={"study": "lazy_feature"}),
        Figure("digits_frozen", "test error of digits beside that of frozen kernels",
               ("cells", "frozen_kernels")),
        Figure("digits_collapse", "errors of several widths as one function; change of the weights",
               ("cells",)),
        Figure("digits_kernels", "change of the tangent kernel on digits, and half times",
               ("cells",), function="srhm.figures.regimes:kernel_change",
               options={"study": "lazy_feature"}),
        Figure("digits_times", "loss of digits against time", ("cells", "histories")),
        Figure("digits_variance", "variance of outputs on digits", ("cells", "ensembles"),
               function="srhm.figures.regimes:output_variance", options={"study": "lazy_feature"}),
    ),
)  # fmt: skip
