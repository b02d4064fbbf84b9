"""Section of the study, the cells that it asks for, and its tables. Imports no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from srhm.declare.keys import Counts, Keys, Scales, Seeds, Several, Sizes, combinations
from srhm.declare.study import ConfigError, Planned, Trainer
from srhm.experiments.cells import schema
from srhm.experiments.groups import CurveCells, planned
from srhm.model.grammar import GRAMMAR, GrammarError, parameters_of
from srhm.store.provenance import canonical_json
from srhm_studies.learning_curves.learner import GrammarKeys, complexities

WHICH = {"target": str, "net": str, **dict.fromkeys(GRAMMAR, int)}
CELLS = schema(
    {**WHICH, "P": int, "n_test": int, "wrong": float, "wrong_first": float, "noise": float}
)
# criterion: "wrong", of all levels, or "wrong_first", of level 1.
SAMPLE_COMPLEXITY = complexities(WHICH)
FUNCTION = "srhm_studies.learning_curves.own_latents.experiment:run"


class Curves(GrammarKeys):
    """Curves of wrong pairs against P: one for each combination of the lists."""

    target: Several[Literal["context", "parent", "class"]] = Field(
        description="what is counted beside a tuple: its cousins, the parent of its latent, or the"
        " label"
    )
    net: Several[Literal["separate", "shared"]] = Field(
        description="shared: counts of all places are pooled; separate: each place on its own"
    )
    L: Sizes = Field(description="depth of the hierarchy, 2 or more")
    s0: Counts = Field([0], description="empty places for each informative one")
    P_over_law: Scales = Field(
        description="sizes of the training set, over the law of the README of the study"
    )
    seeds: Seeds = Field(8, description="seeds 0, 1, ...: grammars, data")


class OwnLatentsSection(Keys):
    """Latents from counts of what stands beside tuples; nothing is trained."""

    n_test: int = Field(1000, ge=50, strict=True, description="test points")
    curves: list[Curves] = Field(min_length=1, description="groups of curves")


def closed(*, s: int, v: int, m: int) -> float:
    """Part of all tuples that is not in use, 1 - m/v^(s-1): of it cousins know."""
    return float(1 - m / v ** (s - 1))


def law(curve: Mapping[str, Any]) -> float:
    """Points that the counts should need, but for a constant; reasons in the README.

    v m^3/(1 - m/v^(s-1)) for the context (without the last factor where it is infinite), v m^2 for
    the parent, n_c m^L for the class; times (s_0+1)^s shared or (s_0+1)^(L-1+s) separate; over
    s^(L-2), parents of a datum, where places are pooled.
    """
    L, s, s0, v, m, n_c = (curve[name] for name in ("L", "s", "s0", "v", "m", "n_c"))
    target = curve["target"]
    points = {"context": v * m**3 / (closed(s=s, v=v, m=m) or 1), "parent": v * m**2,
              "class": n_c * m**L}[target]  # fmt: skip
    if curve["net"] == "separate":
        return float(points * (s0 + 1) ** (L - 1 + s))
    return float(points * (s0 + 1) ** s / (s ** (L - 2) if target != "class" else 1))


def plan(section: OwnLatentsSection, directory: Path, *, trainer: Trainer) -> Planned:
    """The cells of all groups, a job for each target, net and dense or sparse grammars.

    Raises:
        ConfigError: naming the group, the key and what is allowed.
    """
    jobs: dict[str, dict[str, dict[str, Any]]] = {}
    for number, group in enumerate(section.curves):
        names = ("target", "net", "L", "s", "s0", "v", "n_c", "m", "P_over_law", "seed")
        for cell in combinations(group, *names):
            scale = cell.pop("P_over_law")
            if cell["L"] < 2:
                raise ConfigError(f"  curves.{number}.L: 1 is refused; allowed are 2 or more")
            try:
                parameters_of(cell)
            except GrammarError as error:
                raise ConfigError(f"  curves.{number}: {error}") from error
            points = max(1, round(scale * law(cell)))
            whole = {**cell, "P": points, "n_test": section.n_test}
            kind = "sparse" if cell["s0"] else "dense"
            name = f"own-latents-{cell['target']}-{cell['net']}-{kind}"
            jobs.setdefault(name, {})[canonical_json(whole)] = whole
    families = [
        CurveCells(name=name, function=FUNCTION, cells=cells.values(), long=False)
        for name, cells in jobs.items()
    ]
    return planned(trainer, families)


def seconds(cell: dict[str, Any]) -> float:
    """Seconds that a cell is expected to take on one core, fitted by eye to three of them."""
    w, L, s = cell["s"] * (cell["s0"] + 1), cell["L"], cell["s"]
    places = [1 if cell["net"] == "shared" else w ** (L - level) for level in range(1, L)]
    return float(0.03 + 0.02 * sum(places) + 1e-6 * cell["P"] * s**L)
