"""What the jobs of one curve ask for: parts, whole stacks, what the store lacks, and the limit."""

import json

from train_curves import flow_curves, hierarchy_curves

from srhm.planning.lengths import START, CurveJobs, expected_costs
from srhm.planning.preset import Jobs
from srhm.planning.registry import STUDIES
from srhm.store import places
from srhm.store.cells import path_of
from srhm.training.trainers import HIERARCHY

GROUP = {"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [30, 60, 90]}
(CURVE,) = hierarchy_curves({"seeds": 2, "width": 6, "n_test": 60, "curves": [GROUP]})
(STACKED,) = flow_curves({**GROUP, "width": 4, "seeds": 3})


def jobs_of(curve, folder, *, inside_a_job=False, **limits):
    return CurveJobs(curve, Jobs(**limits), directory=folder, inside_a_job=inside_a_job)


def leave(folder, part, keys):
    """What a part job leaves, and the cells in the store."""
    file = folder / places.parts_of_curve(HIERARCHY, CURVE.name) / f"{part}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(keys))
    store(folder, keys)
    return str(file)


def store(folder, keys):
    for key in keys:
        path = path_of(folder / places.store_of(HIERARCHY), key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


MEASUREMENTS = STUDIES["sparse_hierarchy"].measurements[:1]
KEYS = [entry["key"] for entry in CURVE.entries]


def test_without_limits_one_job_trains_all_that_the_store_lacks(tmp_path):
    jobs = jobs_of(CURVE, tmp_path)
    assert jobs.parts == {}
    assert jobs.files() == []
    assert jobs.lacking() == [0, 1, 2, 3, 4, 5]
    store(tmp_path, [KEYS[0], KEYS[4]])
    assert jobs.lacking() == [1, 2, 3, 5]


def test_a_curve_in_parts_waits_for_their_files_and_then_trains_nothing(tmp_path):
    minutes = sum(cost.seconds for cost in expected_costs(CURVE)) / 60
    jobs = jobs_of(CURVE, tmp_path, minutes=minutes / 2.5)
    assert list(jobs.parts) == ["1-of-3", "2-of-3", "3-of-3"]
    assert [file.rsplit("/", 1)[1] for file in jobs.files()] == [
        f"{i}-of-3.json" for i in (1, 2, 3)
    ]
    assert jobs.lacking() == []  # parts will train them
    assert sorted(place for part in jobs.parts for place in jobs.places(part)) == [*range(6)]
    for part, own in jobs.parts.items():
        leave(tmp_path, part, [KEYS[place] for place in own])
    assert jobs.lacking() == []
    path_of(tmp_path / places.store_of(HIERARCHY), KEYS[3]).unlink()
    assert jobs.lacking() == [3]


def test_a_stack_asks_for_the_memory_of_its_largest_batch(tmp_path):
    jobs = jobs_of(STACKED, tmp_path)
    largest = [place for place, cell in enumerate(STACKED.cells) if cell["P"] == 90]
    every = list(range(len(STACKED.cells)))
    options = {"threads": 1, "attempt": 1, "gpu": 0}
    of_largest = jobs.training_megabytes(largest, **options)
    assert jobs.training_megabytes(every, **options) == of_largest
    assert jobs.measuring_megabytes(attempt=1, gpu=0) == of_largest
    assert jobs.training_megabytes(every, threads=1, attempt=1, gpu=1) > of_largest
    assert jobs.training_megabytes([], **options) < of_largest


def test_a_retry_asks_for_more_time_and_memory_within_the_limit_of_its_queue(tmp_path):
    jobs, limited = jobs_of(CURVE, tmp_path), jobs_of(CURVE, tmp_path, limit=11)
    (one,) = MEASUREMENTS
    every = range(len(CURVE.entries))
    for asked in (
        lambda of, n: of.training_minutes(every, threads=1, attempt=n),
        lambda of, n: of.measuring_minutes(one, attempt=n),
    ):
        assert asked(jobs, 2) == 2 * asked(jobs, 1)
        assert asked(jobs, 1) >= START
        assert asked(limited, 3) == 11
    for asked in (
        lambda n: jobs.training_megabytes(every, threads=1, attempt=n, gpu=0),
        lambda n: jobs.measuring_megabytes(attempt=n, gpu=0),
    ):
        assert asked(2) == 2 * asked(1)
