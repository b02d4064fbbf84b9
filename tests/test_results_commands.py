"""`srhm claims` and `srhm open`: which folder they take, what they print."""

import json
import os
from pathlib import Path

import pytest

from srhm.commands import claims, open_results
from srhm.commands.command import main

CLAIM = {
    "claim": "law",
    "statement": "exponent of v",
    "verdict": "agrees",
    "expected": 1.0,
    "tolerance": 0.2,
    "value": 0.89,
    "low": 0.85,
    "high": 0.92,
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """results/ with a folder of an earlier run and one of a later."""
    monkeypatch.chdir(tmp_path)
    for name, statement, date in (("quick", "exponent of v", 1e9), ("grid", "another", 2e9)):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        text = json.dumps([{**CLAIM, "statement": statement}])
        for file in (folder / "scorecard.json", folder / "index.html"):
            file.write_text(text, encoding="utf-8")
            os.utime(file, (date, date))
    return tmp_path / "results"


def test_the_read_claims_in_the_latest_run_are_printed_or_of_the_folder_that_is_named(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims"]) == 0
    assert "another: 0.89 [0.85, 0.92], expected 1 ± 0.2" in capsys.readouterr().out
    assert main(["claims", "--results", "results/quick"]) == 0
    counts, claim, source = capsys.readouterr().out.splitlines()
    assert counts == "1 claims: 1 agrees"
    assert claim == "agrees  exponent of v: 0.89 [0.85, 0.92], expected 1 ± 0.2"
    assert source == "from results/quick/scorecard.json"


def test_numbers_of_one_sided_claims_and_of_those_without_expectation_or_interval() -> None:
    unknown = dict.fromkeys(("low", "high", "tolerance"), float("nan"))
    assert claims.numbers_of({**CLAIM, **unknown}) == "0.89, expected < 1"
    assert claims.numbers_of({**CLAIM, **unknown, "expected": float("nan")}) == "0.89"


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
