"""From the curves of a study to its tables, and from tables to what is made of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.preset import Plan
from srhm.results import places
from srhm.results.paths import searched_spec
from srhm.results.provenance import PACKAGE
from srhm.rules.curves import spec_text
from srhm.studies.registry import STUDIES
from srhm.study import Derived, Figure, Use, names_in

ROOT = PACKAGE.parents[1]
Uses = Sequence[Use] | Mapping[str, Use]


def files_of_curves(plan: Plan, study: str) -> dict[str, list[str]]:
    """Files of a study's curves, by the table that they are gathered into."""
    planned, declared = plan.studies[study], STUDIES[study]
    curves = planned.trained.values()
    if declared.trainer is None:
        return {}
    found = {
        "cells": [places.rows_of_curve(one.trainer, one.name) for one in curves],
        "timings": [places.timings_of_curve(one.trainer, one.name) for one in curves],
    }
    for measurement in declared.measurements:
        options = places.options_of(measurement, planned)
        measured = [
            places.measured_files(measurement, options, one.name)
            for one in curves
            if places.is_of(measurement, one)
        ]
        found |= {table: [files[table] for files in measured] for table in measurement.tables}
    return found


def published_files(plan: Plan, study: str) -> list[str]:
    """Published rows that a study takes, and their provenance."""
    folder = _published_folder(plan, study)
    return [] if folder is None else sorted(str(file) for file in folder.iterdir())


def gathering_spec(plan: Plan, study: str) -> str:
    """For the job that gathers a study's tables; its trainer is not None."""
    curves, trainer = plan.studies[study].curves.values(), STUDIES[study].trainer
    assert trainer is not None
    folder = _published_folder(plan, study)
    return spec_text(
        {
            # A list, as the rows are put into its order.
            "planned": [[one.name, [entry["key"] for entry in one.entries]] for one in curves],
            "searched": {one.name: searched_spec(one) for one in curves if one.search},
            "tables": {name: STUDIES[study].schemas[name] for name in files_of_curves(plan, study)},
            "store": places.store_of(trainer),
            "study": study,
            "published": None if folder is None else str(folder),
        }
    )


def named_tables(study: str, uses: Uses) -> list[tuple[str, str, str]]:
    """Study, table and schema of each table that the declaration of a study says is used."""
    named = [name.rpartition("/") for name in names_in(uses)]
    return [(one or study, table, STUDIES[one or study].schemas[table]) for one, _, table in named]


def used_tables(plan: Plan, study: str, uses: Uses) -> list[tuple[str | None, str]]:
    """File and schema of each table that is used; the file is None where the preset lacks it."""
    found: list[tuple[str | None, str]] = []
    for owner, table, schema in named_tables(study, uses):
        has = owner in plan.studies
        file = places.table_file(plan.name, owner, table, part=plan.part)
        found.append((file if has else None, schema))
    return found


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
        name: sorted(str(file) for file in ROOT.glob(pattern))
        if "*" in pattern
        else [str(ROOT / pattern)]
        for name, pattern in made.files.items()
    }


def _published_folder(plan: Plan, study: str) -> Path | None:
    if not plan.studies[study].published:
        return None
    return places.published_folder(plan.preset.preset, study)
