"""The paper: sample complexities and sensitivities of LCN, CNN and FCN on the SRHM."""

from typing import Any

from srhm.declare.study import CellMeasurement, Derived, Figure, Study
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan
from srhm.training.trainers import HIERARCHY

OF_P_STAR = ("preset", "width", "threshold")


def _of_net(number: int, net: str, title: str, function: str, *uses: str, **more: Any) -> Figure:
    return Figure(f"fig{number:02}", title.format(net.upper()), uses, function=function,
                  **{"settings": OF_P_STAR, "options": {"net": net}, **more})  # fmt: skip


def _invariances(
    number: int, title: str, net: str, branchings: list[int], *, illustrated: bool = False
) -> Figure:
    return _of_net(
        number, net, title, ".figures_invariances:invariances", "sample_complexity", "cells",
        # Of the FCN the width differs between depths.
        settings=("preset", "threshold") if net == "fcn" else OF_P_STAR,
        options={"net": net, "branchings": branchings, "illustrated": illustrated}
        | ({"width": None, "practice": "fcn2"} if net == "fcn" else {}),
        # Of both s, where it has two.
        shows={"net": net, "s": branchings[0] if len(branchings) == 1 else "", "sparsity": "A"},
    )  # fmt: skip


def _sparsity_b(number: int, net: str) -> Figure:
    return _of_net(number, net, "learning curves of the {} with sparsity B",
                   ".figures_complexity:sparsity_b", "cells",
                   shows={"net": net, "s": 2, "sparsity": "B"})  # fmt: skip


def _branching(number: int, net: str) -> Figure:
    return _of_net(number, net, "sample complexity of the {} for s = 3",
                   ".figures_complexity:branching", "sample_complexity", "published_values",
                   shows={"net": net, "s": 3, "sparsity": "A"})  # fmt: skip


def _sensitivity_curves(number: int, net: str) -> Figure:
    return _of_net(number, net, "sensitivities of every layer of the {}",
                   ".figures_invariances:sensitivity_curves", "cells", "sensitivities",
                   settings=("preset", "width"),
                   shows={"net": net, "L": 2, "s": 2, "sparsity": "A"})  # fmt: skip


STUDY = Study(
    package=__package__,
    name="sparse_hierarchy",
    title="The Sparse Random Hierarchy Model",
    config=HierarchySection,
    plan=plan,
    trainer=HIERARCHY,
    measurements=(
        CellMeasurement("sensitivities", HIERARCHY,
                        "srhm.measure.representations:measure_sensitivities",
                        {"sensitivities": "SENSITIVITIES"}),
    ),
    tables=(
        Derived("sample_complexity",
                "srhm.statistics.sample_complexity:all_sample_complexities", "SAMPLE_COMPLEXITY",
                ("cells", "sensitivities"), settings=("thresholds",)),
        Derived("published_values",
                files={"reference": "reference/published_sample_complexity.csv"}),
    ),
    figures=(
        Figure("fig02", "a grammar, its samples, two kinds of sparsity",
               function=".figures_model:fig02"),
        Figure("fig03", "locally connected and convolutional networks",
               function=".figures_model:fig03"),
        Figure("fig04", "sample complexities against Eq. 3 and Eq. 4",
               ("cells", "sample_complexity", "published_values"),
               function=".figures_complexity:fig04", settings=OF_P_STAR,
               files={"publications": "published/*/sparse_hierarchy/*.*"},
               # What the explorer shows at first.
               shows={"net": ("lcn", "cnn"), "s": 2, "sparsity": "A",
                      "protocol": "as the text says", "grammars": ""},
               first={"net": ("lcn", "cnn"), "s": (2,), "sparsity": ("A",),
                      "whitening": (False,), "bias": (False,), "batch": ("shuffled",)}),
        Figure("fig05", "the benefit of sparsity, Eq. 5", function=".figures_model:fig05"),
        _invariances(6, "synonyms and diffeomorphisms, and where an LCN has learnt them", "lcn",
                     [2], illustrated=True),
        _sparsity_b(7, "lcn"),
        _sparsity_b(8, "cnn"),
        _branching(10, "lcn"),
        _invariances(11, "invariances of the LCN for s = 3", "lcn", [3]),
        _sensitivity_curves(12, "lcn"),
        _branching(13, "cnn"),
        _invariances(14, "invariances of the CNN", "cnn", [2, 3]),
        _sensitivity_curves(15, "cnn"),
        _invariances(16, "invariances of the FCN", "fcn", [2]),
        Figure("authors_points", "the authors' points over ours, by their practice",
               ("sample_complexity", "cells", "published_values"),
               function=".figures_complexity:authors_points",
               shows={"s": 2, "sparsity": "A", "protocol": "balanced batches"}),
        Figure("practice", "what the choices of the published figures do to P*",
               ("sample_complexity",), function=".figures_complexity:practice",
               settings=OF_P_STAR, shows={"net": "cnn", "s": 2, "sparsity": "A"}),
    ),
    claims=".claims",
    page_tables=".page:tables",
    headline=".headline",
    page="report",
)  # fmt: skip
