"""Studies by gradient flow and Adam as their users run them: small curves, twice, changed."""

from collections.abc import Callable
from typing import Any

import pytest
from copied_project import Project

from srhm.planning.registry import STUDIES
from srhm.scorecard.card import claims_in

SMALL = {"L": 2, "v": 3, "s0": 1, "width": 4, "seeds": 1}
SECTIONS: dict[str, dict[str, Any]] = {
    "complexity": {
        "n_test": 60,
        "curves": [
            {
                **SMALL,
                **{"net": "cnn", "P": [16, 32], "alpha_tilde": [0.1, 100]},
                "optimiser": {"max_evaluations": 40},
                "measure": ["kernels", "singular_values", "sensitivities", "frozen_kernels"],
            }
        ],
    },
    "jamming": {
        "n_test": 60,
        "curves": [
            {
                **{"data": "random", "net": "fcn", "d": 4, "hidden_layers": 2, "width": 3},
                **{"P": [20], "alpha": 1, "seeds": 2, "labels": "parity", "bias": True},
                **{"loss": "quadratic_hinge", "subtract_initial": False},
                "optimiser": {"name": "adam", "max_evaluations": 40},
            }
        ],
    },
    "first_step": {
        "grammars": [{"net": "lcn", "L": 2, "v": 3, "s0": 0, "P": [10], "seeds": 1}],
    },
}
FIGURES = {
    "complexity": {"complexity", "onset", "stability"},
    "jamming": {"jamming"},
    "first_step": {"first_step"},
}

pytestmark = pytest.mark.xdist_group("plane workflow")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("plane"), "plane", store="results/plane/cells")
    # The paper is asked for by the preset, and not made.
    paper = {name: project.config()[name] for name in ("preset", "sparse_hierarchy")}
    project.configure({**paper, **SECTIONS})
    project.run()
    project.keep()
    return project


def test_figures_tables_scorecards_and_pages_are_made(finished: Project) -> None:
    made = finished.folder / "results/test"
    for study, figures in FIGURES.items():
        for name in figures:
            assert (made / "figures" / f"{name}.pdf").stat().st_size > 1000
            assert (made / "figures" / f"{name}.png").stat().st_size > 1000
        page = (made / f"{study}.html").read_text()
        assert all(f'id="{name}"' in page for name in figures)
        assert "Missing from this report" not in page
        claims = finished.table(f"{study}/claims")
        card = (made / f"{study}_scorecard.md").read_text()
        assert list(claims["claim"]) == [one.identifier for one in claims_in(STUDIES[study].claims)]
        assert all(f"`{claim}`" in card for claim in claims["claim"])
    for study in ("complexity", "jamming"):
        assert set(finished.table(f"{study}/cells")["study"]) == {study}
    # 2 P x 2 alpha_tilde, and 2 networks on random data.
    assert len(finished.table("complexity/cells")) == 4
    assert len(finished.table("jamming/timings")) == 2
    kernels = finished.table("complexity/kernels")
    assert set(finished.table("complexity/sensitivities")["key"]) == set(kernels["key"])
    assert len(set(finished.table("jamming/hessians")["key"])) == 2
    assert len(finished.table("complexity/hessians")) == 0
    assert len(finished.table("first_step/first_step")) > 0


def add_a_size(project: Project) -> None:
    """Adds a P to the curve of jamming."""
    config = project.config()
    config["jamming"]["curves"][0]["P"] = [20, 40]
    project.configure(config)
    assert project.to_train() == 2


def take_out_a_study(project: Project) -> None:
    """Takes the study of sample complexities out of the preset."""
    config = project.config()
    del config["complexity"]
    project.configure(config)


HESSIANS = ("src/srhm/measure/hessians.py", "MAX_EXACT = 1500", "MAX_EXACT = 1501")
CLAIMS = ("src/srhm/plane/jamming/claims.py", "Within(expected, 0.05)", "Within(expected, 0.06)")
PROSE = ("src/srhm/plane/jamming/README.md", "\n\n", "\n\nMore is said.\n\n")
MEASURED = {"measure_flow_hessians", "gather_jamming", "jamming", "score_jamming", "page_jamming",
            "plane_explorer"}  # fmt: skip
# A change, and the rules that run after it, a job of each, as in tests/test_workflow.py.
CHANGES: dict[str, tuple[Callable[[Project], object], set[str]]] = {
    "nothing": (lambda project: None, set()),
    "P added": (add_a_size, {"train_flow"} | MEASURED),
    "code of a measurement": (lambda project: project.edit(*HESSIANS), MEASURED),
    "claims of one study": (
        lambda project: project.edit(*CLAIMS), {"score_jamming", "page_jamming"}
    ),
    "prose": (lambda project: project.edit(*PROSE), {"page_jamming"}),
    "a study taken out": (take_out_a_study, {"plane_explorer"}),
}  # fmt: skip


@pytest.mark.parametrize(("change", "again"), CHANGES.values(), ids=CHANGES)
def test_what_is_done_again_after(
    change: Callable[[Project], object], again: set[str], project: Project
) -> None:
    change(project)
    planned = project.planned()
    assert planned.pop("plane", 1) == 1  # the target itself
    assert planned == dict.fromkeys(again, 1)
