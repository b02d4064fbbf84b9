"""Public names of functions and classes: one meaning each, in the library and within a study.

Studies import no other study, so that two of them may use one word each for its own.
"""

import ast
from collections import defaultdict

import pytest

from srhm.results.provenance import PACKAGE

# Names that several modules define, for the same thing in each.
SAME = {
    "main": "a command: its arguments -> exit status",
    "plan": "a section -> what is planned of it",
    "prepare": "entries of a curve -> what trains them",
    "run": "an experiment: the coordinates of a cell -> its outcome",
    "draw": "a figure: its tables -> a matplotlib figure",
    "train_cell": "coordinates of a cell and its data -> the trained cell",
    "train": "steps of training, of the protocol and compiled",
    "sample_complexity": "P* of one curve, and of a table of curves",
    "sensitivities": "sensitivities of layers, of arrays and of any module",
    "singular_values": "of the weights of a layer, and how a figure shows them",
    "notice": "why data are not there, for people",
    "load": "images and labels of the files of a data set",
    "download": "fetches the files of a data set",
    "probe_of_cell": "points and their changed versions that a network is measured with",
    "points_of": "points of a task of representation_cost",
    "image_network": "a network on images, by its coordinates",
    "initial_weights": "weights at the start of training, by their names",
    "inputs": "what a network reads, as the training needs it",
    "column_of_confidence": "memory: the policy, and what it gives in closed form",
    "relative_change": "norm of a change over that of what has changed",
    **dict.fromkeys(
        (
            "modes",
            "mean_squared_displacement",
            "temperature_of",
            "coefficients",
            "displacements",
            "Deformation",
        ),
        "of deformations, by the convention of the article and by that of the authors' code",
    ),
    "forward": "kernels of the sparse engine, and the pass of a tape",
}


def definitions():
    """(owner, module) of each public function and class, by its name; owner: a study, or none."""
    found = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        study = parts[1] if parts[0] == "studies" and len(parts) > 2 else ""
        if study and ("claims" in parts or "figures" in parts):
            continue  # leaves, which nobody imports
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            kind = isinstance(node, ast.FunctionDef | ast.ClassDef)
            if kind and not node.name.startswith("_"):
                found[node.name].add((study, ".".join(parts)))
    return found


DEFINED = definitions()


def modules_of(name, owner):
    return sorted(module for study, module in DEFINED[name] if study == owner)


@pytest.mark.parametrize(
    "owner", sorted({study for all_of in DEFINED.values() for study, _ in all_of})
)
def test_a_name_is_defined_once_unless_it_means_the_same(owner):
    several = {name: modules_of(name, owner) for name in DEFINED}
    several = {name: modules for name, modules in several.items() if len(modules) > 1}
    assert {n: m for n, m in several.items() if n not in SAME} == {}


def test_the_reasons_are_of_names_that_are_defined_twice():
    assert {name for name in SAME if len(DEFINED[name]) < 2} == set()
