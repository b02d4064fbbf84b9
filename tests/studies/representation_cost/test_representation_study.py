"""Limits and parts of the study; tiny tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from srhm.declare.names import resolved
from srhm.store.tables import schema_of
from srhm_studies.beyond.representation_cost import STUDY
from srhm_studies.beyond.representation_cost import linear as linear_networks
from srhm_studies.beyond.representation_cost.analysis import LIMITS, limit_rows, two_parts
from srhm_studies.beyond.representation_cost.configuration import SINGULAR_VALUES


def test_limits_are_intercept_and_slope_from_the_first_depth_on():
    cells = pd.DataFrame({
        "experiment": "maps", "map": "rank 2", "seed": 0, "status": "done",
        "L": [3, 6, 9, 12], "squared_parameters": [99.0, 15.0, 21.0, 27.0],
        "loss": 0.01, "variance": 1.0, "sharpness": 3.0,
    })  # fmt: skip
    (row,) = limit_rows(cells)
    assert (row["R0"], row["R1"]) == pytest.approx((2, 3))

    assert limit_rows(cells[cells["L"] < 12]) == []
    assert limit_rows(cells.assign(status="diverged")) == []
    # A network that gradient descent would leave, or that does not fit, is no network of the map.
    for worse in ({"sharpness": [3.0, 3.0, 3.0, 25.0]}, {"loss": [0.01, 0.01, 0.01, 0.2]}):
        assert limit_rows(cells.assign(**worse)) == []


def test_parts_of_a_linear_network_cost_what_their_own_matrices_do():
    """The matrices of both parts by powers and a pseudo-inverse, and R by their singular values."""
    depth, matrix = 5, linear_networks.random_matrix(2, 4, generator=np.random.default_rng(3))
    cost = linear_networks.representation_cost(np.array(SINGULAR_VALUES[:2]), depth=depth)
    cells = pd.DataFrame([{"key": "a", "L": depth, "rank": 2}])
    layers = pd.DataFrame(
        {"key": "a", "k": range(1, depth + 1), "squared_parameters": cost / depth}
    )
    found = two_parts(layers, cells).set_index("k")
    assert list(found.index) == [1, 2, 3, 4]
    _, values, right = np.linalg.svd(matrix)
    for k in found.index:
        root = (right.T * np.where(values > 1e-9, values, 0) ** (k / depth)) @ right
        rest = matrix @ np.linalg.pinv(root, rcond=1e-9)
        np.testing.assert_allclose(rest @ root, matrix, atol=1e-9)
        for name, part, own_depth in (("below", root, k), ("above", rest, depth - k)):
            of_part = np.linalg.svd(part, compute_uv=False)
            known = linear_networks.representation_cost(of_part, depth=own_depth)
            assert found.loc[k, f"cost_{name}"] == pytest.approx(known)
            assert found.loc[k, f"norm_{name}"] == pytest.approx(known)


def test_every_experiment_fills_the_tables():
    """Tables of tiny networks of config/test.yaml, as the workflow gathers them."""
    path = Path(__file__).parents[3] / "config" / "test.yaml"
    section = STUDY.config(**yaml.safe_load(path.read_text())["representation_cost"])
    tables = {name: [] for name in ("cells", "layers", "values", "regions", "components")}
    for curve in STUDY.plan(section, path.parent).curves.values():
        for entry in curve.entries:
            outcome = resolved(curve.inputs["experiment"])(entry["cell"])
            names = {"curve": curve.name, "key": entry["key"]}
            row = {**names, **entry["cell"], "status": "done", **outcome.row}
            tables["cells"].append(pd.DataFrame([row]))
            for name, columns in outcome.tables.items():
                tables[name].append(pd.DataFrame(columns).assign(**names))
    tables = {name: pd.concat(parts, ignore_index=True) for name, parts in tables.items()}
    assert set(tables["cells"]["experiment"]) == {
        "linear", "maps", "few_points", "paths", "classes", "zigzag", "half", "ball",
        "factorisation", "hierarchy",
    }  # fmt: skip
    for name, table in tables.items():
        columns = set(schema_of(STUDY.schemas[name]).names)
        assert columns <= {*table, "source", "versions"}, name
        assert set(table) <= columns, name
    # No limits in so short trainings: hardly a network of them is stable.
    assert set().union(*limit_rows(tables["cells"])) <= set(LIMITS.names)
