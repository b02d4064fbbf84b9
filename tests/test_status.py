"""How far a study is: counted in the store, without a lock."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from invented_images import SECTION, write_cifar

from srhm import preset
from srhm.commands.presets import Run
from srhm.commands.status import main, table
from srhm.commands.watching import WINDOW, Watch
from srhm.model.seeding import generator
from srhm.results import places
from srhm.results.outdated import row_of
from srhm.results.store import StoredCell, path_of, write_cell
from srhm.runtime.stopping import NO_STEP
from srhm.training.checkpoints import write_checkpoint
from srhm.training.protocol import Snapshot

CONFIG = {
    "preset": "tiny",
    "sparse_hierarchy": {
        "seeds": 2,
        "width": 6,
        "n_test": 60,
        "curves": [{"net": ["lcn", "cnn"], "L": 2, "v": 3, "s0": 1, "P": [30, 60]}],
    },
}
NOW = 1_000_000_000.0


@pytest.fixture
def cells():
    """Expected seconds of eight cells by key; the first four are LCN."""
    return Run(preset.plan_preset(CONFIG)).work


def store_cell(folder, key, *, status="fitted", written=NOW):
    path = write_cell(folder, key, StoredCell({}, {"status": status}, {}, {}))
    os.utime(path, (written, written))


def test_cells_are_counted_by_kind_and_status(cells, tmp_path):
    lcn, cnn = list(cells)[:4], list(cells)[4:]
    store = tmp_path / "results" / "cells"
    store_cell(store, lcn[0])
    store_cell(store, lcn[1], status="capped")
    store_cell(store, cnn[0], status="diverged")
    path_of(store, cnn[1]).parent.mkdir(exist_ok=True)
    path_of(store, cnn[1]).write_bytes(b"no cell")
    write_checkpoint(tmp_path / "results" / "checkpoints", lcn[2], Snapshot({}, {}))
    store_cell(store, "0" * 24)  # of no plan
    watch = Watch(cells, store)
    found = table(Run(preset.plan_preset(CONFIG), tmp_path), watch).set_index("net")
    columns = ["cells", "done", "missing", "checkpointed", "capped", "diverged"]
    columns += ["damaged", "unreadable"]
    assert found.loc["lcn", columns].tolist() == [4, 2, 2, 1, 1, 0, 0, 0]
    assert found.loc["cnn", columns].tolist() == [4, 1, 2, 0, 0, 1, 1, 0]


def test_cells_that_cannot_be_read_now_are_neither_done_nor_missing(cells, tmp_path, monkeypatch):
    first, second, third, *_ = list(cells)
    run = Run(preset.plan_preset(CONFIG), tmp_path)
    store = tmp_path / "results" / "cells"
    for key in (first, second, third):
        store_cell(store, key)
    read, listed = Path.open, os.scandir

    def denied(path):
        raise PermissionError(13, "Permission denied", str(path))

    def opened(path, *arguments, **options):  # of another user, mode 600
        return denied(path) if path.stem == first else read(path, *arguments, **options)

    def looked_into(path):  # mode 700
        return denied(path) if Path(path).name == second[:2] else listed(path)

    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setattr(os, "scandir", looked_into)
    watch = Watch(cells, store)
    assert set(watch.unreadable()) >= {first, second}
    counted = table(run, watch)[["done", "missing", "damaged", "unreadable"]].sum()
    assert counted.tolist() == [1, 5, 0, 2]


def test_networks_on_images_are_counted_in_their_own_store(tmp_path, capsys):
    config, path = {**CONFIG, "images": SECTION}, tmp_path / "tiny.yaml"
    path.write_text(yaml.safe_dump(config))
    arguments = ["--configfile", str(path), "--directory", str(tmp_path)]
    assert main(arguments) == 0
    assert "images is not counted" in capsys.readouterr().out
    write_cifar(tmp_path / "invented", records_per_file=20, generator=generator(0, role="train"))
    planned = preset.plan_preset(config, directory=tmp_path).studies["images"]
    (curve,) = planned.curves.values()
    first, second = (entry["key"] for entry in curve.entries)
    store_cell(tmp_path / places.store_of(curve.trainer), first, status="capped")
    folder = tmp_path / places.checkpoints_of(curve.trainer)
    write_checkpoint(folder, second, Snapshot({}, {}))
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    (line,) = [line.split() for line in printed.splitlines() if "vgg11_bn" in line]
    # study, net, L, s, width; cells, done, missing, checkpointed, capped, diverged, damaged, ...
    assert line == ["images", "vgg11_bn", "-", "-", "4", "2", "1", "1", "1", "1", "0", "0", "0"]
    assert "images: 1 of 2 cells" in printed
    assert "sparse_hierarchy: 0 of 8 cells" in printed
    assert "not counted" not in printed


def test_the_rate_is_that_of_the_last_minutes_and_the_rest_takes_as_long(cells, tmp_path):
    keys = list(cells)
    store_cell(tmp_path, keys[0], written=NOW - WINDOW - 1)
    store_cell(tmp_path, keys[1], written=NOW - 310)
    store_cell(tmp_path, keys[2], written=NOW - 10)
    progress = Watch(cells, tmp_path).progress(now=NOW)
    assert (progress.done, progress.cells, progress.recent_cells) == (3, 8, 2)
    assert progress.recent_work == cells[keys[2]]  # in the 300 s since the one before
    expected = progress.work_left * 300 / cells[keys[2]] - 10
    assert progress.left() == in_words(expected)
    assert "3 of 8 cells, 0.2 cells/min" in progress.line()
    percent = 100 * sum(cells[key] for key in keys[:3]) / sum(cells.values())
    assert progress.short().startswith(f"{percent:.0f} %, ")


def test_the_time_left_falls_while_a_long_cell_trains(cells, tmp_path):
    keys = list(cells)
    for key, written in zip(keys[:3], (NOW - 300, NOW - 200, NOW - 100), strict=True):
        store_cell(tmp_path, key, written=written)
    watch = Watch(cells, tmp_path)
    at_arrival = watch.progress(now=NOW - 100)
    whole = at_arrival.work_left * 200 / at_arrival.recent_work
    assert at_arrival.left() == in_words(whole)
    assert watch.progress(now=NOW - 50).left() == in_words(whole - 50)
    assert watch.progress(now=NOW + 150).left() == in_words(max(whole - 250, 0.1 * whole))


def in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def test_a_cell_from_the_future_counts_as_new(cells, tmp_path):
    store_cell(tmp_path, next(iter(cells)), written=NOW + 10_000)
    assert Watch(cells, tmp_path).progress(now=NOW).recent_cells == 1


def test_without_new_cells_no_time_is_promised(cells, tmp_path):
    assert Watch(cells, tmp_path).progress(now=NOW).line().endswith("none in the last 10 min")


def test_a_finished_study_says_so(cells, tmp_path):
    for key in cells:
        store_cell(tmp_path, key)
    assert Watch(cells, tmp_path).progress(now=NOW).line() == "8 of 8 cells, all trained"


def test_a_file_that_is_no_cell_has_an_empty_row(tmp_path):
    (tmp_path / "cell").write_text("text")
    assert row_of(tmp_path / "cell") == {}
    assert row_of(tmp_path / "absent") == {}


def test_status_is_printed_for_a_configuration_and_an_unknown_one_is_refused(
    cells, tmp_path, capsys
):
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(CONFIG))
    store_cell(tmp_path / "results" / "cells", next(iter(cells)), written=time.time())
    (tmp_path / "results" / ".lock").write_text("preset tiny, process 1 on host")
    log = tmp_path / "results" / "tiny" / "logs" / "train_hierarchy" / "lcn.log"
    log.parent.mkdir(parents=True)
    log.write_text(f"12:00 lcn: {NO_STEP} 10 minutes\n")
    assert main(["--configfile", str(tmp_path / "tiny.yaml"), "--directory", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "1 of 8 cells" in printed
    assert "process 1 on host" in printed
    assert "12:00 lcn: no step for 10 minutes" in printed
    assert main(["--preset", "absent"]) == 2
    for refused in ("preset: tiny\n", "preset: [\n"):
        (tmp_path / "tiny.yaml").write_text(refused)
        assert main(["--configfile", str(tmp_path / "tiny.yaml")]) == 2


PRINTS = """
from srhm.commands.printing import printing
exit(printing(lambda: print("\\N{GREEK SMALL LETTER ALPHA}") or 0))
"""


def test_a_reader_that_is_gone_and_a_terminal_without_greek_disturb_no_command():
    for reads in (True, False):
        command = [sys.executable, "-c", PRINTS]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        ) as process:
            if not reads:
                process.stdout.close()
            said = process.stderr.read()
        assert (process.returncode, said) == (0, b"")


GOES_ON = """
import sys
from contextlib import redirect_stdout
from srhm.commands.printing import outlasting
with redirect_stdout(outlasting(sys.stdout)):
    for i in range(3):
        print(i, flush=True)
print("done", file=sys.stderr)
"""


def test_a_run_goes_on_without_a_reader() -> None:
    command = [sys.executable, "-c", GOES_ON]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read().split() == [b"done"]
    assert process.returncode == 0
