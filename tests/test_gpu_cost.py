"""Hours on a GPU: the rows of a step as counted, and where the rate comes from."""

import json
from pathlib import Path

import numpy as np
import pytest

from srhm.commands import plan as planning
from srhm.model.letters import parameters_of
from srhm.model.sampling import draw_samples
from srhm.networks.geometry import initial_weights
from srhm.training.cell import geometry_of
from srhm.training.cost import Cost
from srhm.training.gpu_cost import NOMINAL, gpu_rate, gpu_seconds, touched_rows
from srhm.training.sparse import SparseEngine

CELL = {
    "net": "cnn",
    "L": 2,
    "s": 2,
    "s0": 1,
    "v": 8,
    "m": 8,
    "n_c": 8,
    "sparsity": "A",
    "width": 64,
    "dtype": "float32",
    "batch": "shuffled",
    "batch_size": 4,
    "n_checks": 0,
    "n_test": 100,
    "engine": "sparse",
}


@pytest.mark.parametrize(
    ("net", "depth", "s0"),
    [("cnn", 2, 1), ("lcn", 2, 2), ("fcn", 2, 1), ("cnn", 3, 1), ("lcn", 3, 0)],
)
def test_rows_of_a_step_are_those_that_the_engine_updates(net: str, depth: int, s0: int) -> None:
    cell = {**CELL, "net": net, "L": depth, "s0": s0}
    shape = geometry_of(cell)
    samples = draw_samples(parameters_of(cell), [0], n_train=500, n_test=100)
    weights = initial_weights(shape, generator=np.random.default_rng(0))
    engine = SparseEngine(
        shape, weights, samples[0, "train"], samples[0, "test"], batch_size=4, rate=1, momentum=0.9
    )
    stream, rows = np.random.default_rng(0), 0
    for _ in range(100):
        engine.steps(stream.integers(500, size=4))
        rows += int((engine._state.stamps == engine._steps).sum())
    assert rows / 100 == pytest.approx(touched_rows(shape, 4), rel=0.15)


def test_without_a_benchmark_the_bandwidth_bounds(tmp_path: Path) -> None:
    rate = gpu_rate(tmp_path / "gpu.json")
    assert "a bound" in rate.origin
    steps = 1e6
    found = gpu_seconds([CELL], [Cost(steps, 0, 0, 0)], rate)
    bytes_a_step = 6 * 4 * 64 * touched_rows(geometry_of(CELL), 4)
    assert found == pytest.approx(steps * bytes_a_step / NOMINAL, rel=1e-4)


def test_a_benchmark_gives_the_rate_of_its_nearest_width(tmp_path: Path) -> None:
    path = tmp_path / "gpu.json"
    rows = [
        {"H": 128, "packed": {"1": [1.0], "9": [9.0, 10.0, 11.0]}, "bytes_a_step": 3.0},
        {"H": 512, "packed": {"1": [2.0]}, "bytes_a_step": 100.0},
    ]
    path.write_text(json.dumps({"machine": {"device": "a card"}, "rows": rows}))
    rate = gpu_rate(path)
    assert (rate.bytes_a_second(64), rate.bytes_a_second(512)) == (30.0, 200.0)
    assert "a card" in rate.origin


def test_cells_of_other_engines_take_no_gpu(tmp_path: Path) -> None:
    rate = gpu_rate(tmp_path / "gpu.json")
    assert gpu_seconds([{**CELL, "engine": "reference"}], [Cost(1e6, 0, 0, 0)], rate) == 0


def test_planning_names_gpu_hours_where_it_is_asked_for_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    configuration = str(Path("config/test.yaml").absolute())
    monkeypatch.chdir(tmp_path)
    options = ["--configfile", configuration, "--directory", str(tmp_path)]
    assert planning.main(options) == 0
    assert "GPU" not in capsys.readouterr().out
    assert planning.main([*options, "--device", "cuda"]) == 0
    assert "GPU-hours; from the bandwidth of an H100" in capsys.readouterr().out
