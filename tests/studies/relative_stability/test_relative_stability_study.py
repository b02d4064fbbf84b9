"""Section, claims and figures of the study on invented tables, as the thesis has them."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from assertions import WITHIN
from drawn import points, texts
from pydantic import ValidationError

from srhm.images.deformations import largest_temperature
from srhm.scorecard.card import scorecard
from srhm.scorecard.claims import MAX_STATEMENT
from srhm.studies.relative_stability.analysis import (
    by_network,
    log_correlations,
    longest,
    measured,
)
from srhm.studies.relative_stability.claims import CLAIMS
from srhm.studies.relative_stability.configuration import (
    Networks,
    RelativeStabilitySection,
    seconds,
)
from srhm.studies.relative_stability.figures import (
    deformations,
    depth,
    errors,
    images,
    models,
    pixels,
    scans,
    training,
)
from srhm.studies.relative_stability.networks import DISPLACEMENTS, INTERPOLATIONS, NOISES
from srhm.studies.relative_stability.study import STUDY
from srhm.studies.relative_stability.tables import CELLS, NOISE, STABILITY
from srhm.study import ConfigError

SIZES = (150, 400, 1200)
SHORT = 300  # steps
PLAIN = ["fc2", "fc4", "fc6", "lenet"]
NORMED = ["vgg11_bn", "vgg16_bn", "resnet18"]
DEEP = ["vgg11", *NORMED, "efficientnetb0"]
SECTION = {
    "fields": [{"cutoff": [3, 5, 7], "times_bound": [0.1, 1]}],
    "networks": [{"net": [*PLAIN, *DEEP], "P": list(SIZES), "seeds": 3},
                 {"net": ["fc4", "resnet18"], "data": "digits8", "P": 1200, "displacement": 0.5,
                  "seeds": 3, "scans": False},
                 {"net": [*PLAIN, *DEEP], "data": ["mnist5k", "fashion"], "P": list(SIZES),
                  "seeds": 3},
                 {"net": "resnet18", "data": "fashion", "P": 1200, "seeds": 3, "scans": False,
                  "training": {"augmentation": True}},
                 {"net": NORMED, "data": "fashion", "P": list(SIZES), "seeds": 3, "scans": False,
                  "training": {"max_steps": SHORT}},
                 {"net": NORMED, "data": "mnist5k_coarse", "P": list(SIZES),
                  "seeds": 3, "scans": False}],
    "stripes": [{"width": 8, "P": [32, 128, 512], "alpha_tilde": [0.1, 1000], "seeds": 3,
                 "max_evaluations": 10}],
    "hierarchies": [{"net": ["cnn", "fcn"], "width": 8, "P": [128, 512, 2048], "seeds": 3,
                     "max_evaluations": 10}],
}  # fmt: skip
# R_f after training at the largest P; it falls as 1/P where it is below one.
LEVELS = {"fc2": 3.0, "fc4": 4.0, "fc6": 5.0, "lenet": 2.0, "vgg11": 0.06, "vgg11_bn": 0.04,
          "vgg16_bn": 0.03, "resnet18": 0.02, "efficientnetb0": 0.015}  # fmt: skip


def planned():
    return STUDY.plan(RelativeStabilitySection.model_validate(SECTION), Path()).curves.values()


def level(cell, levels):
    """R_f of a trained cell."""
    if cell["data"] == "mnist5k_coarse":
        return 3.0 * levels[cell["net"]] / LEVELS[cell["net"]]
    if cell["experiment"] == "networks":
        own = levels[cell["net"]]
        return own if own > 1 else own * 1200 / cell["P"]
    lazy = cell["alpha_tilde"] > 1
    return 0.5 if lazy or (cell["net"] == "fcn" and cell["data"] == "srhm") else 30 / cell["P"]


def invented(*, levels=LEVELS, slope=2.0, gaussian=1.0, off=0.0, start=1.0, D=None, away=1.0,
             short=3.0):  # fmt: skip
    """Tables; D: how D_f depends on R_f, absent: not at all; away: power of R_f at other δ.

    short: R_f after a short training over that after a long one.
    """
    random = np.random.default_rng(0)
    cells, stability, noise = [], [], []
    for curve in planned():
        for entry in curve.entries:
            cell, key = entry["cell"], entry["key"]
            row = {"curve": curve.name, "key": key, "status": "capped", **cell}
            cells.append(row)
            if cell["experiment"] == "fields":
                T = cell["times_bound"] * largest_temperature(cell["cutoff"])
                c, n = cell["cutoff"], cell["size"]
                row |= {"temperature": T, "exact_squared_displacement": 0.4 * n**2 * T,
                        "squared_displacement": 0.4 * n**2 * T * (1 + off),
                        "compression": c / 2 * np.sqrt(np.pi**3 * T * np.log(c)) * (1 + 10 * off),
                        "part_above_one": 0.5 if cell["times_bound"] == 1 else off}  # fmt: skip
                continue
            jitter = np.exp(0.02 * random.standard_normal())
            R = level(cell, levels) * jitter * (short if cell.get("max_steps") == SHORT else 1)
            row["test_error"] = 0.24 * np.sqrt(level(cell, levels)) * 0.3
            for when, average in product(("start", "end"), ("median", "mean")):
                own = start * jitter if when == "start" else R
                values = {"when": when, "average": average, "interpolation": "bilinear",
                          "displacement": 1.0, "noise_norm": 5.0, "key": key}  # fmt: skip
                dissipation = 0.1 * random.uniform(0.5, 2) if D is None else D(own)
                output = {"D": dissipation, "G": dissipation / own * cell["P"] / 1e3, "R": own}
                for k in (1, 2, 3):
                    part = "output" if k == 3 else "layers"
                    here = own if when == "start" else own ** (k / 3)
                    stability.append({**values, "part": part, "layer": k, "n_layers": 3,
                                      "depth": (k - 1) / 2, **output, "R": here})  # fmt: skip
                if cell.get("scans") and average == "median":
                    stability.append({**stability[-1], "part": "layers"})  # of the output
                    for size, kind in product(DISPLACEMENTS, INTERPOLATIONS):
                        wider = gaussian if kind == "gaussian" else 1.0
                        stability.append({**stability[-1], "part": "displacements",
                                          "R": (own if size == 1 else own**away) * wider,
                                          "displacement": size,
                                          "interpolation": kind})  # fmt: skip
                    noise += [{"key": key, "when": when, "times": t, "noise_norm": 5 * t,
                               "G": t**slope * (1 + 0.01 * random.standard_normal())}
                              for t in NOISES]  # fmt: skip
    return {
        "cells": pd.DataFrame(cells, columns=CELLS.names),
        "stability": pd.DataFrame(stability, columns=STABILITY.names),
        "noise": pd.DataFrame(noise, columns=NOISE.names),
    }


def scored(tables):
    return (
        scorecard(tables, CLAIMS)
        .set_index("claim")["verdict"]
        .rename(lambda name: name.removeprefix("stability-"))
    )


def test_all_claims_hold_where_networks_are_as_in_the_thesis():
    verdicts = scored(invented())
    assert set(verdicts) <= WITHIN, verdicts[~verdicts.isin(WITHIN)]


@pytest.mark.parametrize(
    ("changed", "claims"),
    [
        ({"off": 0.06}, ["compression"]),
        ({"start": 10.0}, ["start", "fc-grows", "srhm-start"]),
        ({"levels": dict.fromkeys(LEVELS, 0.5)}, ["lenet-above-one", "deep-level"]),
        ({"levels": dict.fromkeys(LEVELS, 2.0) | {"vgg11": 3.0}},
         ["deep-falls", "size-slope", "depth-monotone"]),
        ({"gaussian": 2.0}, ["interpolation"]),
        ({"away": -1.0}, ["correlation-small", "correlation-large"]),
        ({"short": 0.3}, ["fashion-longer"]),
        ({"levels": {net: 1 / R for net, R in LEVELS.items()}}, ["fc-grows"]),
        ({"D": lambda R: R}, ["noise-grows"]),
    ],
)  # fmt: skip
def test_claims_do_not_hold_where_networks_are_otherwise(changed, claims):
    if "D" in changed:  # G = D / R P / 1e3: falls with P where D does as P^-3
        tables = invented()
        P = tables["stability"]["key"].map(tables["cells"].set_index("key")["P"])
        tables["stability"]["G"] = 1 / P
        verdicts = scored(tables)
    else:
        verdicts = scored(invented(**changed))
    assert set(verdicts[claims]) == {"differs"}, verdicts[claims]


def test_the_correlation_is_undone_by_errors_that_do_not_follow():
    tables = invented()
    order = {net: k for k, net in enumerate([*DEEP, *PLAIN])}
    tables["cells"]["test_error"] = tables["cells"]["net"].map(order).fillna(0) % 3 * 0.1 + 0.01
    verdicts = scored(tables)
    assert verdicts["correlation"] in ("differs", "inconclusive")
    assert verdicts["error-slope"] in ("differs", "inconclusive")


def test_without_rows_nothing_is_measured():
    for tables in ({}, {name: table.head(0) for name, table in invented().items()}):
        assert set(scored(tables)) == {"inconclusive"}


def test_statements_fit_into_a_line():
    assert all(len(claim.says) <= MAX_STATEMENT for claim in CLAIMS)


def test_a_correlation_is_that_of_numpy():
    networks = by_network(measured(invented()))
    logs = np.log(networks[["test_error", "R"]])
    (value,), resampled = log_correlations(networks, ["R"], generator=np.random.default_rng(1))
    assert value == pytest.approx(np.corrcoef(logs.T)[0, 1])
    assert resampled.shape[1] == 1
    assert np.quantile(resampled, 0.9) <= 1 + 1e-12


def test_networks_of_most_steps_alone_count():
    steps = {"max_steps": [300, 3000, 300, 300, np.nan], "key": list("abcde")}
    cells = pd.DataFrame({"net": ["fc2"] * 3 + ["fc4", "fcn"], "P": [75, 75, 300, 75, 32], **steps})
    assert "".join(longest(cells)["key"]) == "b"  # no net of another training beside it
    assert "".join(longest(cells[cells["net"] == "fcn"])["key"]) == "e"


def test_scans_are_made_at_the_largest_size_alone():
    cells = [entry["cell"] for curve in planned() for entry in curve.entries]
    scanned = {(cell["data"], cell["P"]) for cell in cells if cell.get("scans")}
    assert scanned == {("digits", 1200), ("mnist5k", 1200), ("fashion", 1200)}
    assert all(0 < seconds(cell) < 1e6 for cell in cells)


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({"net": "lenet5"}, "allowed are fc2"),
        ({"P": 1300}, "allowed on digits are"),
        ({"P": 16}, "one batch"),
        ({"n_points": 600}, "597 test images"),
        ({"displacement": 1.5}, "fold"),
        ({"data": "digits8"}, "fold"),
        ({"data": "letters"}, "Input should be"),
    ],
)
def test_a_section_refuses_what_cannot_be_run(changed, refused):
    with pytest.raises(ValidationError, match=refused):
        Networks.model_validate({"net": "fc2", "P": 200, **changed})


def test_a_cell_that_stands_twice_is_refused():
    twice = {**SECTION, "networks": SECTION["networks"] * 2}
    with pytest.raises(ConfigError, match="allowed is each once"):
        STUDY.plan(RelativeStabilitySection.model_validate(twice), Path())


def test_images_whose_files_are_not_there_are_left_out_aloud(tmp_path):
    section = {"networks": [{"net": "fc2", "data": ["digits", "mnist", "cifar10"], "P": 200}]}
    found = STUDY.plan(RelativeStabilitySection.model_validate(section), tmp_path)
    assert [curve.label for curve in found.curves.values()] == ["digits-fc2-h64"]
    assert "make mnist" in found.absent
    assert "make cifar" in found.absent


TABLES = invented()
DRAWN = {
    deformations: ("cells",), training: ("cells", "stability"), errors: ("cells", "stability"),
    depth: ("cells", "stability"), models: ("cells", "stability"),
    pixels: ("cells", "stability"),
    scans: ("cells", "stability", "noise"),
}  # fmt: skip


@pytest.mark.parametrize("module", DRAWN, ids=[one.__name__.rsplit(".")[-1] for one in DRAWN])
def test_figures_are_on_the_page_with_and_without_rows(module):
    for tables in (TABLES, {name: table.head(0) for name, table in TABLES.items()}):
        figure = module.draw(*[tables[name] for name in DRAWN[module]], preset="invented")
        assert ("not in this preset" in texts(figure)) is (tables is not TABLES)


@pytest.mark.parametrize("data", ["mnist5k", "fashion", "mnist", "cifar10"])
def test_other_images_have_a_figure_or_say_how_to_get_them(data):
    cells = TABLES["cells"]
    cells = cells[~cells["data"].isin([data])]
    cells = cells.assign(data=cells["data"].replace("digits", data))
    figure = images.draw(cells, TABLES["stability"], preset="invented", data=data)
    assert [P for P, _ in points(figure, "R net=resnet18", whole=True)] == list(SIZES)
    without = TABLES["cells"][TABLES["cells"]["data"] != data]
    empty = images.draw(without, TABLES["stability"], preset="x", data=data)
    assert images.ABSENT[data] in texts(empty)


def test_errors_are_drawn_at_their_stability():
    figure = errors.draw(TABLES["cells"], TABLES["stability"], preset="invented")
    (R, error) = points(figure, "point net=resnet18")[0]
    assert pytest.approx(0.02, rel=0.05) == R
    assert error == pytest.approx(0.24 * np.sqrt(0.02) * 0.3)


def test_kinds_of_images_are_drawn_side_by_side():
    figure = pixels.draw(TABLES["cells"], TABLES["stability"], preset="invented")
    left, right = figure.get_axes()
    for axes in (left, right):
        coarse = points(axes, "R data=mnist5k_coarse when=end")
        assert [P for P, _ in coarse] == list(SIZES)
        assert np.array(coarse)[:, 1] == pytest.approx(3, rel=0.05)


def test_other_figures_show_their_quantities():
    figure = training.draw(TABLES["cells"], TABLES["stability"], preset="invented")
    assert [P for P, _ in points(figure, "R net=resnet18")] == list(SIZES)
    assert len(points(figure, "start net=fc2")) == 3
    figure = scans.draw(*TABLES.values(), preset="invented")
    slopes = np.diff(np.log(np.array(points(figure, "noise net=fc2"))), axis=0)
    assert slopes[:, 1] / slopes[:, 0] == pytest.approx([2] * (len(NOISES) - 1), abs=0.1)
    figure = models.draw(TABLES["cells"], TABLES["stability"], preset="invented")
    values = dict(points(figure, "stripe alpha_tilde=0.1 when=end"))
    assert values[32] / values[512] == pytest.approx(16, rel=0.1)
    figure = depth.draw(TABLES["cells"], TABLES["stability"], preset="invented")
    assert [x for x, _ in points(figure, "R net=resnet18 when=end")] == [0, 0.5, 1]
    figure = deformations.draw(TABLES["cells"], preset="invented")
    for x, y in points(figure, "C cutoff=3 size=16"):
        assert y == pytest.approx(x)
