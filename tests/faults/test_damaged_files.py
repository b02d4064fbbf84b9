"""Faults of stored files: lost, cut, altered, exchanged, dated wrongly, of other code."""

import os
import random
import shutil
import time

import pandas as pd
import pytest
from disturbed import (
    BY_FLOW,
    HIERARCHIES,
    MEASURED,
    REPOSITORY,
    TRAINED,
    Undisturbed,
    assert_said,
    truncated,
    with_P,
)

from srhm.store.cells import path_of

NOT_STORED = "not in the store"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return Undisturbed(tmp_path_factory.mktemp("damaged"))


def bit_flipped(path):
    """One bit near the end of a file is another, as on a failing disk, without a new date."""
    data, dates = bytearray(path.read_bytes()), path.stat()
    data[-len(data) // 4] ^= 4
    path.write_bytes(data)
    os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))


def exchanged(one, other):
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


@pytest.mark.parametrize("kind", [TRAINED, BY_FLOW], ids=["trained", "by flow"])
def test_a_folder_in_place_of_a_cell_is_named_and_once_removed_the_cell_is_trained(
    undisturbed, kind
):
    with undisturbed.scene(kind) as scene:
        scene.cell(0).unlink()
        scene.cell(0).mkdir()
        code, text = scene.run()
        assert code != 0
        assert_said(text, "a folder is in place of this file: remove it", traceback=True)
        scene.cell(0).rmdir()
        undisturbed.is_finished_by(scene, trains=1)


@pytest.mark.parametrize("kind", [TRAINED, BY_FLOW], ids=["trained", "by flow"])
def test_damaged_cells_are_trained_again_where_more_are_asked_for(undisturbed, kind):
    with undisturbed.scene(kind, of="fewer") as scene:
        cut, altered, foreign, empty, other = [
            path_of(scene.cell(0).parents[1], key) for key in scene.whole()
        ][:5]
        truncated(cut)
        bit_flipped(altered)
        shutil.copy(other, foreign)
        empty.write_bytes(b"")
        undisturbed.is_finished_by(
            scene,
            says=[f"trained again: .*{why}" for why in ("holds no cell", "checksum", "holds the")],
        )


@pytest.mark.parametrize(
    ("damage", "why", "trains"),
    [
        (lambda scene: exchanged(scene.cell(0), scene.cell(1)), "holds the cell.*run again", 2),
        (lambda scene: bit_flipped(scene.cell(0)), "checksum.*run again", 1),
    ],
    ids=["exchanged", "altered"],
)
def test_damaged_weights_are_not_measured(undisturbed, damage, why, trains):
    with undisturbed.scene(MEASURED) as scene:
        damage(scene)
        for file in scene.files("**/*.parquet"):
            if "sensitivities" in str(file.relative_to(scene.folder)):
                file.unlink()
        code, text = scene.run()
        assert code != 0
        assert_said(text, why, traceback=True)
        undisturbed.is_finished_by(scene, trains=trains)


def test_partial_files_of_killed_processes_are_no_cells(undisturbed):
    with undisturbed.scene() as scene:
        for file in (scene.cell(0), scene.files("curves/*.parquet")[0]):
            part = file.with_name(f".{file.name}.123.part")
            shutil.copy(file, part)
            truncated(part)
        scene.cell(0).unlink()
        undisturbed.is_finished_by(scene, trains=1, says=[NOT_STORED])


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        (MEASURED, "derivations/*.parquet"),
        (MEASURED, "curves/lcn*[0-9a-f].parquet"),
        (MEASURED, "measured/sensitivities/*/sensitivities/*.parquet"),
        (MEASURED, "faults/tables/sparse_hierarchy/cells.parquet"),
        (BY_FLOW, "plane/curves/*[0-9a-f].parquet"),
    ],
    ids=["sample", "curve", "measurements", "table", "curve by flow"],
)
def test_a_damaged_table_is_named_and_once_deleted_made_again(undisturbed, kind, pattern):
    with undisturbed.scene(kind) as scene:
        truncated(scene.files(pattern)[0])
        code, text = scene.run()
        assert code != 0
        assert_said(text, "is damaged", traceback=True)
        scene.files(pattern)[0].unlink()
        # No table needs the sample again: nothing is done, and the log of the failure would stay.
        (scene.folder / "results" / "run.log").unlink()
        undisturbed.is_finished_by(scene, trains=0)


def test_a_figure_of_no_bytes_is_made_again(undisturbed):
    with undisturbed.scene(MEASURED) as scene:
        figure = scene.folder / "results/faults/figures/fig04.pdf"
        for _ in range(2):
            code, text = scene.run(str(figure.relative_to(scene.folder)))
            assert code == 0, text
            assert figure.stat().st_size
            figure.write_bytes(b"")
        assert_said(text, "is empty: it is made again")


def without_records(scene):
    shutil.rmtree(scene.folder / ".snakemake")
    for name in (".lock", "run.log"):
        (scene.folder / "results" / name).unlink()


def dated_anew(scene):
    """As by a copy that keeps no dates."""
    files = [file for file in scene.files("**/*") if file.is_file()]
    random.Random(0).shuffle(files)
    now = time.time()
    for place, file in enumerate(files):
        os.utime(file, (now - 2 * len(files) + place,) * 2)


@pytest.mark.parametrize("change", [without_records, dated_anew])
def test_records_and_dates_of_files_do_not_count(undisturbed, change):
    with undisturbed.scene() as scene:
        change(scene)
        undisturbed.is_finished_by(scene, trains=0)


def test_files_of_tomorrow_are_dated_now(undisturbed):
    with undisturbed.scene(of="fewer") as scene:
        ahead = time.time() + 86_400
        for file in scene.files("**/*"):
            os.utime(file, (ahead, ahead))
        undisturbed.is_finished_by(scene, says=["dated in the future"])


def test_cells_of_older_code_stay_beside_those_of_now(undisturbed, tmp_path):
    older = tmp_path / "older"
    names = ("src", "rules", "scripts", "profiles", "config", "envs", "docs", "reference")
    for name in names:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, older / name, ignore=ignored)
    for name in ("Snakefile", "CITATION.cff", ".gitignore"):
        shutil.copy(REPOSITORY / name, older)
    code = older / "src" / "srhm" / "training" / "protocol.py"
    text = code.read_text(encoding="utf-8")
    changed = text.replace("if error < at.best:", "if error <= at.best:")
    assert changed != text
    code.write_text(changed, encoding="utf-8")
    with undisturbed.scene(of="none") as scene:
        fewer = with_P(HIERARCHIES, [60])
        scene.configure(fewer)
        code, text = scene.run(environment={"PYTHONPATH": str(older / "src")}, cwd=older)
        assert code == 0, text
        assert len(list(scene.cell(0).parents[1].glob("*/*.safetensors"))) == 4
        scene.configure(HIERARCHIES)
        assert not scene.whole()
        undisturbed.is_finished_by(scene)


def test_a_diverged_cell_is_a_result_and_not_trained_again(undisturbed):
    with undisturbed.scene(of="none") as scene:
        (curves,) = HIERARCHIES["curves"]
        wild = {**curves, "net": "cnn", "training": {"learning_rate": 10.0}}
        scene.configure({**HIERARCHIES, "curves": [{**curves, "net": "lcn"}, wild]})
        code, text = scene.run()
        assert code == 0
        assert_said(text, "diverged after")
        cells = pd.concat(scene.tables())
        diverged = cells["status"] == "diverged"
        assert diverged.any()
        assert cells.loc[diverged, "test_error"].isna().all()
        stored = scene.whole()
        assert scene.run()[0] == 0
        assert scene.whole() == stored


def more(scene):
    """More cells are asked for, and Snakemake's --touch is given before they are trained."""
    scene.run(*scene.kind.words, "--touch")


def dry(scene):
    scene.cell(0).unlink()
    assert_said(scene.run(*scene.kind.words, "-n")[1], "a dry run: nothing was made")


def others_first(scene):
    """One curve cannot be stored: the other is trained all the same."""
    for file in (scene.cell(0), scene.cell(6)):
        file.unlink()
    scene.cell(0).mkdir()
    code, text = scene.run(*scene.kind.words, "--keep-going")
    assert code
    assert scene.cell(6).is_file(), text
    scene.cell(0).rmdir()


def two_of_one_name(scene):
    """A file of other numbers with the same preset name, and then the first again."""
    scene.run()  # notes whose results these are
    file, scene.file = scene.file, scene.file.with_name("other.yaml")
    scene.configure(with_P(HIERARCHIES, [60]))
    assert_said(scene.run()[1], "were made of .*replace them")
    scene.file = file
    scene.configure(HIERARCHIES)


@pytest.mark.parametrize(
    ("words", "of"),
    [(more, "fewer"), (dry, "all"), (others_first, "all"), (two_of_one_name, "all")],
)
def test_words_for_snakemake_lose_no_cell(undisturbed, words, of):
    with undisturbed.scene(of=of) as scene:
        words(scene)
        undisturbed.is_finished_by(scene)


def test_all_jobs_again_train_no_stored_cell(undisturbed):
    with undisturbed.scene() as scene:
        scene.cell(0).unlink()
        words = (*scene.kind.words, "--forceall")
        undisturbed.is_finished_by(scene, trains=1, arguments=words)
