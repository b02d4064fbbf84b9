"""Section of the first step of gradient descent. Imports no torch."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from srhm.declare.keys import Counts, Keys, Seeds, Several, Sizes, combinations
from srhm.declare.study import ConfigError, Planned
from srhm.model.grammar import GRAMMAR, GrammarError, parameters_of
from srhm.model.sampling import SampleError, n_test_points


class Grammars(Keys):
    """Grammars and sizes at which signal and noise of the first layer's update are measured."""

    net: Several[Literal["lcn", "cnn"]] = Field(description="lcn, cnn")
    L: Sizes = Field(description="depth of the hierarchy")
    s: Sizes = Field([2], description="branching")
    s0: Counts = Field(description="empty places for each informative one")
    v: Sizes = Field(description="features")
    n_c: Sizes | None = Field(None, description="classes; absent: v")
    m: Sizes | None = Field(None, description="synonyms; absent: v^(s-1)")
    P: Sizes = Field(description="sizes of the training set")
    seeds: Seeds = Field(3, description="seeds 0, 1, ...: grammars, data")


class FirstStepSection(Keys):
    """The first step of gradient descent."""

    grammars: list[Grammars] = Field(min_length=1, description="groups of grammars")


def plan(section: FirstStepSection, directory: Path) -> Planned:
    """No curves: a table is computed from the grammars alone.

    Raises:
        ConfigError: naming the group, the parameter and what is allowed.
    """
    entries = [group.model_dump() for group in section.grammars]
    for number, entry in enumerate(entries):
        try:
            for letters in combinations(entry, *GRAMMAR, "P"):
                n_test_points(parameters_of(letters), n_train=letters["P"], n_test=1)
        except (GrammarError, SampleError) as error:
            raise ConfigError(f"  grammars.{number}: {error}") from error
    return Planned(settings={"entries": entries})
