"""P* against the output scale: networks, frozen kernels, sensitivities."""

from srhm.declare.study import Figure
from srhm.flow.measurements import SAMPLE_COMPLEXITY, flow_study

STUDY = flow_study(
    "complexity",
    "Sample complexity from feature to lazy learning",
    package=__package__,
    measured=("sensitivities", "frozen_kernels"),
    tables=(SAMPLE_COMPLEXITY,),
    figures=(
        Figure("complexity", "P* against the output scale", ("cells", "sample_complexity"),
               settings=("preset", "threshold")),
        Figure("onset", "onset of the invariances at small and large output scale",
               ("cells", "sensitivities", "frozen_kernels", "sample_complexity"),
               settings=("preset", "threshold")),
        Figure("stability", "sensitivities before and after training", ("cells", "sensitivities")),
    ),
)  # fmt: skip
