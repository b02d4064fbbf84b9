"""A preset's curves side by side in one process, into the store where a run looks for them."""

from pathlib import Path

import pytest
import yaml

pytest.importorskip("triton", reason="the packed engine needs triton: make test-gpu-interpreter")

from srhm import preset
from srhm.commands import on_gpu
from srhm.commands.presets import Run
from srhm.results import places
from srhm.results.store import read_cell
from srhm.trainers import HIERARCHY


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter has passed."""
    monkeypatch.setattr(on_gpu, "trusted", lambda forms, **options: forms[0])


CONFIGURATION = {
    "preset": "tiny",
    "sparse_hierarchy": {
        "seeds": 1,
        "width": 6,
        "n_test": 60,
        "keep_weights": False,
        "training": {"max_steps": 3, "n_checks": 0},
        "curves": [
            {"net": ["cnn", "lcn"], "L": 1, "v": 4, "m": 4, "s0": 1, "P": [8, 10]},
            {"net": "cnn", "L": 1, "v": 4, "s0": 1, "P": [9], "training": {"engine": "reference"}},
        ],
    },
}


def test_all_curves_of_the_sparse_engine_reach_the_store(tmp_path: Path) -> None:
    file = tmp_path / "tiny.yaml"
    file.write_text(yaml.safe_dump(CONFIGURATION))
    options = ["--configfile", str(file), "--directory", str(tmp_path)]
    assert on_gpu.main([*options, "--curves", "2"]) == 0
    entries = Run(preset.plan_preset(CONFIGURATION)).entries.values()
    store = tmp_path / places.store_of(HIERARCHY)
    there = {
        (entry["cell"]["net"], entry["cell"]["P"]): read_cell(store, entry["key"])
        for entry in entries
        if entry["cell"]["engine"] == "sparse"
    }
    assert there.keys() == {("cnn", 8), ("cnn", 10), ("lcn", 8), ("lcn", 10)}
    assert all(" packed " in cell.row["versions"] for cell in there.values())
    (left,) = (e for e in entries if e["cell"]["engine"] == "reference")
    with pytest.raises(FileNotFoundError):
        read_cell(store, left["key"])


def test_a_run_ends_after_its_hours_and_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "tiny.yaml"
    file.write_text(yaml.safe_dump(CONFIGURATION))
    options = ["--configfile", str(file), "--directory", str(tmp_path)]
    with pytest.raises(SystemExit) as ended:
        on_gpu.main([*options, "--hours", "1e-9"])
    assert ended.value.code == 75
    assert on_gpu.main(options) == 0


def test_nothing_is_trained_on_a_device_that_has_not_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(on_gpu, "trusted", lambda forms, **options: None)
    file = tmp_path / "tiny.yaml"
    file.write_text(yaml.safe_dump(CONFIGURATION))
    assert on_gpu.main(["--configfile", str(file), "--directory", str(tmp_path)]) == 2
    assert "nothing was trained: `make reproduce` trains on processors" in capfd.readouterr().err
    assert not list(tmp_path.rglob("*.safetensors"))
