"""`srhm claims` and `srhm open`: which folder they take, what they print."""

import os
from math import nan
from pathlib import Path

import pandas as pd
import pytest

from srhm.commands.command import main
from srhm.scorecard.card import SCHEMA
from srhm.store.records import write_table

ROW = {
    "claim": "v-exponent-lcn-L2",
    "statement": "exponent of v",
    "verdict": "reproduced",
    "expected": 3.0,
    "tolerance": 0.2,
    "value": 2.89,
    "low": 2.85,
    "high": 2.92,
    "n": 3,
}
LINE = "LCN: exponent of v  2.890±0.018  3      –        reproduced"


def scorecard(**changes: object) -> pd.DataFrame:
    """A scorecard of one claim."""
    texts = {one.name: nan if one.type == "double" else "" for one in SCHEMA if one.name not in ROW}
    return pd.DataFrame([texts | ROW | changes])[SCHEMA.names]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """results/ with a folder of an earlier run and one of a later."""
    monkeypatch.chdir(tmp_path)
    for name, statement, date in (("quick", "exponent of v", 1e9), ("grid", "another", 2e9)):
        folder = tmp_path / "results" / name
        claims_file, index = (
            folder / "tables/sparse_hierarchy/claims.parquet",
            folder / "index.html",
        )
        claims_file.parent.mkdir(parents=True)
        write_table(scorecard(statement=statement), claims_file, SCHEMA)
        index.touch()
        for file in (claims_file, index):
            os.utime(file, (date, date))
    return tmp_path / "results"


def test_the_claims_of_the_latest_run_are_printed_or_of_the_folder_that_is_named(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims"]) == 0
    assert "open results/grid/index.html" in capsys.readouterr().out
    assert main(["claims", "--results", "results/quick"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert LINE in printed
    assert printed[-1] == "All 1 claims, figures: open results/quick/index.html"
