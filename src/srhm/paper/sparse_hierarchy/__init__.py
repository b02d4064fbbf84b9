"""The paper: sample complexities and sensitivities of LCN, CNN and FCN on the SRHM."""

from srhm.declare.study import CellMeasurement, Derived, Figure, Study
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan
from srhm.training.trainers import HIERARCHY

OF_P_STAR = ("preset", "width", "threshold")


def _invariances(
    number: int, title: str, net: str, branchings: list[int], *, illustrated: bool = False
) -> Figure:
    return Figure(
        name=f"fig{number:02}",
        title=title,
        function=".figures_invariances:invariances",
        uses=("sample_complexity", "cells"),
        # Of the FCN the width differs between depths.
        settings=("preset", "threshold") if net == "fcn" else OF_P_STAR,
        options={"net": net, "branchings": branchings, "illustrated": illustrated}
        | ({"width": None, "practice": "fcn2"} if net == "fcn" else {}),
        # Of both s, where it has two.
        shows={"net": net, "s": branchings[0] if len(branchings) == 1 else "", "sparsity": "A"},
    )


def _sparsity_b(number: int, net: str) -> Figure:
    return Figure(
        function=".figures_complexity:sparsity_b",
        name=f"fig{number:02}",
        title=f"learning curves of the {net.upper()} with sparsity B",
        uses=("cells",),
        settings=OF_P_STAR,
        options={"net": net},
        shows={"net": net, "s": 2, "sparsity": "B"},
    )


def _branching(number: int, net: str) -> Figure:
    return Figure(
        function=".figures_complexity:branching",
        name=f"fig{number:02}",
        title=f"sample complexity of the {net.upper()} for s = 3",
        uses=("sample_complexity", "published_values"),
        settings=OF_P_STAR,
        options={"net": net},
        shows={"net": net, "s": 3, "sparsity": "A"},
    )


def _sensitivity_curves(number: int, net: str) -> Figure:
    return Figure(
        function=".figures_invariances:sensitivity_curves",
        name=f"fig{number:02}",
        title=f"sensitivities of every layer of the {net.upper()}",
        uses=("cells", "sensitivities"),
        settings=("preset", "width"),
        options={"net": net},
        shows={"net": net, "L": 2, "s": 2, "sparsity": "A"},
    )


STUDY = Study(
    package=__package__,
    name="sparse_hierarchy",
    title="The Sparse Random Hierarchy Model",
    config=HierarchySection,
    plan=plan,
    trainer=HIERARCHY,
    measurements=(
        CellMeasurement(
            "sensitivities",
            HIERARCHY,
            "srhm.measure.representations:measure_sensitivities",
            {"sensitivities": "SENSITIVITIES"},
        ),
    ),
    tables=(
        Derived(
            name="sample_complexity",
            function="srhm.statistics.sample_complexity:all_sample_complexities",
            schema="SAMPLE_COMPLEXITY",
            uses=("cells", "sensitivities"),
            settings=("thresholds",),
        ),
        Derived(
            name="published_values",
            function=".analysis:published_values",
            schema=".analysis:PUBLISHED_VALUES",
            files={"reference": "reference/published_sample_complexity.csv"},
        ),
    ),
    figures=(
        Figure(
            function=".figures_model:fig02",
            name="fig02",
            title="a grammar, its samples, two kinds of sparsity",
        ),
        Figure(
            function=".figures_model:fig03",
            name="fig03",
            title="locally connected and convolutional networks",
        ),
        Figure(
            name="fig04",
            title="sample complexities against Eq. 3 and Eq. 4",
            function=".figures_complexity:fig04",
            uses=("cells", "sample_complexity", "published_values"),
            settings=OF_P_STAR,
            files={"publications": "published/*/sparse_hierarchy/*.*"},
            # What the explorer shows at first.
            shows={
                "net": ("lcn", "cnn"),
                "s": 2,
                "sparsity": "A",
                "protocol": "as the text says",
                "grammars": "",
            },
            first={
                "net": ("lcn", "cnn"),
                "s": (2,),
                "sparsity": ("A",),
                "whitening": (False,),
                "bias": (False,),
                "batch": ("shuffled",),
            },
        ),
        Figure(
            function=".figures_model:fig05", name="fig05", title="the benefit of sparsity, Eq. 5"
        ),
        _invariances(
            6,
            "synonyms and diffeomorphisms, and where an LCN has learnt them",
            "lcn",
            [2],
            illustrated=True,
        ),
        _sparsity_b(7, "lcn"),
        _sparsity_b(8, "cnn"),
        _branching(10, "lcn"),
        _invariances(11, "invariances of the LCN for s = 3", "lcn", [3]),
        _sensitivity_curves(12, "lcn"),
        _branching(13, "cnn"),
        _invariances(14, "invariances of the CNN", "cnn", [2, 3]),
        _sensitivity_curves(15, "cnn"),
        _invariances(16, "invariances of the FCN", "fcn", [2]),
        Figure(
            function=".figures_complexity:authors_points",
            name="authors_points",
            title="the authors' points over ours, by their practice",
            uses=("sample_complexity", "cells", "published_values"),
            shows={"s": 2, "sparsity": "A", "protocol": "balanced batches"},
        ),
        Figure(
            function=".figures_complexity:practice",
            name="practice",
            title="what the choices of the published figures do to P*",
            uses=("sample_complexity",),
            settings=OF_P_STAR,
            shows={"net": "cnn", "s": 2, "sparsity": "A"},
        ),
    ),
    claims=".claims",
    page_tables=".page:tables",
    headline=".headline",
    page="report",
)
