"""Jobs of a useful length: how a curve is split, and what a job asks for."""

import re
import subprocess
import sys
from math import ceil

import pytest
import yaml

from srhm import preset
from srhm.commands.jobs import (
    START,
    batch_bytes,
    measuring_megabytes,
    measuring_minutes,
    parts,
    training_megabytes,
    training_minutes,
)
from srhm.commands.presets import CONFIG
from srhm.commands.resources import expected_costs
from srhm.flow.cost import BATCH_BYTES, groups
from srhm.study import ConfigError
from srhm.training.cost import Cost


def made(*minutes):
    return [Cost(steps=1, seconds=60 * m, memory=1e8, stored=1e7) for m in minutes]


EXPECTED = made(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


@pytest.mark.parametrize("limits", [{}, {"minutes": 55}, {"cells": 10}, {"minutes": 100}])
def test_a_curve_that_one_job_can_train_is_not_split(limits):
    assert parts(EXPECTED, **limits) == {}


@pytest.mark.parametrize(
    "limits", [{"minutes": 20}, {"minutes": 54}, {"cells": 3}, {"cells": 1}, {"minutes": 0.001}]
)
def test_each_cell_is_in_one_part(limits):
    split = parts(EXPECTED, **limits)
    assert sorted(place for places in split.values() for place in places) == list(range(10))
    assert all(re.fullmatch(rf"\d+-of-{len(split)}", name) for name in split)
    assert all(split.values())


def test_parts_have_no_more_cells_than_allowed():
    for cells in range(1, 10):
        split = parts(EXPECTED, cells=cells)
        assert len(split) == ceil(10 / cells)
        assert max(len(places) for places in split.values()) <= cells


def test_parts_take_about_the_time_that_is_allowed():
    split = parts(EXPECTED, minutes=20)
    loads = [sum(EXPECTED[i].seconds for i in places) / 60 for places in split.values()]
    assert len(loads) == 3
    assert max(loads) - min(loads) <= 2


def test_a_cell_is_never_split():
    split = parts(made(100, 1, 1), minutes=10)
    assert [0] in split.values()
    assert len(split) == 3


def of_groups(sizes):
    """Places of groups of these sizes, one after the other."""
    places = iter(range(sum(sizes)))
    return [[next(places) for _ in range(size)] for size in sizes]


@pytest.mark.parametrize("limits", [{"minutes": 20}, {"cells": 3}, {"cells": 1}, {"minutes": 0.1}])
@pytest.mark.parametrize("sizes", [[3, 3, 4], [1, 8, 1], [2] * 5, [10]])
def test_a_group_is_never_split(sizes, limits):
    own = of_groups(sizes)
    split = parts(EXPECTED, groups=own, **limits)
    if len(own) == 1:
        assert split == {}
        return
    assert sorted(place for places in split.values() for place in places) == list(range(10))
    assert all(split.values())
    for group in own:
        assert any(set(group) <= set(places) for places in split.values())
    whole = [len(places) for places in split.values() if places not in own]
    assert max(whole, default=0) <= limits.get("cells", 10)


def test_groups_that_do_not_fill_parts_have_more_of_them():
    # Two parts of three cells would do for single ones.
    split = parts(made(*[1] * 6), cells=3, groups=of_groups([2, 2, 2]))
    assert split == {"1-of-3": [0, 1], "2-of-3": [2, 3], "3-of-3": [4, 5]}


def test_stacked_cells_of_one_p_are_a_group():
    assert groups([{"P": 8}, {"P": 4}, {"P": 8}, {"P": 2}]) == [[0, 2], [1], [3]]


def test_a_retry_asks_for_more_time_and_memory():
    for ask in (training_minutes, training_megabytes):
        first, second = (ask(EXPECTED, threads=1, attempt=n) for n in (1, 2))
        assert second == 2 * first
    assert measuring_minutes([60.0], attempt=2) == 2 * measuring_minutes([60.0], attempt=1)
    assert measuring_megabytes(EXPECTED, attempt=2) == 2 * measuring_megabytes(EXPECTED, attempt=1)


def test_more_threads_ask_for_less_time_and_more_memory_but_for_the_longest_cell():
    one, four = (training_minutes(EXPECTED, threads=n, attempt=1) for n in (1, 4))
    assert one > four >= START + 3 * 10
    one, four = (training_megabytes(EXPECTED, threads=n, attempt=1) for n in (1, 4))
    assert four - one == pytest.approx(3 * 3 * 100, abs=1)


def test_no_job_asks_for_more_than_the_limit_of_its_queue():
    assert training_minutes(made(1000), threads=1, attempt=3, limit=600) == 600
    assert training_minutes(made(1), threads=1, attempt=1, limit=600) == START + 3
    assert measuring_minutes([60_000.0], attempt=2, limit=600) == 600


def test_a_curve_of_stacked_members_asks_for_the_memory_of_what_is_trained_at_once():
    assert [batch_bytes(2e8, members=n) for n in (1, 3, 60)] == [2e8, 6e8, BATCH_BYTES]
    assert batch_bytes(3e9, members=60) == 3e9


def test_a_job_that_gathers_only_asks_for_little():
    assert training_minutes([], threads=4, attempt=1) == START
    assert training_megabytes([], threads=4, attempt=1) < 2000


def test_splitting_is_part_of_no_key_and_no_name():
    config = yaml.safe_load((CONFIG / "test.yaml").read_text())
    split = {**config, "jobs": {"cells": 1, "minutes": 5}}
    one, other = preset.plan_preset(config), preset.plan_preset(split)
    assert list(one.curves) == list(other.curves)
    assert list(one.samples) == list(other.samples)
    assert one.curves == other.curves


@pytest.mark.parametrize("jobs", [{"minutes": 0}, {"cells": 0}, {"limit": 1}, {"hours": 1}])
def test_limits_that_make_no_sense_are_refused(jobs):
    config = yaml.safe_load((CONFIG / "test.yaml").read_text())
    with pytest.raises(ConfigError, match="jobs"):
        preset.plan_preset({**config, "jobs": jobs})


def test_every_job_of_the_presets_asks_for_days_at_most_when_split_to_hours():
    plan = preset.plan_preset(yaml.safe_load((CONFIG / "paper.yaml").read_text()))
    for curve in plan.studies["sparse_hierarchy"].curves.values():
        expected = expected_costs(curve)
        split = parts(expected, minutes=120) or {"1-of-1": list(range(len(expected)))}
        for places in split.values():
            own = [expected[i] for i in places]
            longest = max(cost.seconds for cost in own) / 60
            assert training_minutes(own, threads=1, attempt=1) <= START + 3 * (120 + longest) + 1


def snakemake(folder, config, *arguments):
    """What Snakemake prints for a configuration, in a folder of its own."""
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "snakemake", *arguments, "--workflow-profile", "none"]
    command += ["--snakefile", str(CONFIG.parent / "Snakefile"), "--directory", str(folder)]
    command += ["--configfile", str(folder / "config.yaml")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_split_curve_is_trained_in_parts_and_one_that_is_there_is_left_as_it_is(tmp_path):
    config = yaml.safe_load((CONFIG / "test.yaml").read_text()) | {"jobs": {"cells": 3}}
    plan = preset.plan_preset(config)
    curve = next(iter(plan.curves.values()))
    files = [f"results/curves/{curve.name}{kind}.parquet" for kind in ("", ".timings")]
    planned = snakemake(tmp_path, config, files[0], "--dry-run")
    assert len(curve.entries) == 6
    assert re.search(r"train_hierarchy_part +2\n", planned), planned
    for file in [f"results/derivations/{curve.sample}.parquet", *files]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert "Nothing to be done" in snakemake(tmp_path, config, files[0], "--dry-run")


def test_a_curve_that_is_there_trains_nothing_when_it_is_split_otherwise(tmp_path):
    config = {
        "preset": "split",
        "sparse_hierarchy": {
            "seeds": 1,
            "width": 6,
            "n_test": 60,
            "training": {"max_steps": 40, "n_checks": 2},
            "curves": [{"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [30, 60, 90]}],
        },
    }
    (curve,) = preset.plan_preset(config).curves.values()
    expected = expected_costs(curve)
    minutes = sum(cost.seconds for cost in expected) / 60
    # Three parts, two, and one job for all.
    limits = {n: {"minutes": minutes / (n - 0.5)} for n in (3, 2)} | {1: {}}
    assert [len(parts(expected, **limit)) for limit in limits.values()] == [3, 2, 0]
    file = f"results/curves/{curve.name}.parquet"

    def run(n, *arguments):
        changed = {**config, "jobs": limits[n]}
        return snakemake(tmp_path, changed, file, "--cores", "2", *arguments)

    def kept():
        files = [*tmp_path.glob("results/cells/*/*"), *tmp_path.glob("results/parts/*/*")]
        return {path.name: path.stat().st_mtime_ns for path in files}

    run(3)
    before = kept()
    cells = {entry["key"] + ".safetensors" for entry in curve.entries}
    assert before.keys() == cells | {f"{i}-of-3.json" for i in (1, 2, 3)}
    for n in (2, 1):
        assert "Nothing to be done" in run(n)
    assert kept() == before
    # Forced, the parts that are there are trained as they were split, and all is in the store.
    said = run(1, "--forcerun", "train_hierarchy_part", "train_hierarchy")
    after = kept()
    for part in ("1-of-3: 1 cells", "2-of-3: 1 cells", "3-of-3: 1 cells"):
        assert f"{part}: 1 in the store, 0 to train" in said
    assert "3 cells: 3 in the store, 0 to train" in said
    assert {name: after[name] for name in cells} == {name: before[name] for name in cells}
    assert after.keys() == before.keys()
