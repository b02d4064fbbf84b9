"""What a terminal shows of a run: phases, what goes wrong, the first figure; the rest is logged."""

import io
import os
import time
from pathlib import Path

import pytest

from srhm.commands import live_view
from srhm.commands.live_view import LiveView, PrintedLines
from srhm.commands.presets import Run
from srhm.commands.watching import Watch
from srhm.planning.preset import plan_preset
from srhm.store.cells import StoredCell, write_cell

CURVES = [{"net": "lcn", "L": 2, "v": 3, "s0": 1, "P": [30]}]
EIGHT_CELLS = {"preset": "tiny", "sparse_hierarchy": {"seeds": 8, "curves": CURVES}}
BEGIN = """Building DAG of jobs...
Job stats:
job                 count
----------------  -------
draw_derivations        2
train_hierarchy         3
measure_hierarchy       3
fig04                   1
total                   9

Select jobs to execute...
[Wed Nov 25 09:17:18 2026]
Job 2: Drawing training and test data of a
Finished jobid: 2 (Rule: draw_derivations)
1 of 9 steps (11%) done
Finished jobid: 3 (Rule: draw_derivations)
12:00:00 INFO a: 4 cells: 0 in the store, 4 to train
12:00:00 INFO a: cell 1 of 4: P = 8, seed 0, fitted after 21792 steps; 7 s so far, about 54 s left
"""
FAILURE = """[Wed Nov 25 09:17:18 2026]
Error in rule train_hierarchy:
    jobid: 2
    input: one two
    log: logs/a.log (check log file(s) for error details)
12:00:01 ERROR a: failed: OSError('x'); log: logs/a.log
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_failure_is_shown_without_its_many_files() -> None:
    lines = PrintedLines()
    shown = [one.split(":")[0] for line in FAILURE.split("\n") for one in lines.shown(line)]
    assert shown == ["Error in rule train_hierarchy", "12"]


def test_on_a_terminal_the_phases_stand_below_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_view, "BETWEEN", 0.02)
    file, out = tmp_path / "run.log", Terminal()
    file.write_text(f"{BEGIN}a WARNING\nhalf an")
    watch = Watch(Run(plan_preset(EIGHT_CELLS), tmp_path))
    store, key = tmp_path / "results" / "cells", next(iter(watch.work))
    os.utime(write_cell(store, key, StoredCell({}, {}, {}, {})), (time.time() + 5,) * 2)
    with (
        file.open("rb") as printed,
        LiveView(watch, out, printed=printed, lines=PrintedLines()),
    ):
        deadline = time.monotonic() + 60
        while "install > data > train 12 %, " not in out.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert " left > measure 0/3 > figures 0/1" in out.getvalue()
        assert "half an" not in out.getvalue()
        with file.open("a") as more:
            more.write(" ERROR\nthe end")
        file.unlink()  # what is written to it is shown all the same
    assert out.getvalue().count("a WARNING\n") == 1
    assert out.getvalue().count("half an ERROR\n") == 1
    assert "the end" not in out.getvalue()
