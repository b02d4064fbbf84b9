"""Rows of the curves' files -> tables of a study, checked against what was planned."""

import logging
from pathlib import Path

import pytest

from srhm.store.gathering import gather, gather_tables
from srhm.store.records import TableError, read_table, write_table
from srhm.store.tables import SCHEMAS, SENSITIVITIES, TIMINGS

LOG = logging.getLogger("srhm.tests")
OF_KIND = {"int64": 1, "double": 0.5, "string": "", "bool": False}


def row(schema, **values):
    """A row of a schema, of invented values but for those given."""
    return {name: OF_KIND[str(schema.field(name).type)] for name in schema.names} | values


@pytest.fixture
def curves(tmp_path):
    """Two files of curves, and the keys that were planned for them."""
    files = []
    for name, keys in (("curve-b", ["3", "1"]), ("curve-a", ["2"])):
        files.append(tmp_path / f"{name}.parquet")
        write_table([row(TIMINGS, key=key) for key in keys], files[-1], TIMINGS)
    return files, {"curve-a": ["2"], "curve-b": ["3", "1"]}


def test_gathering_keeps_the_order_of_the_plan_and_of_the_rows(curves):
    files, keys = curves
    assert list(gather(files, keys, TIMINGS)["key"]) == ["2", "3", "1"]


def test_curves_without_a_file_are_taken_from_published_rows(curves):
    (first, _), keys = curves
    rows = read_table(curves[0][1], TIMINGS)
    found = gather([first], keys, TIMINGS, published={"curve-a": rows, "curve-c": rows})
    assert list(found["key"]) == ["2", "3", "1"]  # and none of a curve that is not planned
    with pytest.raises(TableError, match="published rows of curve-a does not hold"):
        gather([first], {**keys, "curve-a": ["4"]}, TIMINGS, published={"curve-a": rows})


@pytest.mark.parametrize(
    ("planned", "counts"),
    [
        (["3", "1", "4"], "1 of 3 missing, 0 others"),
        (["3"], "0 of 1 missing, 1 others"),
        (["3", "5"], "1 of 2 missing, 1 others"),
        (["1", "3"], "0 of 2 missing, 0 others"),
    ],
    ids=["a missing key", "a key too many", "a foreign key", "another order"],
)
def test_gathering_refuses_a_file_with_other_than_the_planned_cells(curves, planned, counts):
    files, keys = curves
    with pytest.raises(TableError, match=f"curve-b.parquet does not hold .*{counts}"):
        gather(files, {**keys, "curve-b": planned}, TIMINGS)


SPEC = {
    "planned": [["b", ["3", "1"]], ["a", ["2"]]],
    "study": "toy",
    "searched": {},
    "store": "no/such/store",
    "published": None,
    "tables": {"cells": "CELLS", "timings": "TIMINGS", "sensitivities": "SENSITIVITIES"},
}


@pytest.fixture
def files(tmp_path):
    """Files of two curves by table, as a job is given them; one alone is no list."""
    found = {}
    for table, kind in (("cells", ""), ("timings", ".timings")):
        found[table] = []
        for curve, keys in SPEC["planned"]:
            path, schema = tmp_path / f"{curve}{kind}.parquet", SCHEMAS[SPEC["tables"][table]]
            write_table([row(schema, key=key, curve=curve) for key in keys], path, schema)
            found[table].append(str(path))
    measured = tmp_path / "measured" / "a.parquet"
    write_table([row(SENSITIVITIES, key="2")] * 3, measured, SENSITIVITIES)
    return {**found, "sensitivities": str(measured)}


@pytest.fixture
def tables(tmp_path):
    return {name: str(tmp_path / "tables" / f"{name}.parquet") for name in SPEC["tables"]}


@pytest.mark.parametrize("table", ["cells", "timings", "sensitivities"])
def test_the_table_of_cells_is_not_written_where_another_is_refused(files, tables, table):
    given = files[table] if isinstance(files[table], list) else [files[table]]
    schema = SCHEMAS[SPEC["tables"][table]]
    write_table([row(schema, key="9")], Path(given[-1]), schema)
    with pytest.raises(TableError, match="does not hold the planned cells"):
        gather_tables(SPEC, files, tables, log=LOG)
    assert not Path(tables["cells"]).exists()
