"""The profiles of profiles/: complete, commented key by key, and accepted by Snakemake."""

import subprocess
import sys

import pytest
import yaml
from scheduled_runs import ROOT

PROFILES = sorted((ROOT / "profiles").glob("*/profile.yaml"))
NAMES = [file.parent.name for file in PROFILES]
# Without these Snakemake stops after a crash, reruns all after a `git checkout`, or crawls.
EVERYWHERE = {
    "scheduler": "greedy",
    "rerun-incomplete": True,
    "show-failed-logs": True,
    "rerun-triggers": ["mtime", "params", "input", "software-env"],
}


def settings(name: str) -> dict:
    """Keys and values of a profile."""
    return yaml.safe_load((ROOT / "profiles" / name / "profile.yaml").read_text())


@pytest.fixture(scope="module")
def rules(tmp_path_factory) -> set[str]:
    """Rules of a preset that has all studies."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--configfile", str(ROOT / "config" / "paper.yaml"), "--list-rules"]
    folder = tmp_path_factory.mktemp("rules")
    done = subprocess.run(
        [*command, "--directory", str(folder)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_is_complete_by_itself(name):
    found = settings(name)
    assert {key: found.get(key) for key in EVERYWHERE} == EVERYWHERE
    assert "jobs" in found if "executor" in found else "cores" in found


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_names_rules_that_there_are(name, rules):
    for key in ("set-threads", "set-resources"):
        assert set(settings(name).get(key, {})) <= rules


@pytest.mark.parametrize("name", [name for name in NAMES if "executor" not in settings(name)])
def test_snakemake_plans_with_a_profile(name, tmp_path):
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--directory", tmp_path]
    command += ["--snakefile", ROOT / "Snakefile", "--configfile", ROOT / "config" / "test.yaml"]
    command += ["--workflow-profile", ROOT / "profiles" / name]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "train_hierarchy" in done.stdout + done.stderr
