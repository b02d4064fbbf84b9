"""Section of the study, the cells that it asks for, and its tables. Imports no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from srhm.declare.keys import Counts, Keys, PositiveInt, Scales, Several
from srhm.declare.study import Planned, Trainer
from srhm.experiments.groups import planned
from srhm.model.grammar import GrammarError, GrammarParameters, parameters_of
from srhm.model.sampling import largest_training_set
from srhm_studies.learning_curves.learner import CurvesKeys, Learner, complexities, sizes_over

SHORTCUT = "srhm_studies.learning_curves.teaching.experiment:run_shortcut"
Places = Literal["none", "all", "level 1", "level 2", "level 3", "halves", "skewed"]


class Curves(CurvesKeys):
    """Learning curves: a curve for each combination of the lists."""

    net: Several[Literal["lcn", "cnn"]] = Field(description="network")
    synonyms: Counts = Field([0], description="synonyms of levels 1 to this one are drawn anew")
    places: Several[Places] = Field(
        ["none"],
        description="places that are drawn anew: none, of all levels, of one; halves: within the"
        " half in which a feature is; skewed: each next place half as likely",
    )
    patterns: Counts | None = Field(
        None,
        description="placements of all data are drawn from so many patterns, which data share; 0:"
        " uniformly; either way test points are also given placements of training points",
    )
    P_over_law: Scales = sizes_over(
        "n_c m^(L-synonyms) times (s0+1)^2 (CNN) or (s0+1)^L (LCN), without the powers of s0+1 that"
        " are taught"
    )


class TeachingSection(Keys):
    """Networks that are taught invariances: training data drawn anew in each epoch."""

    width: PositiveInt = Field(64, description="channels of each hidden layer")
    n_test: int = Field(2000, ge=50, strict=True, description="test points")
    max_steps: PositiveInt = Field(400_000, description="steps after which training stops")
    curves: list[Curves] = Field(min_length=1, description="groups of learning curves")


def law(curve: Mapping[str, Any]) -> float:
    """P* as predicted, without a constant: what is taught costs no points.

    n_c m^(L-l) of synonyms up to level l; a power of s_0+1 (Eq. 3, 4) less for a level of places.
    """
    L, places = curve["L"], curve["places"]
    n, power = curve["s0"] + 1, 2 if curve["net"] == "cnn" else L
    if places == "halves":
        n = 2
    elif places in ("all", "skewed"):
        power = 0
    elif places != "none":
        power -= 1
    return float(n**power * curve["n_c"] * curve["m"] ** (L - curve["synonyms"]))


LEARNER = Learner(
    function="srhm_studies.learning_curves.teaching.experiment:run",
    law=law,
    factors={"synonyms": int, "places": str},
    # patterns, donor, anew: of cells of `shortcut`; null of all others.
    measured={"S_2": float, "D_2": float, "patterns": int, "donor": float, "anew": float},
)
CELLS, SAMPLE_COMPLEXITY = LEARNER.cells, complexities(LEARNER.columns)


def plan(section: TeachingSection, directory: Path, *, trainer: Trainer) -> Planned:
    """The cells of all groups. A job has those of one net, L and v that are taught the same."""
    names = ("net", "L", "s", "s0", "v", "n_c", "m", "synonyms", "places", "patterns")
    given = section.model_dump(exclude={"curves"})

    def label(curve: Mapping[str, Any]) -> str:
        taught = f"p{curve['synonyms']}-places-{curve['places'].replace(' ', '-')}"
        shared = f"-patterns-{curve['patterns']}" if "patterns" in curve else ""
        return f"teaching-{curve['net']}-L{curve['L']}-v{curve['v']}-{taught}{shared}"

    return planned(trainer, LEARNER.families(
        section.curves, names, label, lambda *_: given,
        largest=lambda curve: _largest(curve, section.n_test),
        function=lambda curve: SHORTCUT if "patterns" in curve else LEARNER.function,
    ))  # fmt: skip


def n_patterns(parameters: GrammarParameters) -> int:
    """Patterns of placements that a datum can have: a placement for each of its rules."""
    return int(parameters.n_placements**parameters.n_nodes)


def largest_of_shared(parameters: GrammarParameters, patterns: int) -> int:
    """Half of all data of so many patterns: most that are drawn for training and testing."""
    return int(parameters.n_classes * parameters.n_synonyms**parameters.n_nodes * patterns // 2)


def _largest(curve: Mapping[str, Any], n_test: int) -> int:
    """Most training points that a curve can have.

    Raises:
        GrammarError: naming the key and what is allowed.
    """
    L, synonyms, places = curve["L"], curve["synonyms"], curve["places"]
    if synonyms > L:
        raise GrammarError(f"synonyms = {synonyms}: allowed are 0 to L = {L}")
    if places.startswith("level ") and int(places.removeprefix("level ")) > L:
        raise GrammarError(f"places = {places}: allowed are levels 1 to L = {L}")
    if places == "halves" and curve["s0"] % 2 == 0:
        raise GrammarError(f"s0 = {curve['s0']}: halves need an odd s0, an even number of places")
    parameters, patterns = parameters_of(curve), curve.get("patterns", 0)
    if patterns > (n := n_patterns(parameters)):
        raise GrammarError(f"patterns = {patterns}: allowed are 0 to {n}")
    return (largest_of_shared(parameters, patterns) - n_test if patterns
            else largest_training_set(parameters))  # fmt: skip


def seconds(cell: Mapping[str, Any]) -> float:
    """Seconds that a cell takes on one core: 20 us a step at L = 2 and H = 64, twice at L = 3."""
    steps = min(cell["max_steps"], 20_000 + 2 * cell["P"])
    return 0.2 + 1e-5 * steps * 2 ** (cell["L"] - 1) * max(cell["width"] / 64, 0.3)
