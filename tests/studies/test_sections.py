"""Which cells a section plans, and what it refuses: its key and what is allowed."""

from pathlib import Path

import pytest
from invented_images import SECTION as IMAGES
from pydantic import ValidationError

from srhm.declare.study import ConfigError
from srhm.planning.registry import STUDIES


def planned(study, section):
    return STUDIES[study].plan(STUDIES[study].config.model_validate(section), Path("nowhere"))


def curve(*others, **group):
    """One group of curves, the last of these dictionaries first."""
    return {"curves": [{**{k: v for one in others for k, v in one.items()}, **group}]}


AT_LAW = {"v": 4, "s0": 1, "P_over_law": [1], "seeds": 1}
TRANSFORMER = {**AT_LAW, "net": "transformer_positions"}
ADAM = {**AT_LAW, "net": "cnn", "optimiser": "adam", "rate": 0.01}
TAUGHT = {**AT_LAW, "net": "cnn"}
SHARED = {"net": "shared", "L": 2, "v": 4, "P_over_law": [1, 4], "seeds": 1}
CONTEXT = {"target": "context", "net": "shared", "L": 3, "v": 4, "m": 2, "P_over_law": [1, 4],
           "seeds": 1}  # fmt: skip
# Study, section, number of curves, columns and their values in all cells: sizes follow the law.
PLANNED = [
    # 256 of the 256 data at s_0 = 0 leave no test set.
    ("attention", curve(TRANSFORMER, net=["transformer_positions", "cnn"], s0=[0, 1],
                        P_over_law=[1, 4]), 4, "net s0 P width",
     {("transformer_positions", 0, 64, 32), ("transformer_positions", 1, 256, 32),
      ("transformer_positions", 1, 1024, 32), ("cnn", 0, 64, 64), ("cnn", 1, 256, 64),
      ("cnn", 1, 1024, 64)}),
    ("optimisers", curve(ADAM, optimiser=["adam", "plain"], rate=[0.01, 0.03], s0=[1, 2]), 2,
     "s0 P", {(1, 256), (2, 576)}),
    ("teaching", curve(TAUGHT, s0=[1, 2], synonyms=[0, 1], places=["none", "all"]), 4,
     "s0 synonyms places P",
     {(1, 0, "none", 256), (2, 0, "none", 576), (1, 1, "none", 64), (2, 1, "none", 144),
      (1, 0, "all", 64), (2, 0, "all", 64), (1, 1, "all", 16), (2, 1, "all", 16)}),
    ("level_by_level", curve(SHARED, net=["shared", "separate"], L=3, s0=1, m=2), 2, "net P",
     {("shared", 4 * 32), ("shared", 16 * 32), ("separate", 8 * 32), ("separate", 32 * 32)}),
    # Of 256 data.
    ("level_by_level", curve(SHARED, draws="distinct", P_over_law=[1, 2, 4]), 1, "P",
     {(64,), (128,)}),
    # Groups that share a curve are joined.
    ("level_by_level",
     {"curves": [{**SHARED, "seeds": 2}, {**SHARED, "P_over_law": 8, "sensitivities": True}]}, 1,
     "P seed sensitivities", {(64, 0, True), (64, 1, True), (256, 0, True), (256, 1, True),
                              (512, 0, True)}),
    ("own_latents", {"curves": [{**CONTEXT, "s0": [1]}] * 2}, 1, "P", {(128,), (512,)}),
    ("kernels", {"teacher_student": [{"d": [2, 3], "teacher": "gauss", "P": [64, 32],
                                      "seeds": 2}]}, 2, "sigma d P seed",
     {(float(d), d, P, seed) for d in (2, 3) for P in (32, 64) for seed in (0, 1)}),
    # Sizes that a grammar has not are left out.
    ("kernels", {"hierarchies": [{"s0": [0, 1], "v": 3, "P": [10, 1000], "n_test": 50}]}, 4,
     "s0 P", {(0, 10), (1, 10), (1, 1000)}),
]  # fmt: skip
MEMORY = {"size": 2, "mu": 0.1, "r": 1e-3}
RAM = {**MEMORY, "memory": "ram", "start": "random"}
LIMITS = {
    "columns": [{"M": 2, "mu": 0.1, "r": 1e-3}],
    "necklaces": [{"m": 2, "mu": 0.1, "exit_inside": 0.1}],
    "best_necklaces": [{"m": 2, "mu": 0.1, "r": 1e-3}],
}
FC2 = {"net": "fc2", "P": 200}
COST = {"L": 4, "width": 4, "n": 10, "steps": 5}
RANDOM = {"data": "sphere", "P": 60, "N_over_P": [0.5, 4], "seeds": 3}
WATCHED = {"net": "cnn", "L": 2, "v": 3, "s0": 1, "P": [60]}
TETRIS = {"n": 13, "width": 0.25, "steps": 100}
FIRST = {"net": "lcn", "L": 2, "v": 3, "s0": 0, "P": [31]}
# Study, section, what the refusal says.
REFUSED = [
    ("attention", curve(TRANSFORMER, v=1, m=2), r"curves.0: m = 2"),
    ("attention", curve(TRANSFORMER) | {"width": 30}, "width = 30: allowed are multiples of 4"),
    ("teaching", curve(TAUGHT, synonyms=3), "curves.0: synonyms = 3: allowed are 0 to L = 2"),
    ("teaching", curve(TAUGHT, places="level 3"), "places = level 3: allowed are levels 1 to L"),
    ("teaching", curve(TAUGHT, places="halves", s0=2), "curves.0: s0 = 2: halves need an odd s0"),
    ("level_by_level", curve(SHARED, v=3, m=9), r"curves\.0: m = 9 .*allowed are m from 1 to 3"),
    ("own_latents", curve(CONTEXT, L=1), r"curves\.0\.L: 1 is refused; allowed are 2 or more"),
    ("memory", {"learning": [{**RAM, "start": "cycles"}]}, "are random, linear, columns, ccp"),
    ("memory", {"learning": [{**RAM, "memory": "memento", "start": "ccp"}]},
     "allowed are random, cycles, necklace"),
    ("memory", {"learning": [{**RAM, "memory": "memento", "size": 6}]}, "allowed are 1 to 5 plays"),
    ("memory", {**LIMITS, "learning": [RAM, RAM]}, "allowed is each once"),
    ("relative_stability", {"networks": [{**FC2, "P": 1300}]}, "allowed on digits are"),
    ("relative_stability", {"networks": [{**FC2, "P": 16}]}, "one batch"),
    ("relative_stability", {"networks": [{**FC2, "n_points": 600}]}, "597 test images"),
    ("relative_stability", {"networks": [{**FC2, "displacement": 1.5}]}, "fold"),
    ("relative_stability", {"networks": [FC2, FC2]}, "allowed is each once"),
    ("representation_cost", {"ball": {**COST, "places": 5, "reach": 3}}, "are 0 to 2 on 5 places"),
    ("representation_cost", {"hierarchy": {**COST, "m": 1, "levels": 2}},
     r"hierarchy\.n: 10 .*distinct data"),
    ("random_features", curve(RANDOM, data="digits", P=1500), "at most 1797"),
    ("random_features", curve(RANDOM, data="srhm", P=8000), "at most 8192"),
    ("taught_digits", curve(net="lenet", P=[31, 60]), "allowed are 32"),
    ("temperature",
     {**curve(WATCHED), "watched": [{**WATCHED, "training": {"engine": "reference"}}]},
     r"watched\.0\.training\.engine = 'reference'"),
    ("temperature", {**curve(WATCHED), "watched": [{**WATCHED, "P": [10**9]}]}, r"watched\.0\.P"),
    ("images", {**IMAGES, "P": [5]}, r"P = \[5\]: allowed are 10 \(one batch\) to 100 \(all im"),
    ("images", {**IMAGES, "n_test": 21}, "n_test = 21: there are 20 test images"),
    ("images", {**IMAGES, "stability": {"n_points": 500}}, "n_points = 500: there are 20 test"),
    ("images", {**IMAGES, "stability": {"n_points": 10, "displacement": 3.0}},
     r"T below 4 / \(pi\^3 c\^2 ln c\) = 0.013, a displacement below 2.62"),
    ("equivariance", {"tetris": [TETRIS, TETRIS]}, "two groups request one network"),
    ("first_step", {"grammars": [FIRST, {**FIRST, "P": [40]}]}, r"grammars.1: P = 40"),
    ("first_step", {"grammars": [{**FIRST, "m": [4]}]}, r"grammars.0: m = 4"),
    ("kernels", {"digits": [{"kernel": "gauss", "P": 1201}]}, r"digits.0.P = 1201: .* 1 to 1200"),
    ("kernels", {"spectra": [{"data": "digits", "d": 2, "sigma": 1, "P": 9}]}, "0.d: digits"),
    ("kernels", {"spectra": [{"data": "sphere", "d": 2, "sigma": 1, "P": 9}]}, "0.teacher"),
    ("kernels", {"neighbours": [{"data": "sphere", "P": 9}]}, "neighbours.0.d: digits have none"),
    ("kernels", {"hierarchies": [{"s0": 0, "v": 3, "P": 5000}]}, "P: no grammar with s0 = 0"),
    ("kernels", {"teacher_student": [{"d": 1, "teacher": "gauss", "P": 9}] * 2},
     "two groups request one network"),
    ("kernels", {"teacher_student": [{"data": "lattice", "d": 2, "teacher": "laplace", "P": 17}]},
     r"P = 17: a lattice of d = 2 has"),
]  # fmt: skip


@pytest.mark.parametrize(("study", "section", "n_curves", "columns", "expected"), PLANNED)
def test_a_section_plans_these_cells(study, section, n_curves, columns, expected):
    curves = planned(study, section).curves.values()
    cells = [cell for one in curves for cell in one.cells]
    assert len(curves) == n_curves
    assert {tuple(cell[name] for name in columns.split()) for cell in cells} == expected


@pytest.mark.parametrize(("study", "section", "words"), REFUSED)
def test_a_section_that_cannot_be_run_is_refused_by_its_key(study, section, words):
    with pytest.raises((ConfigError, ValidationError), match=words):
        planned(study, section)
