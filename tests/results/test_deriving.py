"""Tables put together, and what is made of them by a function that a declaration names."""

import pandas as pd
import pytest

from srhm.store.deriving import made_of_tables, table_of
from srhm.store.records import TableError, write_table
from srhm.store.tables import SCHEMAS, TIMINGS

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
