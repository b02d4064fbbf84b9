"""`srhm claims` and `srhm open`: which folder they take, what they print."""

import os
from pathlib import Path

import pandas as pd
import pytest

from srhm.commands import claims, open_results
from srhm.commands.command import main
from srhm.report.answer import lines_of_statements
from srhm.results.records import write_table
from srhm.results.tables import SCHEMAS
from srhm.scorecard.text import markdown

ROW = {
    "claim": "v-exponent-lcn-L2",
    "statement": "exponent of v",
    "verdict": "agrees",
    "expected": 3.0,
    "tolerance": 0.2,
    "value": 2.89,
    "low": 2.85,
    "high": 2.92,
    "n": 3,
}
LINE = "agrees  exponent of v: 2.89 [2.85, 2.92], expected 3 ± 0.2"


def scorecard(**changes: object) -> pd.DataFrame:
    """A scorecard of one claim."""
    schema = SCHEMAS["SCORECARD"]
    texts = {field.name: "" for field in schema if field.name not in ROW}
    return pd.DataFrame([texts | ROW | changes])[schema.names]


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
        write_table(scorecard(statement=statement), claims_file, SCHEMAS["SCORECARD"])
        index.touch()
        for file in (claims_file, index):
            os.utime(file, (date, date))
    return tmp_path / "results"


def test_the_claims_of_the_latest_run_are_printed_or_of_the_folder_that_is_named(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims"]) == 0
    assert "another: 2.89 [2.85, 2.92], expected 3 ± 0.2" in capsys.readouterr().out
    assert main(["claims", "--results", "results/quick"]) == 0
    printed = capsys.readouterr().out
    # First the forest plot of what the paper states.
    assert "  ✓ LCN, L = 2: exponent of v " in printed.partition(LINE)[0]
    assert printed.splitlines()[-3:] == ["1 claims: 1 agrees", LINE, "from results/quick"]


def test_claims_without_expectation_show_what_was_measured() -> None:
    nothing = {"expected": float("nan"), "tolerance": float("nan")}
    assert claims.verdict_lines(scorecard(**nothing))[1].endswith("v: 2.89 [2.85, 2.92]")
    assert claims.verdict_lines(scorecard(tolerance=float("nan")))[1].endswith("expected < 3")


def test_the_summary_of_the_paper_has_what_it_states_and_the_signs_of_its_claims() -> None:
    stated = lines_of_statements("srhm.studies.sparse_hierarchy.headline", scorecard())
    title, _, *lines = stated
    assert "✓ agrees" in title
    assert [line.split("(")[0].strip() for line in lines] == ["- ✓   P*_LCN ~ v^"]
    text = markdown(
        scorecard(verdict="disagrees"), topics={ROW["claim"]: "Vocabulary"}, stated=stated
    )
    summary, _, rest = text.partition("\n## ")
    assert all(line in summary for line in stated)
    assert "Disagree:" in rest
    assert "Disagree:" not in summary
    assert lines_of_statements("srhm.studies.sparse_hierarchy.headline", scorecard()[:0]) == []
    assert lines_of_statements(None, scorecard()) == []


def test_the_index_is_named_and_opened_where_there_is_a_screen(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(open_results.webbrowser, "open", opened.append)
    index = results / "quick" / "index.html"
    for screen in (False, True):
        monkeypatch.setattr(open_results, "has_screen", lambda screen=screen: screen)
        assert main(["open", "--results", "results/quick"]) == 0
        assert capsys.readouterr().out == f"{index}\n"
    assert opened == [index.as_uri()]


@pytest.mark.parametrize("name", ["claims", "open"])
def test_without_results_a_command_says_how_to_make_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([name]) == 2
    assert "`make figures` makes one" in capsys.readouterr().err
    assert main([name, "--results", "elsewhere"]) == 2
    assert "elsewhere has no" in capsys.readouterr().err


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("srhm ")
