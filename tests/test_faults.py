"""A sample of the table of docs/reliability.md, and whether its script notices what it is for."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import soak
from faults import configurations, files, installation, signals
from faults.__main__ import FAULTS, Stage, rows
from faults.kinds import KINDS, MAIN, MEASURED
from faults.rows import Row, Table
from faults.scene import Defect, Scene, quoted
from faults.table import NOTHING, Fault, row_of

# Those that take no run: all but the one that recursion makes slow.
QUICK = {
    **{name: one for name, one in configurations.FAULTS.items() if name in configurations.QUICK},
    **{name: installation.FAULTS[name] for name in ("unfit_path", *installation.FOREIGN)},
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """Undisturbed runs, of which there is one."""
    return Stage(tmp_path_factory.mktemp("faults"))


def made(stage, name, fault, kind):
    scene = stage.scene(name, fault, kind)
    try:
        return row_of(fault, scene, stage.tables(fault, kind))
    finally:
        scene.close()


@pytest.mark.parametrize("name", QUICK)
def test_faults_of_configurations_are_refused_in_a_sentence(stage, name):
    assert made(stage, name, QUICK[name], MAIN).said.startswith("“")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault"),
    [("killed_run", signals.FAULTS["killed_run"]), ("lost_cell", files.FAULTS["lost_cell"])],
)
def test_a_fault_costs_what_the_table_says(stage, name, fault):
    row = made(stage, name, fault, MEASURED)
    assert "tables equal" in row.rerun
    assert row.said


def test_there_are_at_least_sixty_faults_of_four_kinds_of_training():
    assert len(FAULTS) >= 60
    titles = [fault.of(kind) for _, fault, kind in rows()]
    assert len(titles) == len(set(titles))
    assert {kind for _, _, kind in rows()} == set(KINDS)


def fault_that(make, **changes):
    return Fault(title="a fault", begins=NOTHING, make=make, rerun="nothing", **changes)


@pytest.mark.parametrize(
    ("said", "changes", "defect"),
    [
        ("all is well", {"says": ("lost",)}, "no line says 'lost'"),
        ("Traceback (most recent call last):", {}, "a traceback instead of a sentence"),
    ],
)
def test_a_fault_of_which_nothing_is_said_in_a_sentence_is_a_defect(
    tmp_path, said, changes, defect
):
    with pytest.raises(Defect, match=defect):
        row_of(fault_that(lambda scene: said, **changes), Scene(tmp_path / "scene"), [])


def test_a_finished_cell_that_is_lost_is_a_defect(tmp_path, monkeypatch):
    whole = iter([{"a": 1, "b": 1}, {"a": 1}] * 2)
    monkeypatch.setattr(Scene, "whole", lambda scene: next(whole))
    scene = Scene(tmp_path / "scene")
    with pytest.raises(Defect, match="finished cells lost: \\['b'\\]"):
        row_of(fault_that(lambda scene: ""), scene, [])
    row_of(fault_that(lambda scene: "", loses=1), scene, [])


@pytest.mark.parametrize(
    ("after", "defect"),
    [({"a": 1}, "1 cells trained, 0 were lacking|cells lost"), ({"a": 1, "b": 2}, "again")],
)
def test_a_walk_in_which_a_cell_is_lost_or_trained_again_is_a_defect(
    tmp_path, monkeypatch, after, defect
):
    walk = soak.Walk(tmp_path / "walk", soak.kind_of_soak())
    walk.log.touch()
    monkeypatch.setattr(walk, "dates", lambda: after)
    soak.check(walk, {"a": 1})
    with pytest.raises(Defect, match=defect):
        soak.check(walk, {"a": 1, "b": 1})


def test_a_walk_strikes_as_its_generator_says():
    first, second = (np.random.default_rng(0).integers(len(soak.KILLS), size=50) for _ in range(2))
    assert (first == second).all()
    assert {whom for whom, _ in soak.KILLS} == {"all", "the launcher", "Snakemake", "a job"}


def test_rows_of_several_calls_are_kept_and_told_apart(tmp_path):
    document = tmp_path / "reliability.md"
    document.write_text(
        "before\n<!-- faults: written by `make faults` -->\n<!-- end of faults -->\nafter\n"
    )
    order = ["a", "b \\| tee", "c"]
    for faults in (["a", "b \\| tee"], ["c"], ["a"]):
        table = Table.read(document)
        call = table.begin()
        for fault in faults:
            table.rows[fault] = (Row(fault, "nothing", f"“by {call}”", "tables equal"), call)
        table.write(order, document)
    table = Table.read(document)
    assert {fault: call for fault, (_, call) in table.rows.items()} == {
        "a": 3, "b \\| tee": 1, "c": 2,
    }  # fmt: skip
    assert len(table.calls) == 3
    table.rows["c"] = (replace(table.rows["c"][0], said="“new”"), 3)
    table.write(order, document)
    assert sorted(Table.read(document).calls) == [1, 2]
    text = document.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")


def test_what_was_said_names_no_place_of_this_machine(tmp_path):
    folder = tmp_path / "scene"
    line = f"12:00:00 {sys.prefix}: {folder}/results/a and {folder}.yaml"
    said = quoted(line, "results", folder=folder)
    assert str(tmp_path) not in said
    assert said.endswith("results/a and config.yaml”")
