"""Large singular values of every layer under weight decay, beside the sensitivities."""

from srhm.declare.study import Figure
from srhm.flow.measurements import flow_study

STUDY = flow_study(
    "bottleneck",
    "Ranks of layers under weight decay",
    package=__package__,
    measured=("singular_values", "sensitivities"),
    figures=(
        Figure("bottleneck", "bottleneck rank with weight decay",
               ("cells", "singular_values", "singular_summaries", "sensitivities")),
    ),
)  # fmt: skip
