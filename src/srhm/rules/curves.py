"""What the scripts that draw data, train and measure read, each as one text."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from srhm.preset import Plan
from srhm.results import places
from srhm.results.provenance import canonical_json
from srhm.studies.registry import STUDIES
from srhm.study import Curve, CurveMeasurement

BESIDE_PUBLISHED = "srhm.measure.beside_published:measure_lacking"
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
    return {**_decides(curve), "arrays_needed": curve.trainer.arrays}


def curve_spec(curve: Curve) -> str:
    """For the job that trains a curve, or gathers its parts."""
    schemas = {"cells": curve.trainer.cells, "timings": curve.trainer.timings}
    return spec_text({**_training(curve), "schemas": schemas, **_taken(curve)})


def _taken(curve: Curve) -> dict[str, Any]:
    """Where the published rows of a curve are, and the keys of all of its rows; or nothing."""
    found = {"published": curve.published_in, "order": curve.order}
    return found if curve.published_in else {}


def taken_files(curve: Curve) -> list[str]:
    """Published rows that a curve takes, and their provenance."""
    folder = curve.published_in
    return sorted(str(file) for file in Path(folder).iterdir()) if folder else []


def part_spec(curve: Curve, part: str, cells: Sequence[int]) -> str:
    """For the job of a part; cells: places in the curve of those that it trains."""
    told = {**_training(curve), "part": part, "places": cells}
    if curve.search:  # it reads the published rows of its seeds
        told |= {"schemas": {"cells": curve.trainer.cells}, **_taken(curve)}
    return spec_text(told)


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
    if not curve.published_in:
        return spec_text({**_decides(curve), **named})
    # Of the cells that are trained here alone; those of the others are published.
    asked = {
        "measurement": {**named, "columns": curve.columns},
        "published": curve.published_in,
        "order": curve.order,
    }
    source = places.source_of("measure.py", BESIDE_PUBLISHED)
    beside = {"function": BESIDE_PUBLISHED, "options": asked, "source": source}
    return spec_text({**_decides(curve), **named, **beside})


def measurements_of(plan: Plan) -> dict[str, Measuring]:
    """Measurements of all studies, by folder: studies that measure with equal options share it."""
    found: dict[str, Measuring] = {}
    for study, planned in plan.studies.items():
        for measurement in STUDIES[study].measurements:
            options = places.options_of(measurement, planned)
            folder = places.folder_of_measurement(measurement, options)
            found.setdefault(folder, (measurement, options))
    return found


def measuring_names(measurements: Mapping[str, Measuring]) -> dict[str, str]:
    """Names of the rules that measure, by folder.

    For a second set of options the name ends with their digest.
    """
    found: dict[str, str] = {}
    for folder, (measurement, _) in measurements.items():
        name = f"measure_{measurement.trainer.name}_{measurement.name}"
        found[folder] = f"{name}_{Path(folder).name}" if name in found.values() else name
    return found
