"""The search for P*: on invented curves, on archived ones, and where networks die."""

from itertools import product
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from srhm.declare.search import (
    COARSE,
    PER_OCTAVE,
    Search,
    SearchOutcome,
    expected_visits,
    lattice,
    outcome,
    walk,
)
from srhm.statistics.sample_complexity import is_dead, lasting_crossing
from srhm.store.places import PUBLISHED

ABOVE, LEARNT, DEAD = SearchOutcome.ABOVE, SearchOutcome.LEARNT, SearchOutcome.DEAD
FINE, THRESHOLD = log(2) / PER_OCTAVE, 0.1


def said(errors):
    return {k: ABOVE if error > THRESHOLD else LEARNT for k, error in enumerate(errors)}


def read(sizes, errors):
    """Status and log P* of a curve, linear in the root of the error."""
    crossing = lasting_crossing(np.array(sizes, float), np.sqrt(errors), sqrt(THRESHOLD))
    return crossing.status, crossing.log_size


def test_the_bracket_is_one_step_wide_wherever_the_search_starts():
    for start, first_learnt in product(range(12), range(13)):
        outcomes = {k: LEARNT if k >= first_learnt else ABOVE for k in range(12)}
        path, left = walk(Search(start), 12, outcomes)
        assert left is None
        expected = {k for k in (first_learnt - 1, first_learnt) if 0 <= k < 12}
        assert expected <= path.keys(), (start, first_learnt)
        # Steps of sqrt(2), the point between, and one more at the end of the window.
        assert len(path) <= abs(start - first_learnt) // COARSE + 4, (start, first_learnt)


def test_sensitivities_follow_the_bracket_in_steps_of_sqrt_2():
    outcomes = {k: LEARNT if k >= 10 else ABOVE for k in range(24)}
    path, left = walk(Search(8, below=4, above=6), 24, outcomes)
    assert list(path) == [8, 10, 9, 6, 12, 14, 16]
    assert left is None
    without, _ = walk(Search(8), 24, outcomes)
    assert list(without) == [8, 10, 9]


def test_dead_networks_bracket_nothing():
    outcomes = {k: LEARNT if k >= 9 else ABOVE for k in range(16)}
    assert list(walk(Search(6), 16, outcomes)[0]) == [6, 8, 10, 9]
    # The end of a step, the point between, the start: the next candidate takes their place.
    assert list(walk(Search(6), 16, outcomes | {10: DEAD})[0]) == [6, 8, 10, 11, 9]
    assert list(walk(Search(6), 16, outcomes | {9: DEAD})[0]) == [6, 8, 10, 9]
    assert list(walk(Search(6), 16, outcomes | {6: DEAD})[0]) == [6, 7, 9, 8]


def test_expected_visits_are_those_of_paths():
    visits = expected_visits(Search(10), 20)
    assert 3 <= sum(visits) <= 4
    assert visits[10] == pytest.approx(1)
    assert max(visits[:5] + visits[16:]) == 0
    assert sum(expected_visits(Search(10, below=4, above=6), 20)) == pytest.approx(7, abs=0.5)


@pytest.mark.parametrize("phase", [0.0, 0.3, 0.99])
def test_a_lattice_has_its_phase_and_ends_in_its_window(phase):
    sizes = np.array(lattice(1e4, low=0.5, high=8, phase=phase))
    steps = PER_OCTAVE * np.log2(sizes / 1e4) - phase
    assert np.abs(steps - np.round(steps)).max() < 1e-3
    assert sizes[0] >= 5e3 - 1
    assert sizes[-1] <= 8e4
    assert len(sizes) == PER_OCTAVE * 4 + (phase == 0)


def test_networks_are_judged_as_the_statistics_judge_them():
    cells = pd.read_parquet(PUBLISHED / "grid/sparse_hierarchy/cells.parquet")
    columns = ["test_error", "status", "train_loss", "n_c"]
    found = [
        outcome(test_error=e, status=s, train_loss=t, n_classes=n, threshold=THRESHOLD) == DEAD
        for e, s, t, n in cells[columns].itertuples(index=False)
    ]
    assert found == (is_dead(cells) | cells["test_error"].isna()).tolist()
    assert sum(found) > 50


def archived_curves():
    """Sizes and errors of each seed of the archived curves, fitted networks alone."""
    for place in ("grid/sparse_hierarchy", "laptop/weight_sharing", "laptop/temperature"):
        cells = pd.read_parquet(PUBLISHED / place / "cells.parquet")
        cells = cells[cells["status"] == "fitted"].sort_values("P")
        for _, own in cells.groupby(["curve", "seed"]):
            if len(own) > 2:
                yield own["P"].to_numpy(float), own["test_error"].to_numpy(float)


def test_on_archived_curves_the_search_finds_the_P_star_of_the_whole_window():
    """By another route: all points of a curve, between which its error is read off.

    Candidates lie on a lattice over the archived window; their errors are between those of its
    neighbours, linear in the root against log P. The search sees those that it asks for.
    """
    differences, trainings, n_missed, n = [], [], 0, 0
    random = np.random.default_rng(1)
    for sizes, errors in archived_curves():
        status, P_star = read(sizes, errors)
        candidates = np.arange(log(sizes[0]) + FINE * random.uniform(), log(sizes[-1]), FINE)
        there = np.interp(candidates, np.log(sizes), np.sqrt(errors)) ** 2
        if status != "reached" or not candidates[0] < P_star < candidates[-1]:
            continue
        n += 1
        # As far off as predictions are: a factor of 1.5 (one sd).
        start = int(np.abs(candidates - P_star - random.normal(scale=0.4)).argmin())
        path = sorted(walk(Search(start), len(candidates), said(there))[0])
        status, found = read(np.exp(candidates[path]), there[path])
        n_missed += status != "reached"
        differences.append(found - P_star)
        trainings.append(len(path))
    assert n > 1500
    assert n_missed == 0
    assert np.abs(differences).max() < FINE
    assert np.std(differences) < 0.02
    assert np.mean(trainings) < 4.2
