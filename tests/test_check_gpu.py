"""The command that tries every form of training on a GPU, on stand-ins for one."""

import json
from pathlib import Path

import pytest
import stand_in_process

from srhm.commands import check_gpu
from srhm.runtime import first_use
from srhm.runtime.first_use import FOLDER, GpuForm


@pytest.fixture(autouse=True)
def answered(tmp_path, monkeypatch):
    """Trials answer at once what they are told to."""
    monkeypatch.setenv("PYTHONPATH", str(Path(stand_in_process.__file__).parent))
    monkeypatch.setenv("TRIALS", str(tmp_path / "trials"))
    monkeypatch.setattr(first_use, "CHILD", "stand_in_process")


def checked(monkeypatch, tmp_path, *behaviours):
    """Exit code of the command; forms a, b, ... do what they are told to."""
    forms = [
        GpuForm("abc"[i], "srhm.training.plain", f"stand_in:{one}")
        for i, one in enumerate(behaviours)
    ]
    monkeypatch.setattr(check_gpu, "FORMS", forms)
    return check_gpu.main(["--directory", str(tmp_path), "--limit", "2"])


def test_a_device_that_agrees(monkeypatch, tmp_path, capsys):
    for _ in range(2):  # whatever is known
        assert checked(monkeypatch, tmp_path, "honest", "honest") == 0
    said = capsys.readouterr().out
    assert said.startswith("a card; driver 1.2, torch 3.4, triton none; ")
    assert said.count("| a | CNN | 2 × 3 | 1 | 2 | weights 0.1 (0.2) | equal |") == 2
    assert len((tmp_path / "trials").read_text().splitlines()) == 4
    kept = [json.loads(file.read_text()) for file in (tmp_path / FOLDER).glob("*.json")]
    assert {one["form"] for one in kept} == {"a", "b"}


def test_what_does_not_agree_stands_in_the_table(monkeypatch, tmp_path, capsys):
    assert checked(monkeypatch, tmp_path, "lies", "hangs", "honest") == 1
    said = capsys.readouterr().out
    assert "| a | | | | | CNN: weights 0.5, allowed 0.2 | differs |" in said
    assert "| b | | | | | no answer in 2 s | hung |" in said
    assert "| c | CNN | 2 × 3 | 1 | 2 | weights 0.1 (0.2) | equal |" in said


def test_a_device_that_dies_has_a_row_without_numbers(monkeypatch, tmp_path, capsys):
    assert checked(monkeypatch, tmp_path, "dies_at_once") == 1
    said = capsys.readouterr().out
    assert "a device without a name" in said
    assert "| a | | | | | it was ended by SIGKILL | failed |" in said


def test_no_gpu_is_said(monkeypatch, tmp_path, capsys):
    assert checked(monkeypatch, tmp_path, "nothing_there") == 2
    assert capsys.readouterr().out == ("there is no GPU to check: torch sees no CUDA device\n")


def test_the_forms_are_all_that_there_are():
    names = [form.name for form in check_gpu.FORMS]
    assert names == ["packed", "plain", "stacked", "flow", "images"]
