"""Figure 1 A, B in the workflow: planned where the images are, a message where they are not."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from invented_images import write_cifar

from srhm import experiments, launch
from srhm.architectures.names import NAMED
from srhm.images import cifar
from srhm.seeding import generator

REPOSITORY = Path(__file__).parents[1]
SMALL = {
    "folder": "invented",
    "records_per_file": 20,
    "nets": ["vgg11_bn"],
    "P": [20, 100],
    "seeds": 1,
    "width": 4,
    "n_test": 20,
    "training": {"batch_size": 10, "max_steps": 3},
    "stability": {"n_points": 10},
}


@pytest.fixture
def config(tmp_path):
    """The test preset with small images, in a folder of its own."""
    values = yaml.safe_load((REPOSITORY / "config" / "test.yaml").read_text())
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump({**values, "images": SMALL}))
    return path


def snakemake(config, *arguments):
    """Output and exit code of Snakemake in the folder of the configuration."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(REPOSITORY / "Snakefile")]
    command += ["--configfile", str(config), "--directory", str(config.parent), "--cores", "1"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    return done.stdout + done.stderr, done.returncode


def test_fig1_cifar_without_the_images_stops_with_the_message(config):
    output, code = snakemake(config, "fig1_cifar")
    assert code != 0
    for line in cifar.notice(Path("invented")).splitlines():
        assert line in output


def test_all_without_the_images_plans_none_of_their_jobs(config):
    output, code = snakemake(config, "--dry-run")
    assert code == 0, output
    assert "images" not in output.replace("fig01_images", "")
    assert "score_claims" in output


def test_all_with_the_images_trains_and_measures_on_them(config):
    folder = config.parent / "invented"
    write_cifar(folder, records_per_file=20, generator=generator(0, role="train"))
    output, code = snakemake(config, "--dry-run")
    assert code == 0, output
    assert "tables/images.parquet" in output
    assert "Training on images: vgg11_bn_h4" in output


@pytest.mark.slow
def test_small_images_give_the_table_and_the_figure_and_then_nothing_is_left_to_do(config):
    folder = config.parent / "invented"
    write_cifar(folder, records_per_file=20, generator=generator(0, role="train"))
    output, code = snakemake(config, "fig1_cifar")
    assert code == 0, output
    results = config.parent / "results" / "test"
    assert (results / "figures" / "fig01_images.png").is_file()
    assert (results / "tables" / "images.parquet").is_file()
    output, code = snakemake(config, "fig1_cifar")
    assert "Nothing to be done" in output


@pytest.mark.parametrize("there", [False, True])
def test_a_run_ends_with_the_message_where_the_images_are_absent(
    config, there, monkeypatch, capsys
):
    monkeypatch.setattr(launch, "_run", lambda *_, **__: 0)
    if there:
        (config.parent / "invented").mkdir()
    code = launch.main(["--configfile", str(config), "--directory", str(config.parent)])
    assert code == 0
    assert ("Figure 1 A, B need CIFAR-10" in capsys.readouterr().out) is not there


def test_the_nets_of_images_are_those_of_the_curves():
    assert set(experiments.NAMED) == set(NAMED)


def test_an_unknown_key_of_images_is_refused_with_the_allowed_ones(config):
    values = yaml.safe_load(config.read_text())
    values["images"]["training"]["rate"] = 1
    with pytest.raises(experiments.ConfigError, match=r"images\.training\.rate.*momentum"):
        experiments.validate(values)
