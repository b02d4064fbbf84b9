"""Unsatisfied points, N*(P), and the spectra of the Hessian of jammed networks."""

from srhm.declare.study import Figure
from srhm.flow.measurements import flow_study

STUDY = flow_study(
    "jamming",
    "Jamming of random and of hierarchical labels",
    package=__package__,
    measured=("hessians",),
    figures=(
        Figure("jamming", "jamming and the spectra of the Hessian",
               (("cells", "double_descent/cells"), "hessians", "hessian_summaries")),
    ),
)  # fmt: skip
