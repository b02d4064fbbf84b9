"""Lazy and feature learning as its users run it: `make plane` on small curves, twice, changed."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from scheduled_runs import Run

from srhm.results.tables import SCHEMAS

ROOT = Path(__file__).resolve().parents[1]
SMALL = {"L": 2, "v": 3, "s0": 1, "width": 4, "seeds": 1}
PLANE = {
    "n_test": 60,
    "curves": [
        {
            **SMALL,
            **{"study": "complexity", "net": "cnn", "P": [16, 32], "alpha_tilde": [0.1, 100]},
            **{"optimiser": {"max_evaluations": 40}},
            **{"measure": ["kernels", "singular_values", "sensitivities", "frozen_kernels"]},
        },
        {
            **{"study": "jamming", "data": "random", "net": "fcn", "d": 4, "hidden_layers": 2},
            **{"width": 3, "P": [20], "alpha": 1, "seeds": 2, "labels": "parity", "bias": True},
            **{"loss": "quadratic_hinge", "subtract_initial": False, "measure": ["hessians"]},
            **{"optimiser": {"name": "adam", "max_evaluations": 40}},
        },
    ],
    "first_step": [{"net": "lcn", "L": 2, "v": 3, "s0": 0, "P": [10], "seeds": 1}],
}
FIGURES = sorted(path.stem for path in (ROOT / "docs" / "captions").glob("plane_*.rst"))

pytestmark = pytest.mark.xdist_group("plane workflow")


def config_with(plane, path):
    values = yaml.safe_load((ROOT / "config" / "test.yaml").read_text())
    path.write_text(yaml.safe_dump({**values, "plane": plane}))
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run and its configuration."""
    folder = tmp_path_factory.mktemp("plane")
    config = config_with(PLANE, folder / "small.yaml")
    return Run(folder / "run", config, "--plane", "--cores", "2").run(), config


def stored(run):
    """Times at which the cells were written, by file."""
    cells = (run.folder / "results" / "plane" / "cells").glob("*/*.safetensors")
    return {path.name: path.stat().st_mtime_ns for path in cells}


def test_figures_tables_scorecard_and_page_are_made(finished):
    made = finished[0].folder / "results" / "test"
    assert len(FIGURES) == 14
    for name in FIGURES:
        assert (made / "figures" / f"{name}.pdf").stat().st_size > 1000
        assert (made / "figures" / f"{name}.png").stat().st_size > 1000
    tables = {name: pd.read_parquet(made / "tables" / f"{name}.parquet") for name in SCHEMAS}
    # 2 P x 2 alpha_tilde, and 2 networks on random data.
    assert len(tables["plane_cells"]) == len(tables["plane_timings"]) == 6
    assert set(tables["plane_sensitivities"]["key"]) == set(tables["plane_kernels"]["key"])
    assert len(set(tables["plane_hessians"]["key"])) == 2
    page = (made / "plane.html").read_text()
    assert all(f'id="{name}"' in page for name in FIGURES)
    assert "Missing from this report" not in page
    assert "statements" in page
    assert (made / "plane_scorecard.md").read_text().count("`plane-") > 10


def test_nothing_of_the_paper_is_trained(finished):
    results = finished[0].folder / "results"
    assert not (results / "curves").exists()
    assert not (results / "test" / "report.html").exists()


def test_a_second_run_has_nothing_to_do(finished):
    run, _ = finished
    before = stored(run)
    run.printed.write_text("")
    run.run()
    assert "Nothing to be done" in run.printed.read_text()
    assert stored(run) == before


def test_a_lost_cell_is_trained_again_and_no_other(finished):
    run, _ = finished
    before = stored(run)
    lost = sorted(before)[0]
    (run.folder / "results" / "plane" / "cells" / lost[:2] / lost).unlink()
    run.printed.write_text("")
    run.run("--until", "train_plane")
    assert "not in the store any more: 1 cells" in run.printed.read_text()
    after = stored(run)
    assert [name for name in after if after[name] != before[name]] == [lost]


def test_a_further_alpha_tilde_trains_its_own_cells_only(finished):
    run, config = finished
    before = stored(run)
    more = [{**PLANE["curves"][0], "alpha_tilde": [0.1, 1, 100]}, PLANE["curves"][1]]
    config_with({**PLANE, "curves": more}, config)
    run.run("--until", "train_plane")
    after = stored(run)
    assert {name: after[name] for name in before} == before
    assert len(after) - len(before) == 2
