"""Tables of tiny networks: every experiment of the study, a few steps each."""

from functools import cache
from pathlib import Path

import pandas as pd
import yaml

from srhm.declare.names import resolved
from srhm_studies.beyond.representation_cost import STUDY
from srhm_studies.beyond.representation_cost.analysis import LIMITS, limit_rows
from srhm_studies.beyond.representation_cost.configuration import COLUMNS

LONG = ("layers", "values", "regions", "components")


@cache
def tiny_tables() -> dict[str, pd.DataFrame]:
    """As the workflow gathers them, of config/test.yaml."""
    path = Path(__file__).parents[3] / "config" / "test.yaml"
    section = STUDY.config(**yaml.safe_load(path.read_text())["representation_cost"])
    rows, long = [], {name: [] for name in LONG}
    for curve in STUDY.plan(section, path.parent).curves.values():
        run = resolved(curve.inputs["experiment"])
        for entry in curve.entries:
            outcome = run(entry["cell"])
            names = {"curve": curve.name, "key": entry["key"]}
            rows.append({**names, **entry["cell"], "status": "done", **outcome.row})
            for name, columns in outcome.tables.items():
                long[name].append(pd.DataFrame(columns).assign(**names))
    cells = pd.DataFrame(rows)
    assert COLUMNS.keys() <= set(cells.columns)
    tables = {name: pd.concat(parts, ignore_index=True) for name, parts in long.items()}
    # None in so short trainings: hardly a network of them is stable.
    limits = pd.DataFrame(limit_rows(cells), columns=LIMITS.names)
    return {"cells": cells, **tables, "limits": limits}
