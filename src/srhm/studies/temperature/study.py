"""P* of LCN and CNN against the ratio of learning rate to batch size."""

from srhm.studies.temperature.configuration import TemperatureSection, plan
from srhm.study import Measurement, Study
from srhm.trainers import HIERARCHY

STUDY = Study(
    name="temperature",
    title="Learning rate, batch size and the sample complexity",
    config=TemperatureSection,
    plan=plan,
    trainer=HIERARCHY,
    measurements=(
        Measurement(
            name="sensitivities",
            trainer=HIERARCHY,
            function="srhm.measure.representations:measure_sensitivities",
            tables={"sensitivities": "SENSITIVITIES"},
        ),
    ),
    priority=-10,
)
