"""Where networks are trained: the key `device`, what a launch makes of it, what it leaves alone."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from srhm.commands import launch
from srhm.commands.presets import CONFIG, Run
from srhm.commands.printing import Refused
from srhm.planning import preset
from srhm.planning.registry import TRAINERS

ASKED = Path(__file__).with_name("snakemake_resources.py")
# Rules whose jobs compute on a GPU where they are asked to.
ON_IMAGES = {"train_images", "train_images_part", "measure_images_stability"}
ON_A_GPU = {
    f"train_{trainer.name}{part}" for trainer in TRAINERS if trainer.gpu for part in ("", "_part")
} | ON_IMAGES
CURVES = [{"net": "lcn", "L": 2, "v": 3, "s0": 1, "P": [30]}]
TINY = {"preset": "tiny", "sparse_hierarchy": {"curves": CURVES}}


@pytest.fixture(autouse=True)
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of two GPUs, with a torch that computes on them."""
    monkeypatch.setattr(launch, "why_no_gpu_here", lambda: "")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")


def launched(monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str) -> list[str]:
    """Words of the Snakemake command that a launch of the test preset would run."""
    commands: list[list[str]] = []

    def run(command: Sequence[str], *_: Any, **__: Any) -> int:
        commands.append(list(command))
        return 0

    monkeypatch.setattr(launch, "run_snakemake", run)
    # With the section of images, though they are not there: their rules are.
    values = yaml.safe_load((CONFIG / "test.yaml").read_text()) | {"images": {}}
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump(values))
    options = ["--configfile", str(config), "--directory", str(folder), *words]
    assert launch.main(options) == 0
    (command,) = commands
    return command[command.index("snakemake") + 1 :]


def asked(command: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Resources, params and limits that Snakemake takes from these words."""
    done = subprocess.run(
        [sys.executable, str(ASKED), *command], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_jobs_that_train_ask_for_a_gpu_with_cuda_and_for_none_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cuda = asked(launched(monkeypatch, tmp_path, "--device", "cuda"))
    assert {name for name, own in cuda["resources"].items() if own.get("gpu")} == ON_A_GPU
    assert cuda["limits"]["gpu"] == 2  # a job on each device, none that waits for one
    cpu = asked(launched(monkeypatch, tmp_path))
    assert not any(own.get("gpu") for own in cpu["resources"].values())
    assert "gpu" not in cpu["limits"]
    # Snakemake compares params: no table, figure or page is made again.
    assert cuda["params"] == cpu["params"]


def test_without_a_gpu_cuda_on_this_machine_is_refused_and_nothing_is_touched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    options = ["--preset", "test", "--directory", str(tmp_path), "--device", "cuda"]
    assert launch.main(options) == launch.REFUSED
    said = capsys.readouterr().out
    assert "shows no GPU" in said
    assert "DEVICE=cpu" in said
    assert "nothing was started" in said
    assert not list(tmp_path.iterdir())


def options_for(
    monkeypatch: pytest.MonkeyPatch,
    *words: str,
    profile: dict[str, Any] | None = None,
    **keys: Any,
) -> list[str]:
    """Options for Snakemake that the launcher adds to words of a user."""
    monkeypatch.setattr(launch.limits, "memory", lambda: None)
    run = Run(preset.plan_preset({**TINY, **keys}))
    options, extra = launch.launch_parser("reproduce").parse_known_args(words)
    return launch.snakemake_words(
        options, extra, run, {"resources": {}} | (profile or {}), local=True
    )


def test_limits_of_a_profile_are_kept_and_as_many_jobs_run_as_devices_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def limits(**profile: Any) -> list[str]:
        return options_for(monkeypatch, profile=profile, device="cuda")[:-1]

    assert limits() == ["--resources", "gpu=2"]
    assert limits(resources={"gpu": 1, "mem_mb": 10}) == ["--resources", "gpu=1", "mem_mb=10"]
    shared = {"train_flow": {"gpu": 1, "jobs_per_device": 3}, "draw": {"mem_mb": 1}}
    assert limits(**{"set-resources": shared}) == ["--resources", "gpu=6"]


def test_cuda_is_refused_where_torch_cannot_use_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    without = "torch 2 of this environment is a build without CUDA"
    monkeypatch.setattr(launch, "why_no_gpu_here", lambda: without)
    for visible, said in (("0", f"{without}.*DEVICE=cpu"), ("", "shows no GPU")):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        with pytest.raises(Refused, match=said):
            launch.jobs_on_gpus({}, dry=False)


def test_keys_that_no_file_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (["--config", "preset=other"], ["--config=preset=other"], ["-C", "preset=other"]):
        with pytest.raises(Refused, match=r"Give --device or --rows.*--configfile"):
            options_for(monkeypatch, *words)
