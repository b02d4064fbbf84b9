"""Section of the study, and the curves that it asks for. Imports no torch."""

from pathlib import Path

from pydantic import Field

from srhm.declare.keys import Keys
from srhm.declare.study import ConfigError, Planned
from srhm.training.configuration import HierarchyCurves, HierarchySection
from srhm.training.plan import SENSITIVITIES
from srhm.training.plan import plan as plan_of_curves

HISTORIES = "histories"
# The one whose trainings are watched.
WATCHED_ENGINE = "sparse"


class Watching(Keys):
    """How trainings are measured on the way."""

    looks: int = Field(24, ge=2, le=200, description="looks at a training, at equal ratios of time")
    n_points: int = Field(300, ge=2, description="test points of which a sensitivity is an average")
    n_draws: int = Field(2, ge=1, le=100, description="transformations drawn for each point")


class TemperatureSection(HierarchySection):
    """Learning curves at several learning rates, batch sizes and momenta."""

    watched: list[HierarchyCurves] = Field(
        [], description="groups of networks whose trainings are measured on the way"
    )
    watching: Watching = Field(Watching(), description="how they are measured")  # type: ignore[call-arg]


def plan(section: TemperatureSection, directory: Path) -> Planned:
    """Learning curves, whose networks are measured at the end, and curves that are watched.

    Raises:
        ConfigError: naming the group of curves, the key, its value and the allowed range.
    """
    planned = plan_of_curves(section, directory)
    curves, samples = dict(planned.curves), dict(planned.samples)
    for number, group in enumerate(section.watched):
        engine = (section.training_keys | group.training).get("engine", WATCHED_ENGINE)
        if engine != WATCHED_ENGINE:
            raise ConfigError(
                f"  watched.{number}.training.engine = {engine!r}: allowed is {WATCHED_ENGINE!r}"
            )
    if section.watched:
        alone = section.model_copy(update={"curves": section.watched})
        try:
            watched = plan_of_curves(alone, directory, measured=(SENSITIVITIES, HISTORIES))
        except ConfigError as error:
            raise ConfigError(str(error).replace("curves.", "watched.")) from error
        curves |= watched.curves
        samples |= watched.samples
    settings = {**planned.settings, HISTORIES: section.watching.model_dump()}
    return Planned(curves=curves, samples=samples, settings=settings)
