"""Error, kernel change and variance of outputs in the plane of width and output scale."""

from srhm.declare.study import Figure
from srhm.flow.measurements import flow_study

STUDY = flow_study(
    "crossover",
    "The crossover from feature to lazy learning",
    package=__package__,
    measured=("kernels",),
    figures=(
        Figure("crossover_error", "test error across the crossover", ("cells", "ensembles"),
               function="srhm.figures.regimes:error_by_scale", options={"study": "crossover"}),
        Figure("kernel_change", "change of the tangent kernel and of the weights", ("cells",),
               function="srhm.figures.regimes:kernel_change", options={"study": "crossover"}),
        Figure("crossover_variance", "variance of outputs across the crossover",
               ("cells", "ensembles"), function="srhm.figures.regimes:output_variance",
               options={"study": "crossover"}),
        Figure("crossover_diagram", "the plane of width and output scale", ("cells", "ensembles")),
        Figure("tangent_kernels", "spectra of the tangent kernel", ("cells", "kernels")),
    ),
)  # fmt: skip
