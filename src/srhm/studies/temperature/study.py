"""P* of LCN and CNN against the ratio of learning rate to batch size."""

from srhm.studies.temperature.configuration import HISTORIES, TemperatureSection, plan
from srhm.study import CurveMeasurement, Derived, Figure, Study
from srhm.trainers import HIERARCHY

ANALYSIS = "srhm.studies.temperature.analysis"
FIGURES = "srhm.studies.temperature.figures"
WATCHED = "srhm.studies.temperature.histories"

STUDY = Study(
    name="temperature",
    title="Learning rate, batch size and the sample complexity",
    config=TemperatureSection,
    plan=plan,
    trainer=HIERARCHY,
    measurements=(
        CurveMeasurement(
            name="sensitivities",
            trainer=HIERARCHY,
            function="srhm.measure.representations:measure_sensitivities",
            tables={"sensitivities": "SENSITIVITIES"},
        ),
        CurveMeasurement(
            name=HISTORIES,
            trainer=HIERARCHY,
            function=f"{WATCHED}:measure_histories",
            tables={
                "histories": f"{WATCHED}:HISTORIES",
                "sensitivity_histories": f"{WATCHED}:SENSITIVITY_HISTORIES",
            },
            share=1.5,
        ),
    ),
    tables=(
        Derived(
            name="complexities",
            function=f"{ANALYSIS}:complexities",
            schema=f"{ANALYSIS}:COMPLEXITIES",
            uses=("cells", "sensitivities"),
            settings=("thresholds",),
        ),
        Derived(
            name="limits",
            function=f"{ANALYSIS}:limits",
            schema=f"{ANALYSIS}:LIMITS",
            uses=("cells", "complexities"),
            settings=("threshold",),
            files={"flow": "published/*/complexity/cells.parquet"},
        ),
        Derived(
            name="exponents",
            function=f"{ANALYSIS}:exponents",
            schema=f"{ANALYSIS}:EXPONENTS",
            uses=("cells", "complexities"),
            settings=("threshold",),
        ),
    ),
    figures=(
        Figure(
            name="temperature",
            title="P* against the ratio of learning rate to batch size",
            function=f"{FIGURES}.ratios:draw",
            uses=("complexities", "limits"),
            settings=("preset",),
        ),
        Figure(
            name="temperature_exponents",
            title="exponents and constants of Eq. 3 and 4 against that ratio",
            function=f"{FIGURES}.exponents:draw",
            uses=("exponents",),
            settings=("preset",),
        ),
        Figure(
            name="temperature_in_time",
            title="training loss and sensitivities in time, at two rates",
            function=f"{FIGURES}.in_time:draw",
            uses=("cells", "histories", "sensitivity_histories"),
            settings=("preset",),
        ),
    ),
    claims="srhm.studies.temperature.claims",
    priority=-10,
)
