"""What a terminal shows of a run: phases, what goes wrong, the first figure; the rest is logged."""

import ast
import io
import os
import re
import time
from pathlib import Path

import pytest

from srhm.commands import live_view
from srhm.commands.live_view import LiveView
from srhm.commands.printed_lines import MOST, PHASES, PrintedLines, is_routine, phase_of
from srhm.commands.watching import Watch
from srhm.results.provenance import PACKAGE
from srhm.results.store import StoredCell, write_cell

CELLS = {f"{number:024}": 1.0 for number in range(8)}
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
12:00:00 a: 4 cells: 0 in the store, 4 to train
12:00:00 a: cell 1 of 4: P = 8, seed 0, fitted after 21792 steps; 7 s so far, about 54 s left
"""
FAILURE = """[Wed Nov 25 09:17:18 2026]
Error in rule train_hierarchy:
    jobid: 2
    input: one two
    log: logs/a.log (check log file(s) for error details)
12:00:01 a: failed: OSError('x'); log: logs/a.log
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def taken(text: str, **options: object) -> list[str]:
    return PrintedLines(**options).taken(text.split("\n"))  # type: ignore[arg-type]


def test_jobs_that_go_on_as_they_should_are_counted_and_not_shown() -> None:
    lines = PrintedLines()
    assert lines.taken(BEGIN.split("\n")) == []
    assert lines.jobs == {"data": 2, "train": 3, "measure": 3, "figures": 1}
    assert lines.ended == {"data": 2}


def test_every_line_is_shown_where_that_is_asked_for() -> None:
    assert taken(BEGIN, every_line=True) == BEGIN.split("\n")


def test_a_failure_is_shown_with_its_log_and_without_its_many_files() -> None:
    assert [line.split(":")[0].strip() for line in taken(FAILURE)] == [
        "Error in rule train_hierarchy",
        "log",
        "12",
    ]


def test_what_is_not_known_is_shown() -> None:
    odd = [
        "    message: Slurm has no job 3 any more",
        "Traceback (most recent call last):",
        "  File x",
        "SLURM run ID: 3",
        "12 monkeys",
    ]
    assert PrintedLines().taken(odd) == odd


def test_of_many_lines_of_a_kind_a_few_are_shown() -> None:
    lines = [f"12:00:00 a{i}: lcn, P = {i} goes on from its checkpoint, {i} s in" for i in range(9)]
    shown = PrintedLines().taken(lines)
    assert shown == [*lines[:MOST], "more lines of this kind are in the log"]


def test_a_figure_is_announced_when_its_job_has_ended() -> None:
    text = "Finished jobid: 2 (Rule: fig03)\nFinished jobid: 3 (Rule: fig04)"
    assert taken(text, milestones={"fig04": "Figure 4: here"}) == [
        "Figure 4: here, after 0 min 0 s"
    ]


@pytest.mark.parametrize(
    ("rule", "phase"),
    [
        ("draw_derivations", "data"),
        ("train_images_part", "train"),
        ("measure_hierarchy_sensitivities", "measure"),
        ("page_report", "figures"),
    ],
)
def test_rules_belong_to_phases(rule: str, phase: str) -> None:
    assert phase_of(rule) == phase
    assert phase in PHASES


# Not routine, though they are no warnings: what a run takes up again, or does not.
TAKEN_UP = ("trained again: ", "goes on from its checkpoint")


def messages(level: str) -> list[str]:
    """What jobs log at a level, with something in place of each number and name."""
    found = []
    for file in sorted([*PACKAGE.rglob("*.py"), *(PACKAGE.parents[1] / "scripts").glob("*.py")]):
        if file.parent == PACKAGE / "commands":  # these print for themselves
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == level
                and ast.unparse(node.func.value).endswith("log")
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                text = re.sub(r"%\.?\d*[dfg]", lambda one: "3.1" if "f" in one[0] else "3",
                              str(node.args[0].value)).replace("%r", "'x'")  # fmt: skip
                found.append(text.replace("%s", "name"))
    return found


def test_what_jobs_say_for_information_is_routine_and_what_they_warn_of_is_shown() -> None:
    known = [one for one in messages("info") if one != "name"]  # that is "cell 1 of 4: ..."
    assert len(known) > 15
    for text in known:
        taken_up = any(words in text for words in TAKEN_UP)
        assert is_routine(f"12:00:00 job: {text}") is not taken_up, text
    warnings = [*messages("warning"), *messages("error")]
    assert len(warnings) > 10
    for text in warnings:
        assert not is_routine(f"12:00:00 job: {text}"), text
    assert not is_routine("12:00:00 a: cell 1 of 4: P = 8, seed 0, diverged after 10 steps; 7 s")


def test_on_a_terminal_the_phases_stand_below_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_view, "BETWEEN", 0.02)
    file, out = tmp_path / "run.log", Terminal()
    file.write_text(f"{BEGIN}a warning\nhalf a")
    path = write_cell(tmp_path / "cells", next(iter(CELLS)), StoredCell({}, {}, {}, {}))
    os.utime(path, (time.time() + 5,) * 2)
    watch = Watch(CELLS, tmp_path / "cells")
    with (
        file.open("rb") as printed,
        LiveView(watch, out, printed=printed, lines=PrintedLines()),
    ):
        deadline = time.monotonic() + 5
        while "install > data > train 12 %, " not in out.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert " left > measure 0/3 > figures 0/1" in out.getvalue()
        assert "half a" not in out.getvalue()
        with file.open("a") as more:
            more.write(" line\nthe end")
        file.unlink()  # what is written to it is shown all the same
    assert out.getvalue().count("a warning\n") == 1
    assert out.getvalue().endswith("half a line\nthe end\n")


def test_off_a_terminal_there_is_a_line_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_view, "BETWEEN", 0.02)
    monkeypatch.setattr(live_view, "ELSEWHERE", 0.1)
    out = io.StringIO()
    printed = io.BytesIO(f"{BEGIN}a warning\n".encode())
    with LiveView(Watch(CELLS, tmp_path), out, printed=printed, lines=PrintedLines()):
        time.sleep(0.35)
    first, *lines = out.getvalue().splitlines()
    assert first == "a warning"
    assert 1 <= len(lines) <= 3
    assert set(lines) == {"install > data > train 0 % > measure 0/3 > figures 0/1"}
    assert "\r" not in out.getvalue()


def test_a_reader_that_is_gone_disturbs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_view, "BETWEEN", 0.02)
    read, write = os.pipe()
    os.close(read)
    out = os.fdopen(write, "w")
    printed = io.BytesIO(b"a warning\n")
    with LiveView(Watch(CELLS, tmp_path), out, printed=printed, lines=PrintedLines()):
        time.sleep(0.1)
    with pytest.raises(BrokenPipeError):
        out.close()
