"""P* of LCN and CNN against the ratio of learning rate to batch size."""

from srhm.declare.study import CellMeasurement, Derived, Figure, Study
from srhm.training.trainers import HIERARCHY
from srhm_studies.learning_curves.temperature.configuration import TemperatureSection, plan

STUDY = Study(
    package=__package__,
    name="temperature",
    title="Learning rate, batch size and the sample complexity",
    config=TemperatureSection,
    plan=plan,
    trainer=HIERARCHY,
    measurements=(
        CellMeasurement("sensitivities", HIERARCHY,
                        "srhm.measure.representations:measure_sensitivities",
                        {"sensitivities": "SENSITIVITIES"}),
        CellMeasurement("histories", HIERARCHY, ".histories:measure_histories", {
            "histories": ".histories:HISTORIES",
            "sensitivity_histories": ".histories:SENSITIVITY_HISTORIES",
        }, share=1.5),
    ),
    tables=(
        Derived("complexities", uses=("cells", "sensitivities"), settings=("thresholds",)),
        Derived("limits", uses=("cells", "complexities"), settings=("threshold",),
                files={"flow": "published/*/complexity/cells.parquet"}),
        Derived("practice", uses=("cells", "complexities"), settings=("threshold",),
                files={"published": "published/*/sparse_hierarchy/cells.parquet"}),
        Derived("exponents", uses=("cells", "complexities"), settings=("threshold",)),
    ),
    figures=(
        Figure("temperature", "P* against the ratio of learning rate to batch size",
               ("complexities", "limits")),
        Figure("temperature_exponents",
               "exponents and constants of Eq. 3 and 4 against that ratio", ("exponents",)),
        Figure("temperature_in_time", "training loss and sensitivities in time, at two rates",
               ("cells", "histories", "sensitivity_histories")),
    ),
    claims=".claims",
    priority=-10,
)  # fmt: skip
