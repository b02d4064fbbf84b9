"""Tables put together, and what is made of them by a function that a declaration names."""

import json
import logging

import pandas as pd
import pyarrow as pa
import pytest

from srhm.results.deriving import made_of_tables, table_of, write_derived
from srhm.results.records import TableError, read_table, write_table
from srhm.results.tables import SCHEMAS, TIMINGS, schema_of

LOG = logging.getLogger("srhm.tests")
MADE = "test_deriving:made"
ROW = {
    **{"curve": "c", "key": "", "steps": 1, "seconds": 0.5, "started": "", "host": ""},
    **{"processor": "", "threads": 1},
}


def made(*tables, **named):
    """What a declared function is called with, as rows of TIMINGS: one for each table and value."""
    rows = [{**ROW, "key": "".join(table["key"]), "steps": len(table)} for table in tables]
    return rows + [{**ROW, "key": f"{name} = {value}"} for name, value in sorted(named.items())]


@pytest.fixture
def table(tmp_path):
    """File and schema of a table with these keys."""

    def write(name, *keys):
        file = tmp_path / f"{name}.parquet"
        write_table([{**ROW, "key": key} for key in keys], file, TIMINGS)
        return [str(file), "TIMINGS"]

    return write


def test_rows_of_several_tables_are_put_together_in_their_order(table):
    found = table_of([table("one", "b", "a"), table("other", "c")])
    assert list(found["key"]) == ["b", "a", "c"]
    assert list(found.index) == [0, 1, 2]


def test_a_study_that_the_preset_does_not_have_adds_no_row(table):
    own = table("one", "a")
    for files in ([own, [None, "TIMINGS"]], [[None, "TIMINGS"], own]):
        pd.testing.assert_frame_equal(table_of(files), table_of([own]))
        assert table_of(files).dtypes["steps"] == "int64"


@pytest.mark.parametrize("schema", SCHEMAS)
def test_where_no_study_has_rows_there_is_a_table_with_all_columns(schema):
    found = table_of([[None, schema], [None, schema]])
    assert found.empty
    assert list(found.columns) == SCHEMAS[schema].names


def test_tables_without_rows_have_the_columns_of_the_first(table):
    found = table_of([[None, "TIMINGS"], table("empty")])
    assert found.empty
    assert list(found.columns) == TIMINGS.names


OWN = pa.schema({"key": pa.string()})


def test_a_study_may_bring_the_schema_of_its_table():
    assert schema_of("TIMINGS") is TIMINGS
    assert schema_of("test_deriving:OWN") == OWN
    assert list(table_of([[None, "test_deriving:OWN"]]).columns) == ["key"]
    for name, error in (
        ("NONE", KeyError),
        ("test_deriving:NONE", AttributeError),
        ("nowhere:OWN", ModuleNotFoundError),
    ):
        with pytest.raises(error):
            schema_of(name)


def test_a_missing_table_and_one_of_another_shape_are_named(table, tmp_path):
    with pytest.raises(TableError, match=r"nowhere\.parquet does not exist"):
        table_of([[str(tmp_path / "nowhere.parquet"), "TIMINGS"]])
    file, _ = table("one", "a")
    with pytest.raises(TableError, match=r"one\.parquet"):
        table_of([[file, "CELLS"]])


def test_tables_come_by_position_and_settings_options_and_files_by_name(table):
    spec = {
        "function": MADE,
        "tables": [[table("one", "a", "b")], [table("other", "c"), [None, "TIMINGS"]]],
        "settings": {"preset": "toy"},
        "options": {"net": "cnn"},
        "files": {"runs": ["x", "y"]},
    }
    found = made_of_tables(spec)
    assert [(row["key"], row["steps"]) for row in found[:2]] == [("ab", 2), ("c", 1)]
    names = [row["key"] for row in found[2:]]
    assert names == ["net = cnn", "preset = toy", "runs = ['x', 'y']"]


def test_a_derived_table_is_written_under_its_schema(table, tmp_path, caplog):
    spec = {"function": MADE, "tables": [[table("one", "a")]], "settings": {}, "schema": "TIMINGS"}
    path = tmp_path / "derived.parquet"
    with caplog.at_level("INFO", logger=LOG.name):
        write_derived(json.loads(json.dumps(spec)), path, log=LOG)
    assert list(read_table(path, TIMINGS)["key"]) == ["a"]
    assert "derived: 1 rows" in caplog.text
    with pytest.raises(TableError, match="missing columns"):
        write_derived({**spec, "schema": "CELLS"}, tmp_path / "other.parquet", log=LOG)
    assert not (tmp_path / "other.parquet").exists()
