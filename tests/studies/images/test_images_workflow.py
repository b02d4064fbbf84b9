"""Figure 1 A, B in the workflow, with images and without."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from invented_images import SECTION, write_cifar

from srhm.commands import launch
from srhm.model.seeding import generator

REPOSITORY = Path(__file__).parents[3]

pytestmark = pytest.mark.xdist_group("images workflow")


@pytest.fixture
def config(tmp_path):
    """A preset of small images, in a folder of its own."""
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump({"preset": "test", "images": SECTION}), encoding="utf-8")
    return path


def snakemake(config, *arguments):
    """Output and exit code of Snakemake in the folder of the configuration."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(REPOSITORY / "Snakefile")]
    command += ["--configfile", str(config), "--directory", str(config.parent), "--cores", "1"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    return done.stdout + done.stderr, done.returncode


@pytest.mark.slow
def test_small_images_give_the_table_and_the_figure(config):
    folder = config.parent / "invented"
    write_cifar(folder, records_per_file=20, generator=generator(0, role="train"))
    output, code = snakemake(config, "fig01_images")
    assert code == 0, output
    results = config.parent / "results" / "test"
    assert (results / "figures" / "fig01_images.png").is_file()
    table = pd.read_parquet(results / "tables" / "images" / "images.parquet")
    assert set(table["P"]) == {20, 100}


@pytest.mark.parametrize("there", [False, True])
def test_a_run_ends_with_the_message_where_the_images_are_absent(
    config, there, monkeypatch, capsys
):
    monkeypatch.setattr(launch, "run_snakemake", lambda *_, **__: 0)
    if there:
        folder = config.parent / "invented"
        write_cifar(folder, records_per_file=20, generator=generator(0, role="train"))
    code = launch.main(["--configfile", str(config), "--directory", str(config.parent)])
    said = capsys.readouterr()
    assert code == 0, said
    assert ("Figure 1 A, B need CIFAR-10" in said.out) is not there


def test_a_second_file_with_the_name_of_a_preset_is_said_to_take_its_place(
    config, monkeypatch, capsys
):
    monkeypatch.setattr(launch, "run_snakemake", lambda *_, **__: 0)
    other = config.with_name("other.yaml")
    other.write_bytes(config.read_bytes())
    for file, before in ((config, None), (config, None), (other, config), (other, None)):
        assert launch.main(["--configfile", str(file), "--directory", str(config.parent)]) == 0
        said = capsys.readouterr().out
        assert ("replace them" in said) is (before is not None)
        assert before is None or f"were made of {before}; those of {file}" in said
