"""Scorecards, figures and pages of runs that lack rows: each study on parts of its published rows.

A preset of another size, a run that was stopped or a network that learnt nothing leave out rows
that the invented tables of a study's own tests have.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, get_args

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from srhm.commands.presets import read_preset
from srhm.declare.names import resolved
from srhm.declare.study import Use, names_in
from srhm.planning.preset import Plan, plan_preset
from srhm.planning.registry import STUDIES
from srhm.scorecard.card import claims_in, scorecard
from srhm.scorecard.expectations import Verdict
from srhm.store.places import published_folder
from srhm.store.records import read_table
from srhm.store.tables import schema_of

REPOSITORY = Path(__file__).parents[1]
PUBLISHED = REPOSITORY / "published"
# Each study with the first of the presets that it has rows of.
ALL = sorted(
    {
        folder.name: folder.parent.name
        for folder in sorted(PUBLISHED.glob("*/*"), reverse=True)
        if folder.name in STUDIES
    }.items()
)
# Tests of a study by one worker, which reads its rows once.
of_each_study = pytest.mark.parametrize(
    ("study", "preset"),
    [pytest.param(*one, marks=pytest.mark.xdist_group(f"parts of {one[0]}")) for one in ALL],
)
# Part of the cells that a run has; without any: tests/guard/test_without_rows.py.
PARTS = (0.2, 0.05)


@cache
def planned(preset: str) -> Plan:
    return plan_preset(read_preset(REPOSITORY / f"config/{preset}.yaml"), directory=REPOSITORY)


@cache
def published(preset: str, study: str, name: str) -> pd.DataFrame:
    """A table of published rows, empty where the repository keeps none."""
    schema = schema_of(STUDIES[study].schemas[name])
    file = published_folder(preset, study, published=PUBLISHED) / f"{name}.parquet"
    return read_table(file, schema) if file.is_file() else schema.empty_table().to_pandas()


def kept(
    preset: str, study: str, fraction: float, draw: int, *, names: Iterable[str]
) -> dict[str, pd.DataFrame]:
    """Published tables of a study, of a random part of its cells; "cells" is among the names."""
    choice = np.random.default_rng([draw, round(100 * fraction)])
    tables = {name: published(preset, study, name) for name in names}
    keys = tables["cells"]["key"][choice.random(len(tables["cells"])) < fraction]
    return {
        name: table[table["key"].isin(keys)].reset_index(drop=True) if "key" in table else table
        for name, table in tables.items()
    }


@lru_cache(maxsize=len(PARTS))
def part(preset: str, study: str, fraction: float) -> dict[str, pd.DataFrame]:
    """All tables of a study, derived ones too, of a random part of its cells.

    Those of one study are kept, as deriving takes up to a minute.
    """
    declared = STUDIES[study]
    derived = {one.name for one in declared.tables}
    names = [name for name in declared.schemas if name not in derived]
    tables = kept(preset, study, fraction, draw=0, names=names)
    for one in declared.tables:
        made = call(preset, study, one, tables)
        rows = made if isinstance(made, pd.DataFrame) else pd.DataFrame(list(made))
        schema = schema_of(one.schema)
        # As it is written: without columns that the schema lacks.
        tables[one.name] = rows[schema.names] if len(rows) else schema.empty_table().to_pandas()
    return tables


def used(preset: str, use: Use, tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """What a declaration uses: own tables, and those of other studies."""
    found = []
    for name in names_in([use]):
        owner, _, table = name.rpartition("/")
        found.append(published(preset, owner, table) if owner else tables[table])
    return found[0] if len(found) == 1 else pd.concat(found, ignore_index=True)


def call(preset: str, study: str, made: Any, tables: dict[str, pd.DataFrame]) -> Any:
    """What the function of a derived table or of a figure makes of these tables."""
    known = planned(preset).settings(study)
    named = {name: known[name] for name in made.settings} | dict(getattr(made, "options", {}))
    for name, pattern in made.files.items():
        named[name] = sorted(str(file) for file in REPOSITORY.glob(pattern))
    return resolved(made.function)(*(used(preset, use, tables) for use in made.uses), **named)


@pytest.mark.parametrize("fraction", PARTS)
@of_each_study
def test_derived_tables_have_their_columns_and_each_claim_a_verdict_on_a_part_of_the_rows(
    study: str, preset: str, fraction: float
) -> None:
    tables = dict(part(preset, study, fraction))
    for name, use in STUDIES[study].claim_uses.items():
        tables[name] = used(preset, use, tables)
    rows = scorecard(tables, claims_in(STUDIES[study].claims or ""))
    assert set(rows["verdict"]) <= set(get_args(Verdict))


@of_each_study
def test_each_figure_is_drawn_of_a_part_of_the_rows(study: str, preset: str) -> None:
    tables = part(preset, study, PARTS[0])
    for figure in STUDIES[study].figures:
        drawn = call(preset, study, figure, tables)
        drawn.set_layout_engine("none")  # places are not looked at, and are most of the time
        drawn.canvas.draw()
        plt.close(drawn)
