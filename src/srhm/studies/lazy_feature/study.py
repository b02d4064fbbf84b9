"""Chapter 3a of the thesis on images of digits, at several depths."""

from srhm.flow.measurements import flow_study
from srhm.study import Figure

STUDY = flow_study(
    "lazy_feature",
    "Lazy and feature learning of digits",
    figures=(
        Figure(
            "digits_regimes",
            "exponents of feature learning at several depths, and who errs less",
            ".figures:digits_regimes",
            ("cells",),
        ),
        Figure(
            "digits_error",
            "test error of digits across the crossover",
            "srhm.figures.regimes:error_by_scale",
            ("cells", "ensembles"),
            options={"study": "lazy_feature"},
        ),
        Figure(
            "digits_frozen",
            "test error of digits beside that of frozen kernels",
            ".figures:digits_frozen",
            ("cells", "frozen_kernels"),
        ),
        Figure(
            "digits_collapse",
            "errors of several widths as one function; change of the weights",
            ".figures:digits_collapse",
            ("cells",),
        ),
        Figure(
            "digits_kernels",
            "change of the tangent kernel on digits, and half times",
            "srhm.figures.regimes:kernel_change",
            ("cells",),
            options={"study": "lazy_feature"},
        ),
        Figure(
            "digits_times",
            "loss of digits against time",
            ".figures:digits_times",
            ("cells", "histories"),
        ),
        Figure(
            "digits_variance",
            "variance of outputs on digits",
            "srhm.figures.regimes:output_variance",
            ("cells", "ensembles"),
            options={"study": "lazy_feature"},
        ),
    ),
)
