"""P* layer by layer, end to end and with one hidden layer; singular values of weights."""

from srhm.declare.study import Figure
from srhm.flow.measurements import SAMPLE_COMPLEXITY, flow_study

STUDY = flow_study(
    "layerwise",
    "Layer by layer against end to end",
    package=__package__,
    tables=(SAMPLE_COMPLEXITY,),
    figures=(
        Figure("layerwise", "layerwise against end-to-end training",
               ("cells", "sample_complexity"), settings=("preset", "threshold")),
        Figure("singular_values", "singular values of weights and representations", (
            ("cells", "complexity/cells"),
            ("singular_values", "complexity/singular_values"),
            ("singular_summaries", "complexity/singular_summaries"),
        )),
    ),
)  # fmt: skip
