"""Rows of the table of the first step of gradient descent, from the entries of a configuration.

An entry names nets and grammars by scalars or lists: net, L, s, s0, v, n_c (None: v), m (None:
v^(s-1)), P and the number of seeds. A seed is that of the core: it has the grammar of the learning
curves with the same parameters, and their nested training sets but for the points of their tests.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from srhm.declare.keys import combinations
from srhm.model.grammar import Grammar, GrammarParameters, draw_grammar, parameters_of
from srhm.model.sampling import Derivations, draw_sample, n_test_points
from srhm.model.seeding import generator
from srhm.plane.first_step.gradient import first_step

LETTERS = ("L", "s", "s0", "v", "m", "n_c")
MEASURED = (
    "n_distinct",
    "signal",
    "noise",
    "n_equal",
    "synonym_noise",
    "placement_noise",
    "latent_signal",
    "all_synonym_noise",
    "all_latent_signal",
)


@dataclass(frozen=True, kw_only=True)
class GrammarOfEntry:
    """One grammar of an entry, in the letters of the paper."""

    L: int
    s: int
    s0: int
    v: int
    m: int
    n_c: int

    @property
    def parameters(self) -> GrammarParameters:
        """The same, as the sampling takes it."""
        return parameters_of(asdict(self))


def first_step_rows(entries: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row (net, grammar, seed, P, MEASURED) for each net, grammar, seed and P of the entries.

    A grammar of two entries is measured once for each net, seed and P.

    Raises:
        SampleError, GrammarError: if a grammar has no such P, or is none; the message names both.
    """
    done = set()
    for entry in entries:
        sizes = sorted(set(_listed(entry["P"])))
        for grammar in _grammars(entry):
            for seed in range(entry["seeds"]):
                rules, data = _sample(grammar.parameters, n_train=sizes[-1], seed=seed)
                for net, P in product(_listed(entry["net"]), sizes):
                    if (net, grammar, seed, P) in done:
                        continue
                    done.add((net, grammar, seed, P))
                    found = asdict(step := first_step(rules, data[:P], net))
                    found["n_equal"] = step.n_equal
                    found["n_distinct"] = float(step.n_distinct)
                    measured = {name: found[name] for name in MEASURED}
                    yield {"net": net, **asdict(grammar), "seed": seed, "P": P, **measured}


def check_sizes(entry: Mapping[str, Any]) -> None:
    """Refuses an entry with a grammar that is none, or that has not as many distinct data as P.

    Raises:
        GrammarError, SampleError: naming the parameter and what is allowed.
    """
    for grammar in _grammars(entry):
        n_test_points(grammar.parameters, n_train=max(_listed(entry["P"])), n_test=1)


def _grammars(entry: Mapping[str, Any]) -> Iterator[GrammarOfEntry]:
    for letters in combinations({"m": None, "n_c": None, **entry}, *LETTERS):
        yield GrammarOfEntry(**letters)


def _sample(
    parameters: GrammarParameters, *, n_train: int, seed: int
) -> tuple[Grammar, Derivations]:
    """Grammar and training set of a seed of the core."""
    grammar = draw_grammar(parameters, generator=generator(seed, role="grammar"))
    data, _ = draw_sample(
        grammar,
        n_train=n_train,
        n_test=1,
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )
    return grammar, data


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
