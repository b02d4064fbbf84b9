"""How far a study is: counted in the store, without a lock."""

import os
import time
from pathlib import Path

import pytest
import yaml

from srhm.commands.command import main
from srhm.commands.presets import Run
from srhm.commands.status import table
from srhm.commands.watching import Watch
from srhm.jobs.stopping import NO_STEP
from srhm.planning import preset
from srhm.store.cells import StoredCell, path_of, write_cell
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
    return Watch(Run(preset.plan_preset(CONFIG))).work


def store_cell(folder, key, *, status="fitted", written=NOW):
    path = write_cell(folder, key, StoredCell({}, {"status": status}, {}, {}))
    os.utime(path, (written, written))


def test_cells_are_counted_by_kind_and_status(cells, tmp_path):
    lcn, cnn = list(cells)[:4], list(cells)[4:]
    store = tmp_path / "results/cells"
    store_cell(store, lcn[0])
    store_cell(store, lcn[1], status="capped")
    store_cell(store, cnn[0], status="diverged")
    path_of(store, cnn[1]).parent.mkdir(exist_ok=True)
    path_of(store, cnn[1]).write_bytes(b"no cell")
    write_checkpoint(tmp_path / "results" / "checkpoints", lcn[2], Snapshot({}, {}))
    store_cell(store, "0" * 24)  # of no plan
    run = Run(preset.plan_preset(CONFIG), tmp_path)
    found = table(run, Watch(run)).set_index("net")
    columns = ["cells", "done", "missing", "checkpointed", "capped", "diverged", "damaged"]
    assert found.loc["lcn", columns].tolist() == [4, 2, 2, 1, 1, 0, 0]
    assert found.loc["cnn", columns].tolist() == [4, 1, 2, 0, 0, 1, 1]


def test_status_is_printed_for_a_configuration_and_an_unknown_one_is_refused(
    cells, tmp_path, capsys
):
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(CONFIG))
    store_cell(tmp_path / "results/cells", next(iter(cells)), written=time.time())
    (tmp_path / "results" / ".lock").write_text("preset tiny, process 1 on host")
    log = tmp_path / "results" / "tiny" / "logs" / "train_hierarchy" / "lcn.log"
    log.parent.mkdir(parents=True)
    log.write_text(f"12:00 lcn: {NO_STEP} 10 minutes\n")
    assert (
        main(["status", "--configfile", str(tmp_path / "tiny.yaml"), "--directory", str(tmp_path)])
        == 0
    )
    printed = capsys.readouterr().out
    assert "1 of 8 cells" in printed
    assert "process 1 on host" in printed
    assert "12:00 lcn: no step for 10 minutes" in printed
    assert main(["status", "--preset", "absent"]) == 2
    for refused in ("preset: tiny\n", "preset: [\n"):
        (tmp_path / "tiny.yaml").write_text(refused)
        assert main(["status", "--configfile", str(tmp_path / "tiny.yaml")]) == 2


def test_cells_that_cannot_be_read_now_are_neither_done_nor_missing(cells, tmp_path, monkeypatch):
    first, second, third, *_ = list(cells)
    run = Run(preset.plan_preset(CONFIG), tmp_path)
    store = tmp_path / "results/cells"
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
    watch = Watch(run)
    said = " ".join(map(str, watch.unreadable()))
    assert first in said
    assert second[:2] in said
    assert table(run, watch)[["done", "damaged"]].sum().tolist() == [1, 0]
