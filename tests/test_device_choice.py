"""Where networks are trained: the key `device`, what a launch makes of it, what it leaves alone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.cli import get_argument_parser

from srhm import preset
from srhm.commands import device_options as device_options_module
from srhm.commands import launch, status
from srhm.commands import plan as planning
from srhm.commands.device_options import DeviceError, device_options, is_dry
from srhm.commands.jobs import (
    COPIES,
    GPU_PROGRAM,
    PROGRAM,
    STACK,
    measuring_megabytes,
    megabytes,
    training_megabytes,
)
from srhm.commands.plan import expected_cells
from srhm.commands.presets import CONFIG, Run
from srhm.commands.watching import Watch
from srhm.results import outdated, places
from srhm.results.sources import digest_of
from srhm.results.store import StoredCell, path_of, write_cell
from srhm.runtime.devices import device_here
from srhm.runtime.job import training_job
from srhm.runtime.no_device import NoDevice
from srhm.studies.registry import TRAINERS
from srhm.study import ConfigError
from srhm.trainers import HIERARCHY
from srhm.training.cost import Cost

ASKED = Path(__file__).with_name("snakemake_resources.py")
# Rules whose jobs compute on a GPU where they are asked to.
ON_IMAGES = {"train_images", "train_images_part", "measure_images_stability"}
ON_A_GPU = {
    f"train_{trainer.name}{part}" for trainer in TRAINERS if trainer.gpu for part in ("", "_part")
} | ON_IMAGES
TINY = {
    "preset": "tiny",
    "sparse_hierarchy": {
        "seeds": 2,
        "width": 6,
        "n_test": 60,
        "curves": [{"net": ["lcn", "cnn"], "L": 2, "v": 3, "s0": 1, "P": [30, 60]}],
    },
}


def test_an_unknown_device_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match=r"device: 'gpu'.*'auto', 'cpu' or 'cuda'"):
        preset.validate({**TINY, "device": "gpu"})


def test_the_default_is_the_processor() -> None:
    assert preset.validate(TINY).device == "cpu"


def test_the_device_is_part_of_no_cell_and_no_sample() -> None:
    values = yaml.safe_load((CONFIG / "test.yaml").read_text())
    plans = [preset.plan_preset({**values, "device": device}) for device in ("cpu", "cuda", "auto")]
    for other in plans[1:]:
        assert (other.curves, other.samples) == (plans[0].curves, plans[0].samples)


def test_auto_is_cuda_where_a_device_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [device_here("auto", visible=visible) for visible in ([], ["3"])] == ["cpu", "cuda"]
    assert [device_here(device, visible=["3"]) for device in ("cpu", "cuda")] == ["cpu", "cuda"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert device_here("auto") == "cuda"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert device_here("auto") == "cpu"


def launched(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    *words: str,
    visible: str,
    unusable: str = "",
    **keys: Any,
) -> list[str]:
    """Words of the Snakemake command that a launch of the test preset would run.

    unusable: why torch cannot compute on the devices; empty: it can.
    """
    commands: list[list[str]] = []

    def run(command: Sequence[str], *_: Any, **__: Any) -> int:
        commands.append(list(command))
        return 0

    monkeypatch.setattr(launch, "_run", run)
    monkeypatch.setattr(launch, "why_no_gpu_here", lambda: unusable)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    # With the section of images, though they are not there: their rules are.
    values = yaml.safe_load((CONFIG / "test.yaml").read_text()) | {"images": {}} | keys
    folder.mkdir(exist_ok=True)
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
    cuda = asked(launched(monkeypatch, tmp_path, "--device", "cuda", visible="0,1"))
    assert {name for name, own in cuda["resources"].items() if own.get("gpu")} == ON_A_GPU
    assert cuda["limits"]["gpu"] == 2  # a job on each device, none that waits for one
    cpu = asked(launched(monkeypatch, tmp_path, visible="0,1"))
    assert not any(own.get("gpu") for own in cpu["resources"].values())
    assert "gpu" not in cpu["limits"]
    # Snakemake compares params: no table, figure or page is made again.
    assert cuda["params"] == cpu["params"]


def test_a_profile_says_otherwise_rule_by_rule(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cpu = asked(launched(monkeypatch, tmp_path, "--profile", "local-gpu", visible="0"))
    assert {name for name, own in cpu["resources"].items() if own.get("gpu")} == ON_IMAGES
    words = ["--device", "cuda", "--set-resources", "train_flow:gpu=0"]
    cuda = asked(launched(monkeypatch, tmp_path, *words, visible="0"))
    chosen = {name for name, own in cuda["resources"].items() if own.get("gpu")}
    assert chosen == ON_A_GPU - {"train_flow"}


@pytest.mark.parametrize(("visible", "device"), [("0,1", "cuda"), ("", "cpu")])
def test_the_launch_resolves_auto_once(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    visible: str,
    device: str,
) -> None:
    command = launched(monkeypatch, tmp_path, visible=visible, device="auto")
    assert command[command.index("--config") + 1] == f"device={device}"
    assert ("--resources" in command) == (device == "cuda")
    assert f"device: auto, here {device}" in capsys.readouterr().out


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
    assert launch.main([*options, "--unlock"]) == 0  # which computes nothing


def test_a_cluster_needs_no_gpu_here_and_has_no_limit_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = ["--device", "cuda", "--profile", "slurm"]
    command = launched(monkeypatch, tmp_path, *words, visible="")
    assert command[command.index("--config") + 1] == "device=cuda"
    assert "--resources" not in command


def options_for(
    tmp_path: Path,
    words: Sequence[str],
    *,
    given: str | None = None,
    profile: str = "cores: all",
    visible: Sequence[str] = ("0", "1"),
    local: bool = True,
    unusable: str = "",
    **keys: Any,
) -> list[str]:
    """Words for Snakemake, made of those of a user."""
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({**TINY, **keys}))
    (tmp_path / "profile.yaml").write_text(profile)
    return device_options(
        words,
        given=given,
        config=tmp_path / "config.yaml",
        profile=tmp_path,
        local=local,
        visible=visible,
        unusable=unusable,
    )


def settings_of(tmp_path: Path, words: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """What Snakemake reads in these words and the profile: settings, and limits of resources."""
    found = get_argument_parser(profiles=[str(tmp_path)]).parse_args(words)
    return found.config or [], {name: limit.value for name, limit in found.resources.items()}


def test_limits_of_a_profile_or_a_user_are_kept(tmp_path: Path) -> None:
    def limits(words: Sequence[str] = (), profile: str = "cores: all") -> dict[str, int]:
        found = options_for(tmp_path, words, profile=profile, device="cuda")
        return settings_of(tmp_path, found)[1]

    assert limits() == {"gpu": 2}
    assert limits(profile="resources: [gpu=1, mem_mb=10]") == {"gpu": 1, "mem_mb": 10}
    assert limits(profile="resources: {mem_mb: 10}") == {"mem_mb": 10, "gpu": 2}
    assert limits(["--res", "gpu=1", "--forceall"], "resources: [gpu=4]") == {"gpu": 1}
    assert limits(["--resources=mem_mb=5", "--until", "all"]) == {"mem_mb": 5, "gpu": 2}


def test_jobs_that_share_a_device_are_counted(tmp_path: Path) -> None:
    shared = "set-resources: {train_named: {jobs_per_device: 3}, train_flow: {mem_mb: 7}}"
    words = options_for(tmp_path, [], profile=shared, device="cuda")
    assert settings_of(tmp_path, words)[1] == {"gpu": 6}
    words = ["--set-resources", "train_flow_part:jobs_per_device=5"]
    words = options_for(tmp_path, words, profile=shared, device="cuda")
    assert settings_of(tmp_path, words)[1] == {"gpu": 10}


@pytest.mark.parametrize("spelt", ["-Cdevice=cpu", "--config=device=cpu", "-C device=cpu"])
def test_a_device_among_settings_is_seen_however_it_is_written(tmp_path: Path, spelt: str) -> None:
    words = [*spelt.split(), "--until", "fig04"]
    assert options_for(tmp_path, words, device="cuda") == words
    assert options_for(tmp_path, words) == words
    given = options_for(tmp_path, words, given="cuda")
    assert settings_of(tmp_path, given) == (["device=cuda"], {"gpu": 2})


@pytest.mark.parametrize("words", [[], ["-n"], ["--dry-run", "fig04"], ["--until", "train_flow"]])
def test_plain_words_are_read_without_snakemake_as_snakemake_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    expected = get_argument_parser().parse_known_args(words)[0]
    assert (expected.config, dict(expected.resources)) == (None, {})
    monkeypatch.setattr(device_options_module, "_as_snakemake_reads", None)
    assert is_dry(words) == expected.dryrun
    assert options_for(tmp_path, words) == words


def test_a_device_of_a_profile_is_seen(tmp_path: Path) -> None:
    options = options_for(tmp_path, [], profile="config: [device=cuda]")
    assert options == ["--resources", "gpu=2"]


def test_words_that_snakemake_cannot_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="'many', which is not an integer"):
        options_for(tmp_path, ["--resources", "gpu=many"])


def test_targets_after_two_dashes_stay_targets(tmp_path: Path) -> None:
    words = options_for(tmp_path, ["--", "fig04"], device="cuda", given="cpu")
    assert words == ["--config", "device=cpu", "--", "fig04"]


WITHOUT_CUDA = "torch 2 of this environment is a build without CUDA"


def test_auto_is_the_processor_where_torch_cannot_use_the_gpu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = options_for(tmp_path, [], device="auto", unusable=WITHOUT_CUDA)
    assert options == ["--config", "device=cpu"]
    said = capsys.readouterr().out
    assert f"device: auto, here cpu: GPU 0, 1, but {WITHOUT_CUDA}" in said
    # Nodes of a cluster may have another torch.
    options = options_for(tmp_path, [], device="auto", unusable=WITHOUT_CUDA, local=False)
    assert options == ["--config", "device=cuda"]


def test_cuda_is_refused_where_torch_cannot_use_the_gpu(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=f"{WITHOUT_CUDA}.*DEVICE=cpu"):
        options_for(tmp_path, [], device="cuda", unusable=WITHOUT_CUDA)
    with pytest.raises(DeviceError, match="shows no GPU"):
        options_for(tmp_path, [], device="cuda", unusable=WITHOUT_CUDA, visible=[])
    options = options_for(tmp_path, ["--dry-run"], device="cuda", unusable=WITHOUT_CUDA)
    assert options == ["--dry-run", "--resources", "gpu=2"]  # which computes nothing
    options = options_for(tmp_path, [], device="cpu", unusable=WITHOUT_CUDA)
    assert options == []
    options = options_for(tmp_path, [], device="cuda", unusable=WITHOUT_CUDA, local=False)
    assert options == []


@pytest.mark.parametrize(
    ("build", "why"),
    [("2.13.0+cpu", "build without CUDA"), ("2.13.0+cu130", ""), ("2.13.0", "")],
)
def test_builds_of_torch_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, build: str, why: str
) -> None:
    monkeypatch.setattr(device_options_module, "version", lambda name: build)
    said = device_options_module.why_no_gpu_here()
    assert why in said
    assert bool(said) == bool(why)


def test_a_launch_looks_at_torch_for_jobs_of_this_machine_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys: dict[str, Any] = {"visible": "0", "unusable": WITHOUT_CUDA, "device": "auto"}
    here = launched(monkeypatch, tmp_path, **keys)
    assert here[here.index("--config") + 1] == "device=cpu"
    sent = launched(monkeypatch, tmp_path, "--profile", "slurm", **keys)
    assert sent[sent.index("--config") + 1] == "device=cuda"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_heeds_no_device_of_the_environment() -> None:
    def commands(*words: str) -> str:
        command = ["make", "--dry-run", "--assume-old=env", "reproduce", "CORES=1", *words]
        environment = {**os.environ, "DEVICE": "/dev/sda"}
        done = subprocess.run(
            command, cwd=launch.REPOSITORY, capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "--device" not in commands()
    assert "--device cuda" in commands("DEVICE=cuda")
    assert "--device" not in commands("DEVICE=")


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_says_which_word_from_may_have() -> None:
    def said(word: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "--dry-run", "--assume-old=env", "reproduce", "CORES=1", f"FROM={word}"]
        return subprocess.run(command, cwd=launch.REPOSITORY, capture_output=True, text=True)

    assert "--rows both" in said("published").stdout
    assert "FROM=archive is not known: published is allowed" in said("archive").stderr


def test_settings_of_a_user_stand_beside_the_device(tmp_path: Path) -> None:
    words = ["--config", "rows=both", "device=cuda", "--until", "fig04"]
    found = options_for(tmp_path, words)
    assert settings_of(tmp_path, found) == (["rows=both", "device=cuda"], {"gpu": 2})
    assert found[:5] == words
    found = options_for(tmp_path, words, given="cpu")
    assert settings_of(tmp_path, found) == (["rows=both", "device=cpu"], {})


@pytest.mark.parametrize(
    "word", ["sparse_hierarchy={'seeds': 3}", "preset=other", "analysis={'threshold': 0.2}"]
)
def test_keys_that_no_file_has_are_refused(tmp_path: Path, word: str) -> None:
    for words in (["--config", "device=cpu", word], [f"--config={word}"], ["-C", word]):
        with pytest.raises(DeviceError, match=r"allowed are device and rows.*--configfile"):
            options_for(tmp_path, words)


def test_a_device_that_is_no_word_is_left_to_the_configuration_to_refuse(tmp_path: Path) -> None:
    assert options_for(tmp_path, ["-n"], device=["cuda"]) == ["-n"]


def test_the_refusal_names_what_was_looked_at(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="CUDA_VISIBLE_DEVICES names none"):
        options_for(tmp_path, [], device="cuda", visible=[])


def test_a_job_that_finds_no_device_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with (
        pytest.raises(NoDevice, match="DEVICE=cpu"),
        training_job(tmp_path / "log", name="curve", resources={"gpu": 1}),
    ):
        pass


def stored(folder: Path, key: str, versions: str) -> Path:
    row = {"status": "fitted", "versions": versions}
    return write_cell(folder, key, StoredCell({}, row, {}, {}))


PRESENT = digest_of(outdated.CODE)


def test_cells_of_other_code_for_gpus_are_counted_as_missing_and_said_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(preset.plan_preset(TINY), tmp_path)
    store, entries = tmp_path / places.store_of(HIERARCHY), list(run.entries.values())
    assert len(entries) == 8
    keys = [entry["key"] for entry in entries]
    made_by = ["numpy 2.4.6", f"torch 2, stacked {PRESENT} on X", "torch 2, stacked 0123abcd on X"]
    old, new, other = (
        stored(store, key, made) for key, made in zip(keys[:3], made_by, strict=True)
    )
    assert [outdated.is_outdated(file) for file in (old, new, other)] == [False, False, True]
    assert not outdated.is_outdated(path_of(store, keys[3]))
    cells = expected_cells(run).set_index("key")
    assert cells["trained"].sum() == 2
    assert not cells.loc[keys[2], "trained"]
    watch = Watch(run.work, store)
    assert watch.arrivals().keys() == set(keys[:2])
    assert watch.n_outdated() == 1
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(TINY))
    for main in (planning.main, status.main):
        assert main(["--configfile", str(config), "--directory", str(tmp_path)]) == 0
        assert "1 cells are stored, but were trained on a GPU by other code" in (
            capsys.readouterr().out
        )
    name, first = next(iter(run.curves.items()))
    run.rows(first).parent.mkdir()
    run.rows(first).touch()
    for key in keys[3:4]:
        stored(store, key, made_by[0])
    forced = launch._again(run, tmp_path)
    assert forced == ["--forcerun", f"results/curves/{name}.parquet", "--rerun-incomplete"]
    assert f"1 cells of {name} ({keys[2]})" in capsys.readouterr().out
    stored(store, keys[2], made_by[1])  # trained again
    assert launch._again(run, tmp_path) == []
    os.utime(other, (1, 1))
    assert (len(watch.arrivals()), watch.n_outdated()) == (4, 0)


def test_a_curve_whose_cells_are_all_outdated_asks_for_what_training_them_takes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command = launched(monkeypatch, tmp_path, visible="", **TINY)
    values = yaml.safe_load((tmp_path / "config.yaml").read_text())
    run = Run(preset.plan_preset(values), tmp_path)
    old, present = list(run.plan.studies["sparse_hierarchy"].curves.values())[:2]
    missing = asked(command)["curves"]
    for one, made_by in ((old, "0123abcd"), (present, PRESENT)):
        store = tmp_path / places.store_of(HIERARCHY)
        for entry in one.entries:
            stored(store, entry["key"], f"torch 2, stacked {made_by} on X")
        run.rows(one).parent.mkdir(exist_ok=True)
        run.rows(one).touch()
    found = asked(command)["curves"]
    assert found[old.name] == missing[old.name]
    assert found[old.name]["cells"] == len(old.entries) > 0
    assert found[present.name]["cells"] == 0


def test_a_job_with_a_gpu_asks_for_the_memory_of_the_host_that_it_costs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for n_cells, at_a_time in ((4, 4), (40, STACK)):
        costs = [Cost(steps=1, seconds=1, memory=1e8, stored=1)] * n_cells
        for threads in (1, 4):
            asked_for = training_megabytes(costs, threads=threads, attempt=1, gpu=1)
            assert asked_for == (PROGRAM + GPU_PROGRAM + COPIES * at_a_time * 1e8) / 1e6
    # Networks on images are trained one in each thread, on a GPU too.
    plain, images = (
        training_megabytes(costs, threads=4, attempt=1, gpu=gpu, together=False) for gpu in (0, 1)
    )
    assert images - plain == GPU_PROGRAM / 1e6
    assert training_megabytes(costs, threads=32, attempt=2, gpu=1) == 2 * training_megabytes(
        costs, threads=32, attempt=1, gpu=1
    )
    for measure in (measuring_megabytes, lambda cells, **of: megabytes(1e8, **of)):
        plain, on_gpu = (measure(costs, attempt=1, gpu=gpu) for gpu in (0, 1))
        assert on_gpu - plain == GPU_PROGRAM / 1e6
    by_device = {}
    for device in ("cpu", "cuda"):
        command = launched(monkeypatch, tmp_path, "--device", device, visible="0", **TINY)
        by_device[device] = asked(command)["curves"]
    for name, cpu in by_device["cpu"].items():
        more = by_device["cuda"][name]["megabytes"] - cpu["megabytes"]
        assert more >= GPU_PROGRAM / 1e6 if cpu["on_gpus"] else more == 0, name


def test_a_plan_takes_the_device_of_the_configuration_if_none_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    config = tmp_path / "config.yaml"
    options = ["--configfile", str(config), "--directory", str(tmp_path)]
    for device, words, counted in (
        ("cuda", [], True),  # a plan needs no GPU
        ("cuda", ["--device", "cpu"], False),
        ("cpu", ["--device", "cuda"], True),
        ("auto", [], False),
    ):
        config.write_text(yaml.safe_dump({**TINY, "device": device}))
        assert planning.main([*options, *words]) == 0
        assert ("no card has been timed" in capsys.readouterr().out) == counted
