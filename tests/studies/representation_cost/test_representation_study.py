"""Section, limits, claims and figures of the study."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import yaml
from assertions import WITHIN
from cost_tables import tiny_tables
from drawn import lines, points, texts

from srhm.names import resolved
from srhm.results.tables import schema_of
from srhm.scorecard.card import scorecard
from srhm.studies.representation_cost import linear as linear_networks
from srhm.studies.representation_cost import paths
from srhm.studies.representation_cost.claims import CLAIMS, SINGULAR_VALUES
from srhm.studies.representation_cost.configuration import RepresentationCostSection, seconds
from srhm.studies.representation_cost.known import MAPS
from srhm.studies.representation_cost.limits import limit_rows
from srhm.studies.representation_cost.readings import two_parts, underestimating
from srhm.studies.representation_cost.study import STUDY
from srhm.study import ConfigError


def invented(
    *, slope=2.0, excess=0.0, linear=1.0, ratio=0.5, growth=1.0
) -> dict[str, pd.DataFrame]:
    """Tables of networks whose norm is L (rank + excess) + slope, with a little scatter."""
    generator = np.random.default_rng(0)
    rows = []
    for name, known in MAPS.items():
        for depth in (3, 6, 9, 25):
            for seed in range(4):
                rank = known.bottleneck_rank + excess + 0.01 * generator.normal()
                rows.append(
                    {
                        "experiment": "maps", "map": name, "L": depth, "seed": seed,
                        "squared_parameters": rank * depth + slope * (name != "square"),
                        "weight_rank": rank, "log_jacobian": 0.1, "structure": ratio * depth,
                        "structure_bound": depth * 1.0, "signal": ratio, "signal_bound": 1.0,
                        "sharpness": depth * (1 + 0.02 * generator.normal()),
                        "loss": 0.01, "variance": 1.0,
                    }
                )  # fmt: skip
    # Fits of too low a rank, by networks that gradient descent would leave.
    for seed in range(4, 7):
        rows.append(
            {
                "experiment": "maps", "map": "rank 3", "L": 9, "seed": seed, "loss": 0.05,
                "squared_parameters": 60.0, "weight_rank": 1.0, "variance": 1.0,
                "sharpness": 9 * (0.5 if growth < 1 else 10.0 + seed),
            }
        )  # fmt: skip
    for depth in (2, 6, 8, 12, 25):
        for seed in range(3):
            cost = sum(depth * s ** (2 / depth) for s in SINGULAR_VALUES[:2])
            rows.append(
                {
                    "experiment": "linear", "L": depth, "rank": 2, "seed": seed,
                    "cost_of_target": cost, "squared_parameters": cost * linear,
                    "cost_of_map": cost * linear, "geodesic_distance": 1e-4,
                }
            )  # fmt: skip
    for rank, n, seed in product((2, 3), (32, 256, 2048), range(3)):
        bound = 2 * (1 - 1 / rank) * growth * np.log(n) + 0.01 * generator.normal()
        rows.append(
            {"experiment": "paths", "rank": rank, "n": n, "seed": seed, "path_bound": bound}
        )
    cells = pd.DataFrame(rows).assign(status="done")
    cells["key"] = [str(place) for place in range(len(cells))]
    # Layer 1 is far from V_1 V_0^T, others are not; of a broken theorem all are.
    layers = pd.DataFrame(
        [
            {
                "key": cell["key"], "k": k, "distance": 3.0 if k == 1 or ratio > 1 else 0.0,
                "n_visible": MAPS[cell["map"]].bottleneck_rank + (ratio > 1),
            }
            for _, cell in cells[cells["experiment"] == "maps"].iterrows()
            for k in range(1, int(cell["L"]) + 1)
            if cell["seed"] < 4
        ]
        + [
            # Layers of a linear network share its norm; a wrong one has more in the first.
            {
                "key": cell["key"], "k": k,
                "squared_parameters": cell["cost_of_target"] / cell["L"] + (k == 1) * (linear - 1),
            }
            for _, cell in cells[cells["experiment"] == "linear"].iterrows()
            for k in range(1, int(cell["L"]) + 1)
        ]
    )  # fmt: skip
    return {"cells": cells, "layers": layers, "limits": pd.DataFrame(limit_rows(cells))}


def verdicts(tables) -> pd.DataFrame:
    """Of tables with all columns of their schemas."""
    whole = {
        name: table.reindex(columns=schema_of(STUDY.schemas[name]).names)
        for name, table in tables.items()
    }
    return scorecard(whole, CLAIMS).set_index("claim")


def test_limits_are_intercept_and_slope_from_the_first_depth_on():
    cells = pd.DataFrame(
        {
            "experiment": "maps", "map": "rank 2", "seed": 0, "status": "done",
            "L": [3, 6, 9, 12], "squared_parameters": [99.0, 15.0, 21.0, 27.0],
            "log_jacobian": 0.5, "weight_rank": 2.0, "loss": 0.01, "variance": 1.0,
            "sharpness": 3.0,
        }
    )  # fmt: skip
    (row,) = limit_rows(cells)
    assert (row["R0"], row["R1"]) == pytest.approx((2, 3))
    assert row["residual"] == pytest.approx(0, abs=1e-9)
    assert limit_rows(cells[cells["L"] < 12]) == []
    assert limit_rows(cells.assign(status="diverged")) == []
    # A network that gradient descent would leave, or that does not fit, is no network of the map.
    for worse in ({"sharpness": [3.0, 3.0, 3.0, 25.0]}, {"loss": [0.01, 0.01, 0.01, 0.2]}):
        assert limit_rows(cells.assign(**worse)) == []


def test_claims_hold_on_networks_that_follow_the_theory():
    found = verdicts(invented())
    for claim in ("R0-rank-1", "R0-rank-2", "R0-rank-3", "R0-square", "R0-circle-conjecture",
                  "R1-square", "linear-target", "weight-rank", "sharpness", "geodesic",
                  "R1-affine", "unstable-ranks", "planar"):  # fmt: skip
        assert found.loc[f"cost-{claim}", "verdict"] in WITHIN, claim


def test_claims_do_not_hold_on_networks_that_do_not():
    found = verdicts(invented(slope=-1.0, excess=0.8, linear=1.05, ratio=1.5, growth=0.8))
    for claim in ("R0-rank-1", "R0-square", "linear-target", "weight-rank", "unstable-ranks",
                  "planar"):  # fmt: skip
        assert found.loc[f"cost-{claim}", "verdict"] == "differs", claim


def test_a_correction_of_matrices_that_is_not_twice_the_logarithm_does_not_hold():
    tables = invented()
    linear = tables["cells"]["experiment"] == "linear"
    tables["cells"].loc[linear, "squared_parameters"] += 0.5
    assert verdicts(tables).loc["cost-R1-affine", "verdict"] == "differs"
    assert SINGULAR_VALUES == linear_networks.SINGULAR_VALUES


def test_a_tree_is_as_long_as_its_shortest_edges():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]])
    assert paths.tree_length(corners) == pytest.approx(1 + 1 + 2)
    row = paths.run({"rank": 2, "n": 50, "seed": 0}).row
    shorter = paths.run({"rank": 2, "n": 40, "seed": 0}).row
    assert row["path_bound"] > shorter["path_bound"]


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


def fits_of_rank_1(*, power: float) -> pd.DataFrame:
    """Networks on the bound: ||J_theta f||^2 = L e^(-c_1) N^power, c_1 = 2."""
    rows = [
        {
            "experiment": experiment, "map": "rank 2", "L": 12, "n": n, "status": "done",
            "squared_parameters": 12 + 2.0, "weight_rank": 1.0, "loss": 0.01, "variance": 1.0,
            "sharpness": 2 / n * 12 * np.exp(-2.0) * n**power * (1 + 0.01 * seed),
        }
        for n, experiment in ((8, "few_points"), (32, "few_points"), (128, "maps"))
        for seed in range(3)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_fits_of_rank_1_are_compared_with_the_bound_on_their_derivative():
    on_bound = underestimating(fits_of_rank_1(power=2))
    np.testing.assert_allclose(on_bound["log_over_bound"], np.log([1, 1.01, 1.02] * 3), atol=1e-9)
    other = fits_of_rank_1(power=2)
    for change in ({"weight_rank": 2.0}, {"weight_rank": 0.0}, {"loss": 0.5}, {"map": "circle"}):
        assert underestimating(other.assign(**change)).empty


def zigzag_tables(*, shallow: float, deep: float, directions: int) -> dict[str, pd.DataFrame]:
    cells = pd.DataFrame(
        [
            {
                "experiment": "zigzag", "L": depth, "seed": seed, "key": f"{depth}-{seed}",
                "tripoints": number, "train_error": 0.0, "status": "done",
            }
            for depth, number in ((3, shallow), (12, deep))
            for seed in range(4)
        ]
    )  # fmt: skip
    layers = pd.DataFrame({"key": cells["key"], "k": cells["L"] // 2, "n_visible": directions})
    return {"cells": cells, "layers": layers}


def test_tripoints_of_a_zigzag_are_those_of_shallow_networks_alone():
    names = [f"cost-zigzag-{word}" for word in ("shallow", "deep", "rank")]
    found = verdicts(zigzag_tables(shallow=2.0, deep=0.0, directions=1))
    assert set(found.loc[names, "verdict"]) <= WITHIN
    found = verdicts(zigzag_tables(shallow=0.0, deep=2.0, directions=2))
    assert set(found.loc[names, "verdict"]) == {"differs"}


def half_tables(*, full: float, other: float, directions: int) -> dict[str, pd.DataFrame]:
    """Networks of 12 layers: u is lost in layer 1, the angle of z from layer 2 on, if it is."""
    cells = pd.DataFrame(
        [
            {
                "experiment": "half", "L": 12, "seed": seed, "key": f"{outputs}-{seed}",
                "outputs": outputs, "loss": 0.01, "variance": 1.0, "status": "done", "curve": "c",
            }
            for outputs in (1, 3)
            for seed in range(4)
        ]
    )  # fmt: skip
    layers = pd.DataFrame(
        [
            {
                "curve": "c", "key": cell["key"], "k": k, "apart_true": 0.01 * (1 + cell["seed"]),
                "apart_full": 1.0 if k == 1 else full if cell["outputs"] == 1 else other,
                "n_visible": directions if cell["outputs"] == 1 else 3,
            }
            for _, cell in cells.iterrows()
            for k in range(1, 13)
        ]
    )  # fmt: skip
    return {"cells": cells, "layers": layers}


def test_one_output_leaves_one_direction_and_three_do_not():
    names = [f"cost-half-{word}" for word in ("full", "three")]
    found = verdicts(half_tables(full=0.01, other=0.8, directions=1))
    assert set(found.loc[[*names, "cost-half-true"], "verdict"]) <= WITHIN
    found = verdicts(half_tables(full=0.8, other=0.2, directions=2))
    assert set(found.loc[names, "verdict"]) == {"differs"}
    far = half_tables(full=0.01, other=0.8, directions=1)
    far["layers"]["apart_true"] += 0.5
    assert verdicts(far).loc["cost-half-true", "verdict"] == "differs"


def test_every_experiment_fills_the_tables():
    tables = tiny_tables()
    assert set(tables["cells"]["experiment"]) == {
        "linear", "maps", "few_points", "paths", "classes", "zigzag", "half", "ball",
        "factorisation", "hierarchy",
    }  # fmt: skip
    for name, path in STUDY.schemas.items():
        if name in tables:
            columns = set(schema_of(path).names)
            own = set(tables[name].columns) | {"source", "versions"}
            assert columns <= own, name
            assert set(tables[name].columns) <= columns, name


@pytest.mark.parametrize("figure", STUDY.figures, ids=lambda figure: figure.name)
def test_figures_show_their_tables_and_say_what_is_missing(figure):
    tables = tiny_tables()
    draw = resolved(figure.function)
    assert "preset invented" in texts(draw(*(tables[n] for n in figure.uses), preset="invented"))
    empty = [schema_of(STUDY.schemas[name]).empty_table().to_pandas() for name in figure.uses]
    assert "not in this preset" in texts(draw(*empty, preset="invented"))


def test_figure_of_depth_shows_every_network():
    tables = tiny_tables()
    cells = tables["cells"]
    draw = resolved(STUDY.figures[0].function)
    limits = pd.DataFrame([{"map": "rank 2", "seed": 0, "R0": 2.0, "R1": 3.0}])
    page = draw(cells, limits, preset="invented")
    own = cells[cells["map"] == "rank 2"]
    own = own[own["experiment"] == "maps"]
    expected = sorted(zip(own["L"], own["squared_parameters"] / own["L"], strict=True))
    np.testing.assert_allclose(sorted(points(page, "norm map=rank 2")), expected)
    assert len(lines(page, "fit map=rank 2")) == 1


def test_section_refuses_what_cannot_be(tmp_path):
    base = {"L": 4, "width": 4, "n": 10, "steps": 5}
    with pytest.raises(ValueError, match="allowed are 0 to 2 on 5 places"):
        RepresentationCostSection(ball={**base, "places": 5, "reach": 3})
    with pytest.raises(ValueError, match="greater than or equal to 3"):
        RepresentationCostSection(classes={**base, "L": 2})
    few = RepresentationCostSection(hierarchy={**base, "m": 1, "levels": 2})
    with pytest.raises(ConfigError, match=r"hierarchy\.n: 10 .*distinct data"):
        STUDY.plan(few, tmp_path)
    impossible = RepresentationCostSection(hierarchy={**base, "m": 100})
    with pytest.raises(ConfigError, match="hierarchy: "):
        STUDY.plan(impossible, tmp_path)


def test_expected_time_grows_with_the_work(tmp_path):
    text = "{maps: {maps: rank 1, L: [4, 8], width: 8, n: 10, steps: 100, seeds: 1}}"
    section = RepresentationCostSection(**yaml.safe_load(text))
    (curve,) = STUDY.plan(section, tmp_path).curves.values()
    small, large = map(seconds, curve.cells)
    assert 0 < small < large
    assert seconds({"experiment": "linear", "L": 3}) > 0


def test_where_no_network_has_too_low_a_rank_the_claim_says_so():
    cells = fits_of_rank_1(power=2).assign(experiment="maps", weight_rank=2.0, sharpness=1.0)
    cells = cells.astype({"map": "str"})
    claim = [one for one in CLAIMS if one.identifier == "cost-unstable-ranks"]
    row = scorecard({"cells": cells}, claim).iloc[0]
    assert row["verdict"] == "inconclusive"
    assert "no network of too low a rank" in row["note"]
