"""What no configuration refers to is listed, and removed on confirmation only."""

import fcntl
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from srhm.commands import gc
from srhm.commands.command import main
from srhm.commands.gc import ABANDONED
from srhm.commands.presets import Run
from srhm.planning import preset
from srhm.store import places

SECTION_OF_CURVES = {
    "seeds": 1,
    "width": 6,
    "n_test": 60,
    "curves": [{"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [30, 60]}],
}
ROOT = Path(__file__).resolve().parents[1]
CONFIG = {"preset": "tiny", "sparse_hierarchy": SECTION_OF_CURVES}
OTHER_CURVES = [{**SECTION_OF_CURVES["curves"][0], "P": [60, 90]}]
OTHER = {**CONFIG, "sparse_hierarchy": {**SECTION_OF_CURVES, "curves": OTHER_CURVES}}


def the_curve(config):
    (curve,) = preset.plan_preset(config).curves.values()
    return curve


def files_of(config):
    """Paths in results/ of all that a configuration refers to."""
    run = Run(preset.plan_preset(config))
    (curve,) = run.curves.values()
    files = run.files("sparse_hierarchy", curve)
    assert {"cells", "timings", "sensitivities"} <= files.keys()
    keys = [entry["key"] for entry in curve.entries]
    return {
        *(f"cells/{key[:2]}/{key}.safetensors" for key in keys),
        f"parts/{curve.name}/1-of-2.json",
        f"derivations/{curve.sample}.parquet",
        *(str(file.relative_to("results")) for file in files.values()),
    }


def put(results, files):
    for file in files:
        (results / file).parent.mkdir(parents=True, exist_ok=True)
        (results / file).write_bytes(b"0" * 1000)


def files_in(results):
    return {str(p.relative_to(results)) for p in results.rglob("*") if p.is_file()} - {".lock"}


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Results of two configurations, of which the first is in the folder of configurations."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "tiny.yaml").write_text(yaml.safe_dump(CONFIG))
    (tmp_path / "other.yaml").write_text(yaml.safe_dump(OTHER))
    monkeypatch.setattr(gc, "CONFIG", folder)
    put(tmp_path / "results", files_of(CONFIG) | files_of(OTHER))
    return tmp_path / "results"


def collect(results, *arguments):
    return main(["gc", "--directory", str(results.parent), *arguments])


@pytest.fixture
def is_refused(results, capsys):
    """Asserts that nothing is removed, and why."""

    def refused(why):
        before = files_in(results)
        assert collect(results, "--confirm", "yes") == 2
        assert files_in(results) == before
        assert re.search(why, capsys.readouterr().err)

    return refused


def test_nothing_is_removed_without_confirmation(results, capsys):
    before = files_in(results)
    assert collect(results) == 0
    assert collect(results, "--confirm", "no") == 0
    assert files_in(results) == before
    printed = capsys.readouterr().out
    for file in (others := files_of(OTHER) - files_of(CONFIG)):
        assert file in printed
    assert f"{len(others)} files, 0.0 MB" in printed
    assert "CONFIRM=yes" in printed


def test_confirmation_removes_what_no_configuration_refers_to_and_nothing_else(results):
    assert collect(results, "--confirm", "yes") == 0
    assert files_in(results) == files_of(CONFIG)


def test_a_configuration_elsewhere_counts_when_it_is_named(results, capsys):
    other = str(results.parent / "other.yaml")
    assert collect(results, "--configfile", other, "--confirm", "yes") == 0
    assert files_in(results) == files_of(CONFIG) | files_of(OTHER)
    assert "0 files" in capsys.readouterr().out


@pytest.fixture
def noted(results):
    """The second configuration, which a run here noted."""
    file = results.parent / "other.yaml"
    (results / "mine").mkdir()
    (results / "mine" / places.CONFIGURATION).write_text(str(file))
    return file


def test_where_a_noted_configuration_is_gone_everything_is_kept(results, noted, is_refused):
    moved = results.parent / "elsewhere"
    moved.mkdir()
    noted.rename(moved / noted.name)
    before = files_in(results)
    is_refused(f"{noted} cannot be read")
    assert collect(results, "--configfile", str(moved / noted.name), "--confirm", "yes") == 0
    assert files_in(results) == before


def test_what_snakemake_alone_made_of_a_file_elsewhere_is_kept(results):
    folder = results.parent
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores"]
    command += ["1", f"results/derivations/{the_curve(OTHER).sample}.parquet", "--configfile"]
    (results / "derivations" / f"{the_curve(OTHER).sample}.parquet").unlink()
    (folder / "other.yaml").write_text(yaml.safe_dump({**OTHER, "preset": "other"}))

    def made(*words):
        return subprocess.run(
            [*command, *words, "--directory", "."], cwd=folder, capture_output=True, text=True
        )

    refused = made("other.yaml", "--config", "preset=third")
    assert refused.returncode == 1
    assert "write all keys into it" in refused.stderr
    assert files_in(results) == (files_of(CONFIG) | files_of(OTHER)) - {
        f"derivations/{the_curve(OTHER).sample}.parquet"
    }
    done = made("other.yaml")
    assert done.returncode == 0, done.stderr
    assert collect(results, "--confirm", "yes") == 0
    assert files_of(OTHER) <= files_in(results)


@pytest.mark.parametrize("text", ["preset: tiny\n", "preset: [\n"])
def test_a_configuration_that_cannot_be_read_keeps_everything(results, is_refused, text):
    (results.parent / "config" / "broken.yaml").write_text(text)
    is_refused("is refused|is not YAML")


def test_nothing_is_removed_while_a_run_is_going_on(results, is_refused):
    with (results / ".lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        is_refused("another run works in")


def test_nothing_is_removed_while_a_snakemake_by_hand_works_here(results, is_refused):
    script = results.parent / "snakemake"
    script.write_text("import time\ntime.sleep(1000)\n")
    with subprocess.Popen([sys.executable, str(script)], cwd=results.parent) as by_hand:
        try:
            is_refused(f"process {by_hand.pid}, works in this folder")
        finally:
            by_hand.kill()


def test_checkpoints_stay_only_for_cells_that_are_wanted_and_not_stored(results):
    curve = the_curve(CONFIG)
    first, second = (entry["key"] for entry in curve.entries)
    put(results, [f"checkpoints/{key}.safetensors" for key in (first, second, "0" * 24)])
    (results / "cells" / second[:2] / f"{second}.safetensors").unlink()
    collect(results, "--confirm", "yes")
    kept = [file.stem for file in (results / "checkpoints").iterdir()]
    assert kept == [second]


def test_only_old_partial_files_are_abandoned(results):
    put(results, ["cells/ab/one.host-1.part", "cells/ab/two.host-2.part"])
    long_ago = time.time() - ABANDONED - 1
    os.utime(results / "cells/ab/one.host-1.part", (long_ago, long_ago))
    assert collect(results, "--confirm", "yes") == 0
    assert [file.name for file in results.rglob("*.part")] == ["two.host-2.part"]


def test_what_a_run_noted_and_cannot_be_read_keeps_everything(noted, monkeypatch, is_refused):
    read = Path.read_text

    def shut(path, *arguments, **options):
        if path.name == places.CONFIGURATION:
            raise PermissionError(13, "Permission denied", str(path))
        return read(path, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", shut)
    is_refused(places.CONFIGURATION)
