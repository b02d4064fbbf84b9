"""Section, claims and figures of the study on invented cells; what it does without e3nn."""

from math import inf

import numpy as np
import pandas as pd
import pytest
import yaml
from assertions import WITHIN
from drawn import points, texts
from pydantic import ValidationError

from srhm import preset
from srhm.commands.presets import CONFIG
from srhm.scorecard.card import scorecard
from srhm.studies.equivariance import configuration
from srhm.studies.equivariance.changes import on_digits
from srhm.studies.equivariance.claims import CLAIMS
from srhm.studies.equivariance.configuration import EquivarianceSection, seconds
from srhm.studies.equivariance.figures import accuracy, error, kernels, layers
from srhm.studies.equivariance.study import STUDY
from srhm.studies.equivariance.tables import BASIS, CELLS
from srhm.studies.equivariance.tables import BLOCKS as BLOCKS_TABLE
from srhm.studies.equivariance.tables import LAYERS as LAYERS_TABLE
from srhm.study import ConfigError, Curve, Planned

LAYERS = {"n": 13, "first": 0.25, "width": 0.25, "steps": 100}
SECTION = {
    "tetris": [
        {"n": 13, "width": 0.25, "steps": 100, "seeds": 3},
        {"net": "plain", "low_pass": True, "n": 13, "width": 0.1, "steps": 100, "seeds": 3},
    ],
    "layers": [
        {**LAYERS, "low_pass": [False, True]},
        {**LAYERS, "blur": 0.87, "place": ["before", "behind"]},
        {**LAYERS, "first": 1}, {**LAYERS, "bias": True}, {**LAYERS, "train": "R"},
        {**LAYERS, "padding": 4}, {**LAYERS, "steps": 0},
        {**LAYERS, "blur": 0.87, "place": "behind", "bias": True, "train": "R"},
    ],
    "voxels": [
        {"act": ["gate", "components"], "n": [13, 17], "width": 0.25},
        {"act": ["gate", "norm"], "n": 17, "depth": [1, 2], "width": 0.25},
        {"act": "gate", "n": 9, "width": 1, "low_pass": True, "turns": "random"},
        {"net": "plain", "act": "components", "n": 9, "width": 1, "low_pass": True,
         "turns": "random"},
    ],
    "sphere": [
        {"act": ["none", "relu"], "band": [3, 6], "depth": [1, 3]},
        {"act": ["relu", "square"], "band": 3, "oversampling": [1.5, 2], "depth": 1},
    ],
    "digits": [{"epochs": 3, "learning_rate": 0.01, "seeds": 3}],
}  # fmt: skip
DIGITS = {
    ("planar", "NR"): (0.98, 0.11), ("planar", "R"): (0.15, 0.23),
    ("spherical", "NR"): (0.96, 0.94), ("spherical", "R"): (0.95, 0.95),
}  # fmt: skip
TETRIS = {("steerable", True): 0.99, ("plain", True): 0.27, ("steerable", False): 0.36,
          ("plain", False): 0.24}  # fmt: skip


@pytest.fixture(autouse=True)
def _with_e3nn(monkeypatch):
    """What is planned is the same with and without it."""
    monkeypatch.setattr(configuration, "find_spec", lambda name: object())


def planned():
    return STUDY.plan(EquivarianceSection.model_validate(SECTION), None).curves.values()


def result(cell, seed):
    """Results of a cell as the thesis has them."""
    noise = 1 + 0.01 * seed
    if cell["experiment"] == "tetris":
        size = {"parameters": round(6_000_000 * cell["width"] ** 2)}
        return size | {"accuracy": TETRIS[cell["net"], cell["low_pass"]] * (2 - noise)}
    if cell["experiment"] == "layers":
        return {"accuracy": accuracy_of(cell) * (2 - noise), "parameters": 2745}
    if cell["experiment"] == "voxels":
        whole = 40_000 if cell["net"] == "steerable" else 6_100_000
        size = {"parameters": round(whole * cell["width"] ** 2)}
        if cell["turns"] == "cube" and cell["act"] != "components":
            return size | {"error": 1e-7 * noise}
        factor = (5 if cell["act"] == "components" else 1) * (1 if cell["low_pass"] else 3)
        return size | {"error": factor / cell["n"] ** 2 * noise}
    if cell["experiment"] == "sphere":
        if cell["act"] == "none":
            return {"error": 1e-7 * cell["depth"] * cell["band"] * noise}
        if cell["act"] == "square" and cell["oversampling"] >= 1.5:
            return {"error": 1e-5 * noise}
        return {"error": 0.2 * cell["oversampling"] ** -2 * noise}
    if cell["experiment"] == "digits":
        straight, turned = DIGITS[cell["net"], cell["train"]]
        return {"accuracy_NR": straight * (2 - noise), "accuracy_R": turned * (2 - noise)}
    return {}


def accuracy_of(cell):
    """As the predictions say: a narrow filter lowers it, all else raises it, all at once most."""
    if not cell["low_pass"]:
        return 0.3
    better = (cell["place"] == "behind", cell["bias"], cell["train"] == "R", cell["first"] > 0.25,
              cell["padding"] == 4)  # fmt: skip
    narrow = cell["blur"] < 1 and cell["place"] == "before"
    return {0: 0.4 if narrow else 0.6, 1: 0.8}.get(sum(better), 0.97)


def invented_layers(cells, over=lambda row, layer: 0.1 * layer**2 * (2 - row.low_pass)):
    """Five rows of each trained network; over: change over distance."""
    own = cells[cells["experiment"] == "layers"]
    rows = [
        {"curve": row.curve, "key": row.key, "layer": layer, "distance": 0.5,
         "error": 0.5 * over(row, layer) * (1 + 0.01 * row.seed), "recognised": 0.9}
        for row in own.itertuples() for layer in range(1, 6)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=LAYERS_TABLE.names)


def invented_blocks(cells):
    """Eight rows for each of their layers: mirror images come near, the others stay apart."""
    rows = [
        {**{name: row[name] for name in ("curve", "key", "layer")}, "block": block,
         "change": 0.01 * row["layer"], "distance": 0.01 if block < 2 else 0.5,
         "nearest": block ^ 1, "recognised": 0.9}
        for row in invented_layers(cells).to_dict("records") for block in range(8)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=BLOCKS_TABLE.names)


def invented(**changed):
    """The cells; changed: results by "experiment_column", a function of the cell and the value."""
    rows = []
    for curve in planned():
        for entry in curve.entries:
            cell = entry["cell"]
            found = result(cell, cell.get("seed", 0))
            for name, change in changed.items():
                experiment, _, column = name.partition("_")
                if cell["experiment"] == experiment:
                    found[column] = change(cell, found[column])
            rows.append(
                {"curve": curve.name, "key": entry["key"], "status": "done", **cell, **found}
            )
    return pd.DataFrame(rows, columns=CELLS.names)


def scored(cells, **changed):
    tables = {
        "cells": cells, "layers": invented_layers(cells, **changed),
        "blocks": invented_blocks(cells),
    }  # fmt: skip
    return scorecard(tables, CLAIMS).set_index("claim")


def test_all_claims_hold_where_the_cells_are_as_the_thesis_says():
    card = scored(invented())
    assert set(card["verdict"]) <= WITHIN


@pytest.mark.parametrize(
    ("changed", "fails"),
    [
        ({"tetris_accuracy": lambda cell, value: 0.5 + 0.01 * cell["seed"]},
         ["tetris-steerable-filtered", "tetris-plain-filtered", "tetris-plain-unfiltered"]),
        ({"voxels_error": lambda cell, value: 1 / value},
         ["filter-lowers", "gates-below-components"]),
        ({"sphere_error": lambda cell, value: value * cell["band"]}, ["sphere-relu-flat"]),
        ({"digits_accuracy_R": lambda cell, value: 0.5 + 0.01 * cell["seed"]},
         ["digits-planar-R-R", "digits-spherical-R-R",
          "digits-spherical-NR-R", "digits-no-loss"]),
        ({"digits_accuracy_NR": lambda cell, value: value / 2},
         ["digits-planar-NR-NR", "digits-spherical-NR-NR"]),
    ],
)  # fmt: skip
def test_each_claim_can_fail(changed, fails):
    card = scored(invented(**changed))
    assert set(card.loc[fails, "verdict"]) == {"differs"}


@pytest.mark.parametrize(
    ("over", "fails"),
    [
        (lambda row, layer: 0.5 / layer**0.5, ["layers-first", "layers-scores", "layers-strides"]),
        (lambda row, layer: 0.1 * layer * (1 + row.low_pass), ["layers-filter"]),
    ],
)
def test_each_claim_on_layers_can_fail(over, fails):
    card = scored(invented(), over=over)
    assert set(card.loc[fails, "verdict"]) == {"differs"}


def test_each_network_is_a_job_and_the_picture_has_one():
    names = [curve.label for curve in planned()]
    assert sorted(set(names)) == [
        "basis", "digits-planar", "digits-spherical", "layers", "sphere", "tetris-plain",
        "tetris-steerable", "voxels-plain", "voxels-steerable",
    ]  # fmt: skip
    cells = [cell for curve in planned() for cell in curve.cells]
    assert len([cell for cell in cells if cell["experiment"] == "tetris"]) == 2 * 2 * 3 + 3
    assert all(0 < seconds(cell) < inf for cell in cells)


@pytest.mark.parametrize(
    ("part", "refused"),
    [
        ({"tetris": [{"n": 5, "steps": 1}]}, "greater than or equal to 9"),
        ({"voxels": [{"n": 13, "act": "relu"}]}, "'none', 'gate', 'norm' or 'components'"),
        ({"sphere": [{"act": "relu", "band": 1, "depth": 1}]}, "greater than or equal to 2"),
        ({"digits": [{"epochs": 1, "learning_rate": 0}]}, "greater than 0"),
    ],
)
def test_a_section_refuses_what_cannot_be_run(part, refused):
    with pytest.raises(ValidationError, match=refused):
        EquivarianceSection.model_validate(part)


def test_a_cell_that_stands_twice_is_refused():
    twice = {"tetris": SECTION["tetris"] * 2}
    with pytest.raises(ConfigError, match="two groups ask for one cell"):
        STUDY.plan(EquivarianceSection.model_validate(twice), None)


def test_without_e3nn_the_study_is_left_out_aloud(monkeypatch):
    monkeypatch.setattr(configuration, "find_spec", lambda name: None)
    values = yaml.safe_load((CONFIG / "test.yaml").read_text(encoding="utf-8"))
    own = {name: values[name] for name in ("preset", "description", "equivariance")}
    found = preset.plan_preset(own).studies["equivariance"]
    assert not found.curves
    assert "make env-equivariance" in found.absent


def test_published_curves_need_no_package():
    curves = {curve.name: curve for curve in planned()}
    first, *_ = curves
    missing = dict.fromkeys(curves, "nothing here")
    some = Planned(curves=curves, published=frozenset([first]), missing=missing)
    assert list(some.computable.curves) == [first]
    assert some.computable.absent == "nothing here"
    whole = Planned(curves=curves, published=frozenset(curves), missing=missing)
    assert whole.computable is whole
    assert all(isinstance(one, Curve) for one in whole.computable.curves.values())


def test_accuracies_are_drawn_with_their_means_and_those_of_the_thesis():
    figure = accuracy.draw(invented(), preset="invented")
    assert [
        y for _, y in points(figure, "seeds equivariant=1 net=steerable place=low-pass")
    ] == pytest.approx([0.99, 0.9801, 0.9702])
    assert points(figure, "mean equivariant=0 net=planar place=NR/R")[0][1] == pytest.approx(
        0.11 * 0.99
    )
    assert points(figure, "thesis net=spherical place=R/R")[0][1] == 0.95
    assert "3 seeds" in texts(figure)


def test_errors_are_drawn_against_resolution_depth_band_and_grid():
    figure = error.draw(invented(), preset="invented")
    _, depth, band, grid, resolution, _ = figure.get_axes()
    at = [x for x, _ in points(resolution, "mean act=gate low_pass=1")]
    assert at == pytest.approx([13, 17], rel=0.02)  # beside other nonlinearities
    assert {round(x) for x, _ in points(depth, "mean act=gate low_pass=1")} == {1, 2, 4}
    assert [round(x) for x, _ in points(band, "mean act=relu depth=3")] == [3, 6]
    assert points(grid, "mean act=relu ")[-1][1] == pytest.approx(0.05, rel=0.05)


def test_layers_changes_and_parameters_are_drawn():
    cells = invented()
    figure = layers.draw(cells, invented_blocks(cells), preset="invented")
    assert [y for _, y in points(figure, "mean change=nothing pair=mirror images")] == (
        pytest.approx([2, 3, 4, 5])
    )
    by_change = points(figure, "thesis")
    assert [y for _, y in by_change] == [0.36, 0.99]
    assert len(points(figure, "mean net=plain")) == 2
    assert "3 seeds" in texts(figure)


def test_kernels_are_drawn_as_matrices():
    disc = [(u, v) for u in (-0.5, 0, 0.5) for v in (-0.5, 0, 0.5)]
    rows = [
        {"curve": "c", "key": "k", "J": J, "row": i, "column": j, "u": u, "v": v,
         "value": u * J + i}
        for J, i, j in np.ndindex(3, 3, 3) for u, v in disc
    ]  # fmt: skip
    figure = kernels.draw(pd.DataFrame(rows, columns=BASIS.names), preset="invented")
    pictures = {
        str(image.get_gid()): image.get_array()
        for axes in figure.get_axes()
        for image in axes.images
    }
    assert len([name for name in pictures if name.startswith("kernel")]) == 27
    assert pictures["kernel 2 1 0"][0, 2] == 2


def test_figures_of_a_preset_without_cells_say_so():
    cells = invented().head(0)
    for figure in (
        accuracy.draw(cells, preset="x"), error.draw(cells, preset="x"),
        kernels.draw(pd.DataFrame(columns=BASIS.names), preset="x"),
        layers.draw(cells, pd.DataFrame(columns=BLOCKS_TABLE.names), preset="x"),
    ):  # fmt: skip
        assert "not in this preset" in texts(figure)


def test_of_networks_on_digits_those_of_most_epochs_count():
    cells = pd.DataFrame({"experiment": ["digits", "digits", "tetris"], "epochs": [10, 40, np.nan],
                          "key": list("abc")})  # fmt: skip
    assert list(on_digits(cells)["key"]) == ["b"]
