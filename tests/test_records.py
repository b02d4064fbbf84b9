"""Tables: what is written is read, equal rows give equal bytes, and all else is refused by name."""

import errno
import math
import os
from functools import partial

import pandas as pd
import pyarrow as pa
import pytest

from srhm.store import records
from srhm.store.atomic import StorageError
from srhm.store.records import TableError, holds, read_table, write_table

SCHEMA = pa.schema(
    {
        "key": pa.string(),
        "P": pa.int64(),
        "test_error": pa.float64(),
        "bias": pa.bool_(),
    }
)
ROWS = [
    {"key": "a", "P": 2**40, "test_error": 0.1, "bias": True},
    {"key": "ε", "P": -1, "test_error": math.nan, "bias": False},
    {"key": "", "P": 0, "test_error": math.inf, "bias": False},
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tables" / "table.parquet"


def test_rows_are_read_as_they_were_written(path):
    write_table(ROWS, path, SCHEMA)
    read = read_table(path, SCHEMA).to_dict("records")
    assert repr(read) == repr(ROWS)  # NaN is not equal to itself


def test_equal_rows_give_equal_bytes(path, tmp_path):
    other = tmp_path / "other.parquet"
    write_table(ROWS, path, SCHEMA, provenance={"a": 1, "b": 2})
    as_frame = pd.DataFrame(ROWS)[["bias", "test_error", "P", "key"]]
    write_table(as_frame, other, SCHEMA, provenance={"b": 2, "a": 1})
    assert path.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: {name: row[name] for name in row if name != "P"}, r"missing columns \['P'\]"),
        (lambda row: {**row, "colour": 1}, r"unknown columns \['colour'\]"),
        (lambda row: {**row, "P": 0.5}, "P|integer|0.5"),
        (lambda row: {**row, "test_error": "low"}, "test_error"),
        (lambda row: {**row, "key": 7}, "key"),
    ],
)
def test_rows_that_do_not_fit_the_schema_are_refused(path, change, message):
    with pytest.raises(TableError, match=message) as refusal:
        write_table([change(row) for row in ROWS], path, SCHEMA)
    assert str(path) in str(refusal.value)
    assert not path.exists()


def test_a_bit_that_flips_never_changes_a_row(path):
    rows = [{**ROWS[i % 3], "test_error": i / 7, "P": i} for i in range(40)]
    write_table(rows, path, SCHEMA)
    expected, whole, refused = read_table(path, SCHEMA), path.read_bytes(), 0
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            pd.testing.assert_frame_equal(read_table(path, SCHEMA), expected)
        except TableError:
            refused += 1
    assert refused > len(whole) / 2  # the others are of no row, such as the provenance


@pytest.mark.parametrize(
    "refusal",
    [OSError(errno.EACCES, "denied"), OSError(errno.EIO, "failed"), pa.ArrowMemoryError("short")],
    ids=["denied", "failed", "memory"],
)
def test_a_table_that_cannot_be_read_now_is_no_damaged_one(path, monkeypatch, refusal):
    write_table(ROWS, path, SCHEMA)

    def refused(*_, **__):
        raise refusal

    monkeypatch.setattr(records.pq, "ParquetFile", refused)
    number = refusal.errno if isinstance(refusal, OSError) else errno.ENOMEM
    for read in (read_table, partial(holds, rows=pd.DataFrame(ROWS))):
        with pytest.raises(StorageError, match=f"{os.strerror(number)}.*{path.name}"):
            read(path, schema=SCHEMA)
