"""Error, kernel change and variance of outputs in the plane of width and output scale."""

from srhm.flow.measurements import flow_study
from srhm.study import Figure

STUDY = flow_study(
    "crossover",
    "The crossover from feature to lazy learning",
    measured=("kernels",),
    figures=(
        Figure(
            "crossover_error",
            "test error across the crossover",
            "srhm.figures.error_by_scale:draw",
            ("cells", "ensembles"),
            options={"study": "crossover"},
        ),
        Figure(
            "kernel_change",
            "change of the tangent kernel and of the weights",
            "srhm.figures.kernel_change:draw",
            ("cells",),
            options={"study": "crossover"},
        ),
        Figure(
            "crossover_variance",
            "variance of outputs across the crossover",
            "srhm.figures.output_variance:draw",
            ("cells", "ensembles"),
            options={"study": "crossover"},
        ),
        Figure(
            "crossover_diagram",
            "the plane of width and output scale",
            ".figures.diagram:draw",
            ("cells", "ensembles"),
        ),
        Figure(
            "tangent_kernels",
            "spectra of the tangent kernel",
            ".figures.kernels:draw",
            ("cells", "kernels"),
        ),
    ),
)
