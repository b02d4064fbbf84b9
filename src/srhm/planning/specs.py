"""What the scripts that draw data, train and measure read, each as one text."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from srhm.declare.study import Curve, CurveMeasurement, Derived, Figure, Use, names_in
from srhm.planning.preset import Plan
from srhm.planning.registry import STUDIES
from srhm.store import places
from srhm.store.paths import searched_spec
from srhm.store.provenance import PACKAGE, canonical_json

# A measurement with its options.
Measuring = tuple[CurveMeasurement, Mapping[str, Any]]


def spec_text(value: Any) -> str:
    """Canonical JSON of what a script needs, in which Snakemake takes no {word} for a wildcard.

    It is one text, since Snakemake compares several parameters without their names and order.
    """
    return re.sub(r"\{(?=\s*\w)", r"\\u007b", canonical_json(value))


def _decides(curve: Curve) -> dict[str, Any]:
    """All that decides the rows of a curve."""
    searched = {"search": vars(curve.search)} if curve.search else {}
    return {
        **searched,
        "cells": curve.entries,
        "columns": curve.columns,
        "curve": curve.name,
        "inputs": curve.inputs,
        "keep_weights": curve.keep_weights,
        "trainer": curve.trainer.module,
    }


def _training(curve: Curve) -> dict[str, Any]:
    """What trains a curve is told: a search, where published rows that it knows are, too."""
    known = {"published": curve.published_in, "taken": curve.taken} if curve.published_in else {}
    return {**_decides(curve), "arrays_needed": curve.trainer.arrays, **known}


def curve_spec(curve: Curve) -> str:
    """For the job that trains a curve, or gathers its parts."""
    schemas = {"cells": curve.trainer.cells, "timings": curve.trainer.timings}
    return spec_text({**_training(curve), "schemas": schemas})


def published_files(folder: str) -> list[str]:
    """Published rows of a study, and their provenance; none where no folder is named."""
    return sorted(str(file) for file in Path(folder).iterdir()) if folder else []


def part_spec(curve: Curve, part: str, cells: Sequence[int]) -> str:
    """For the job of a part; cells: places in the curve of those that it trains."""
    schemas = {"schemas": {"cells": curve.trainer.cells}} if curve.published_in else {}
    return spec_text({**_training(curve), "part": part, "places": cells, **schemas})


def measuring_spec(measuring: Measuring, curve: Curve) -> str:
    """For the job that measures a curve."""
    measurement, options = measuring
    named = {
        "function": measurement.function,
        "gpu": measurement.gpu,
        "options": options,
        "tables": list(measurement.tables.items()),
        **({"rows": curve.trainer.cells} if curve.search else {}),
    }
    return spec_text({**_decides(curve), **named})


def measurements_of(plan: Plan) -> dict[str, Measuring]:
    """Measurements of all studies, by folder: studies that measure with equal options share it."""
    by_folder: dict[str, Measuring] = {}
    for study, planned in plan.studies.items():
        for measurement in STUDIES[study].measurements:
            options = places.options_of(measurement, planned)
            folder = places.folder_of_measurement(measurement, options)
            by_folder.setdefault(folder, (measurement, options))
    return by_folder


def measuring_names(measurements: Mapping[str, Measuring]) -> dict[str, str]:
    """Names of the rules that measure, by folder.

    For a second set of options the name ends with their digest.
    """
    names: dict[str, str] = {}
    for folder, (measurement, _) in measurements.items():
        name = f"measure_{measurement.trainer.name}_{measurement.name}"
        names[folder] = f"{name}_{Path(folder).name}" if name in names.values() else name
    return names


ROOT = PACKAGE.parents[1]
Uses = Sequence[Use] | Mapping[str, Use]


def files_of_curves(plan: Plan, study: str) -> dict[str, list[str]]:
    """Files of a study's curves, by the table that they are gathered into.

    An early figure shows what was trained: it does not wait for what is measured of it.
    """
    planned, declared = plan.studies[study], STUDIES[study]
    curves = planned.trained.values()
    if declared.trainer is None:
        return {}
    by_table = {
        "cells": [places.rows_of_curve(curve.trainer, curve.name) for curve in curves],
        "timings": [places.timings_of_curve(curve.trainer, curve.name) for curve in curves],
    }
    for measurement in declared.measurements:
        options = places.options_of(measurement, planned)
        measured = [
            places.measured_files(measurement, options, curve.name)
            for curve in curves
            if places.is_of(measurement, curve) and not plan.part
        ]
        by_table |= {table: [files[table] for files in measured] for table in measurement.tables}
    return by_table


def gathering_spec(plan: Plan, study: str) -> str:
    """For the job that gathers a study's tables; its trainer is not None."""
    planned, trainer = plan.studies[study], STUDIES[study].trainer
    curves = planned.curves.values()
    assert trainer is not None
    return spec_text(
        {
            # A list, as the rows are put into its order.
            "planned": [[c.name, [entry["key"] for entry in c.entries]] for c in curves],
            "searched": {c.name: searched_spec(c) for c in curves if c.search},
            "tables": {name: STUDIES[study].schemas[name] for name in files_of_curves(plan, study)},
            "store": places.store_of(trainer),
            "study": study,
            "published": planned.published_in,
            "taken": {c.name: c.columns for c in curves if c.name in planned.published},
        }
    )


def named_tables(study: str, uses: Uses) -> list[tuple[str, str, str]]:
    """Study, table and schema of each table that the declaration of a study says is used."""
    named = [name.rpartition("/") for name in names_in(uses)]
    return [
        (owner or study, table, STUDIES[owner or study].schemas[table]) for owner, _, table in named
    ]


def used_tables(plan: Plan, study: str, uses: Uses) -> list[tuple[str | None, str]]:
    """File and schema of each table that is used; the file is None where the preset lacks it."""
    tables: list[tuple[str | None, str]] = []
    for owner, table, schema in named_tables(study, uses):
        has = owner in plan.studies
        file = places.table_file(plan.name, owner, table, part=plan.part)
        tables.append((file if has else None, schema))
    return tables


def table_files(plan: Plan, study: str, uses: Uses) -> list[str]:
    """Files of the tables that are used; those of studies that the preset lacks are left out."""
    return [file for file, _ in used_tables(plan, study, uses) if file is not None]


def using_spec(
    plan: Plan, study: str, uses: Uses, settings: Sequence[str] = (), **named: Any
) -> str:
    """For a script that makes something of tables: these, the settings, and what is named.

    uses: in order, or by name. Each becomes a list of [file, schema] (see `used_tables`).
    """
    tables = (
        {name: used_tables(plan, study, [use]) for name, use in uses.items()}
        if isinstance(uses, Mapping)
        else [used_tables(plan, study, [use]) for use in uses]
    )
    known = plan.settings(study)
    chosen = {name: known[name] for name in settings}
    return spec_text({**named, "settings": chosen, "tables": tables})


def claim_uses(study: str) -> dict[str, Use]:
    """Tables that the claims of a study are compared with, by name: all of its own, and others."""
    return {**{name: name for name in STUDIES[study].schemas}, **STUDIES[study].claim_uses}


def repository_files(made: Figure | Derived) -> dict[str, list[str]]:
    """Further files of the repository that a figure or a derived table needs, by name.

    A file that is named without an asterisk is asked for whether or not it is there.
    """
    return {
        name: places.explored_files(pattern) if "*" in pattern else [str(ROOT / pattern)]
        for name, pattern in made.files.items()
    }


# Before all jobs of other priorities.
PRIORITY = 1000
# Tables, and figures that are early, before the other figures of a study.
EARLY = 5


def parts_of(plan: Plan) -> dict[str, Plan]:
    """By the name of a figure, its study with the curves alone that it shows; none if published."""
    parts = {}
    for study, planned in plan.studies.items():
        for figure in STUDIES[study].figures:
            if figure.first and not planned.whole:
                curves = {
                    name: curve
                    for name, curve in planned.curves.items()
                    if all(curve.cells[0].get(k) in values for k, values in figure.first.items())
                }
                if curves:
                    part = {study: replace(planned, curves=curves)}
                    parts[figure.name] = replace(plan, studies=part, part=figure.name)
    return parts


def priorities(plan: Plan, seconds: Callable[[Curve], float]) -> Mapping[str, float]:
    """Priorities of the curves of early figures, and of the samples that they learn from, by name.

    seconds: expected of the training of a curve: the longest go first.
    """
    by_name: dict[str, float] = {}
    for part in parts_of(plan).values():
        for name, curve in part.curves.items():
            by_name[name] = PRIORITY + seconds(curve)
            if curve.sample is not None:
                by_name[curve.sample] = max(by_name.get(curve.sample, 0.0), by_name[name])
    return by_name
