"""Studies by gradient flow and Adam as their users run them: small curves, twice, changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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


def test_a_second_run_has_nothing_to_do(finished: Project) -> None:
    before = finished.cells()
    assert finished.planned() == {}
    finished.run()
    assert finished.cells() == before


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change, and what a run does after it, as in tests/test_workflow.py.

    curves: jobs that train a curve; measured: jobs by measurement; gathered: studies; others: rules
    beside these and the figures that are drawn.
    """

    make: Callable[[Project], object]
    trained: int = 0
    curves: int = 0
    measured: Mapping[str, int] = field(default_factory=dict)
    gathered: frozenset[str] = frozenset()
    drawn: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()


def change_curves(project: Project, study: str, **keys: Any) -> None:
    """Changes keys of the curves of a study."""
    config = project.config()
    config[study]["curves"][0].update(keys)
    project.configure(config)


def take_out_a_study(project: Project) -> None:
    """Takes the study of sample complexities out of the preset."""
    config = project.config()
    del config["complexity"]
    project.configure(config)


HESSIANS = ("src/srhm/measure/hessians.py", "MAX_EXACT = 1500", "MAX_EXACT = 1501")
CLAIMS = ("src/srhm/plane/jamming/claims.py", "Within(expected, 0.05)", "Within(expected, 0.06)")
PROSE = ("src/srhm/plane/jamming/README.md", "\n\n", "\n\nMore is said.\n\n")
JAMMED = frozenset({"jamming"})
SHOWN = frozenset({"score_jamming", "page_jamming", "plane_explorer"})

CHANGES = {
    "P added": Change(
        make=lambda project: change_curves(project, "jamming", P=[20, 40]),
        **{"trained": 2, "curves": 1, "measured": {"hessians": 1}},
        **{"gathered": JAMMED, "drawn": JAMMED},
        others=SHOWN,
    ),
    "code of a measurement": Change(
        make=lambda project: project.edit(*HESSIANS),
        **{"measured": {"hessians": 1}, "gathered": JAMMED, "drawn": JAMMED},
        others=SHOWN,
    ),
    "claims of one study": Change(
        make=lambda project: project.edit(*CLAIMS),
        others=frozenset({"score_jamming", "page_jamming"}),
    ),
    "prose": Change(make=lambda project: project.edit(*PROSE), others=frozenset({"page_jamming"})),
    "a study taken out": Change(make=take_out_a_study, others=frozenset({"plane_explorer"})),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_done_again_after(change: Change, project: Project) -> None:
    change.make(project)
    if change.curves:  # else no job trains, as is seen below
        assert project.to_train() == change.trained
    expected = {f"measure_flow_{name}": count for name, count in change.measured.items()}
    expected |= {f"gather_{study}": 1 for study in change.gathered}
    expected |= dict.fromkeys([*change.drawn, *change.others], 1)
    if change.curves:
        expected["train_flow"] = change.curves
    planned = project.planned()
    assert planned.pop("plane", 1) == 1  # the target itself
    assert planned == expected
