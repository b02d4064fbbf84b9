"""What a study of experiments declares. Imports no torch.

An experiment is a function from the coordinates of one cell to its results (`outcome.Outcome`). Its
cells are kept, gathered, planned and published as those of trained networks are.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from srhm.declare.study import CellMeasurement, Planned, Study, Trainer

# Folder of the cells of all such studies, each in its own.
FOLDER = "results/experiments"
LONG = "long"


def experiments(
    study: str, *, title: str, package: str | None = "", schemas: str = ".tables"
) -> Trainer:
    """What computes the cells of a study.

    title: for people. package: of the study; it has `configuration.seconds`, from the coordinates
    of a cell to the seconds that it is expected to take on one core. schemas: its module with
    CELLS, the schema of its cells made by `cells.schema`.
    """
    return Trainer(
        name=study,
        title=title,
        module="srhm.experiments.cells",
        folder=f"{FOLDER}/{study}",
        cells=f"{package}{schemas}:CELLS",
        timings="EXPERIMENT_TIMINGS",
        priority=-10,
        gpu=False,
        arrays=False,
        seconds=f"{package}.configuration:seconds",
    )


def experiment_study(
    name: str,
    title: str,
    *,
    package: str | None = "",
    computes: str,
    config: type[Any],
    plan: Callable[..., Planned],
    long: Sequence[str] = (),
    schemas: str = ".tables",
    **more: Any,
) -> Study:
    """A study of experiments.

    computes: what its trainer computes, for people. plan: as in `Study`, and it gets the `trainer`.
    long: names of its long tables. schemas: its module that has their schemas, in capitals, and
    CELLS. more: as in `Study`.
    """
    trainer = experiments(name, title=computes, package=package, schemas=schemas)
    tables = {table: f"{schemas}:{table.upper()}" for table in long}
    # The tables that have several rows of one cell, or none.
    rows = CellMeasurement(
        LONG, trainer, "srhm.experiments.cells:long_rows", tables, may_be_empty=True
    )
    return Study(
        name=name,
        title=title,
        package=package,
        config=config,
        plan=partial(plan, trainer=trainer),
        trainer=trainer,
        measurements=(rows,) if long else (),
        claims=".claims",
        priority=-10,
        **more,
    )
