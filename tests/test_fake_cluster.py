"""The workflow through a scheduler that is three small scripts: retries, orphans, equal rows.

tests/cluster/test_slurm.py does the same with a real Slurm, where that can be installed.
"""

import os
import signal
from pathlib import Path

import pytest
from scheduled_runs import ROOT, Run, assert_equal, kill, wait_for

HERE = ROOT / "tests" / "fake_cluster"
UNTIL = ("--until", "train_hierarchy")

pytestmark = pytest.mark.xdist_group("fake_cluster")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same grid on this machine, with nothing in the way."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    return Run(folder, HERE / "grid.yaml", "--cores", "2", *UNTIL).run()


@pytest.fixture
def cluster(tmp_path: Path) -> Run:
    """A run whose jobs go through the scripts; jobs that outlive a test are ended."""
    jobs = tmp_path / "jobs"
    return Run(
        tmp_path / "run",
        HERE / "grid.yaml",
        *("--profile", "ci", "--executor", "cluster-generic", "--jobs", "4", *UNTIL),
        *("--cluster-generic-submit-cmd", f"{HERE / 'submit'} {jobs}"),
        *("--cluster-generic-status-cmd", f"{HERE / 'status'} {jobs}"),
        *("--cluster-generic-cancel-cmd", str(HERE / "cancel")),
    )


def jobs(cluster: Run) -> list[Path]:
    """Scripts of the jobs so far, each named by its process group."""
    return sorted((cluster.folder.parent / "jobs").glob("*.sh"))


def training_job(cluster: Run) -> int:
    """Process group of the one job that trains now."""
    (script,) = (
        script
        for script in jobs(cluster)
        if "train_hierarchy" in script.read_text() and not script.with_suffix(".code").exists()
    )
    return int(script.stem)


def test_a_job_that_is_killed_is_sent_again_and_trains_the_cell_that_was_in_flight(
    undisturbed, cluster
):
    keys = undisturbed.keys("lcn")
    launcher = cluster.start("--retries", "1")
    cluster.wait_until_stored(keys, 2)
    before = cluster.stored()
    os.killpg(training_job(cluster), signal.SIGKILL)
    cluster.end(launcher)
    assert "3 cells: 2 in the store, 1 to train" in cluster.last_log("lcn")
    assert before.items() <= cluster.stored().items()
    assert_equal(cluster.curves(), undisturbed.curves())


def test_after_the_sigkill_of_snakemake_a_second_run_beside_the_orphan_does_no_harm(
    undisturbed, cluster
):
    keys = undisturbed.keys("lcn")
    launcher = cluster.start()
    cluster.wait_until_stored(keys, 2)
    before = cluster.stored()
    orphan = training_job(cluster)
    # The orphan sleeps while the second run works, and ends after it.
    os.killpg(orphan, signal.SIGSTOP)
    kill(launcher)
    try:
        cluster.run()
        log = cluster.last_log("lcn")
        assert not (cluster.folder.parent / f"jobs/{orphan}.code").exists()
    finally:
        os.killpg(orphan, signal.SIGCONT)
    assert "an earlier run was interrupted" in cluster.printed.read_text()
    assert "3 cells: 2 in the store, 1 to train" in log
    assert before.items() <= cluster.stored().items()
    assert_equal(cluster.curves(), undisturbed.curves())
    ended = [script.with_suffix(".code") for script in jobs(cluster)]
    wait_for(lambda: all(code.exists() and code.read_text() for code in ended), within=60)
    assert [code.read_text().strip() for code in ended] == ["0"] * len(ended)
    assert before.items() <= cluster.stored().items()
    assert_equal(cluster.curves(), undisturbed.curves())
    sent = len(jobs(cluster))
    cluster.run()
    assert len(jobs(cluster)) == sent  # nothing is left to be done
