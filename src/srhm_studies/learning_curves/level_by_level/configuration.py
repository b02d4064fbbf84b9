"""Section of the study, the cells that it asks for, and its tables. Imports no torch."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from srhm.declare.keys import Counts, Keys, PositiveInt, Scales, Seeds, Several, Sizes, combinations
from srhm.declare.study import ConfigError, Planned, Trainer
from srhm.experiments.cells import schema
from srhm.experiments.groups import CurveCells, planned
from srhm.model.grammar import GRAMMAR, GrammarError, n_nodes, parameters_of
from srhm.model.sampling import largest_training_set
from srhm.store.provenance import canonical_json
from srhm_studies.learning_curves.learner import GrammarKeys, complexities

WHICH = {"net": str, "draws": str, **dict.fromkeys(GRAMMAR, int)}
CELLS = schema({
    **WHICH, **dict.fromkeys(("P", "n_test", "n_random"), int), "sensitivities": bool,
    "test_error": float, "gap": float,
})  # fmt: skip
ERRORS = ("token_error", "token_error_clean", "response_error", "within", "between", "gap")
LEVELS = schema({"level": int, **dict.fromkeys(ERRORS, float)}, long=True)
SENSITIVITIES = schema({
    "kind": str, "layer": str, "k": int, "l": int, "value": float, "standard_error": float,
    "n": int, "n_draws": int,
}, long=True)  # fmt: skip
# P* of the algorithm. criterion: of all grammars, or of the weakly identifiable ones alone.
SAMPLE_COMPLEXITY = complexities(WHICH)
# P* of networks trained by gradient descent on the same grammars, from published rows.
REFERENCES = pa.schema([
    *((name, pa.string()) for name in ("origin", "training")),
    *(SAMPLE_COMPLEXITY.field(name) for name in (
        "net", *GRAMMAR, "P_star", "P_star_low", "P_star_high", "status", "n_seeds", "small_pool",
    )),
])  # fmt: skip
FUNCTION = "srhm_studies.learning_curves.level_by_level.experiment:run"


class Curves(GrammarKeys):
    """Learning curves of the algorithm: a curve for each combination of the lists."""

    net: Several[Literal["separate", "shared"]] = Field(
        description="shared: one regression of all places; separate: one of each"
    )
    draws: Several[Literal["independent", "distinct"]] = Field(
        ["independent"],
        description="independent data, which may repeat, or distinct ones as in other studies",
    )
    L: Sizes = Field(description="depth of the hierarchy")
    s0: Counts = Field([0], description="empty places for each informative one")
    P_over_law: Scales = Field(
        description="sizes of the training set, over n_c m^L times (s0+1)^2 (shared) or (s0+1)^L"
        " (separate); with distinct draws those that leave no test set are left out"
    )
    seeds: Seeds = Field(8, description="seeds 0, 1, ...: grammars, data")
    sensitivities: bool = Field(False, description="whether S_{k,l} of each stage are measured")


class LevelByLevelSection(Keys):
    """Learning grammars level by level: random features, ridge regression, clusters."""

    n_test: int = Field(1000, ge=50, strict=True, description="test points")
    n_random: PositiveInt = Field(512, description="random features of a patch")
    curves: list[Curves] = Field(min_length=1, description="groups of learning curves")


def law(curve: Mapping[str, Any]) -> float:
    """n_c m^L with the factor of s_0+1 of Eq. 4 (shared, as of a CNN) or 3 (separate, of an LCN).

    Both without their constants.
    """
    power = 2 if curve["net"] == "shared" else curve["L"]
    return float((curve["s0"] + 1) ** power * curve["n_c"] * curve["m"] ** curve["L"])


def plan(section: LevelByLevelSection, directory: Path, *, trainer: Trainer) -> Planned:
    """The cells of all groups; learning curves that groups share are joined.

    A job has the learning curves of one net and kind of draws, dense or with empty places.

    Raises:
        ConfigError: naming the group, the key and what is allowed.
    """
    joined: dict[str, tuple[dict[str, Any], set[tuple[int, int]], list[bool]]] = {}
    for number, group in enumerate(section.curves):
        for curve in combinations(group, "net", "draws", "L", "s", "s0", "v", "n_c", "m"):
            points = {max(1, round(law(curve) * factor)) for factor in group.P_over_law}
            try:
                parameters = parameters_of(curve)
                if curve["draws"] == "distinct":
                    points = {P for P in points if largest_training_set(parameters) >= P}
            except GrammarError as error:
                raise ConfigError(f"  curves.{number}: {error}") from error
            _, sizes, asked = joined.setdefault(canonical_json(curve), (curve, set(), []))
            sizes.update(product(points, range(group.seeds)))
            asked.append(group.sensitivities)
    # Cells are short, so that a job has those of many grammars.
    jobs: dict[str, list[dict[str, Any]]] = {}
    for curve, sizes, asked in joined.values():
        kind = "sparse" if curve["s0"] else "dense"
        name = "-".join(["level-by-level", curve["net"], curve["draws"], kind])
        jobs.setdefault(name, []).extend(
            {**curve, "P": P, "n_test": section.n_test, "n_random": section.n_random,
             "sensitivities": any(asked), "seed": seed}
            for P, seed in sorted(sizes)
        )  # fmt: skip
    return planned(trainer, [
        CurveCells(name=name, function=FUNCTION, cells=cells)
        for name, cells in jobs.items() if cells
    ])  # fmt: skip


def seconds(cell: dict[str, Any]) -> float:
    """Seconds that a cell is expected to take on one core, fitted to six of them.

    Some for each regression, which is done with learnt and with true tokens below, and each point.
    """
    w, L = cell["s"] * (cell["s0"] + 1), cell["L"]
    places = [1 if cell["net"] == "shared" else w ** (L - level) for level in range(1, L + 1)]
    contents = (cell["v"] * (cell["s0"] + 1)) ** cell["s"]
    points = cell["P"] * n_nodes(depth=L, branching=cell["s"])
    return 0.02 + 2 * sum(places) * (0.005 + 2e-5 * contents) + 5e-7 * points
