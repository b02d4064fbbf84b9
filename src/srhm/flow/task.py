"""What a flow cell learns: its grammar, and the number of its inputs. Imports no torch."""

from collections.abc import Mapping
from typing import Any

from srhm.model.grammar import GrammarParameters


def parameters_of(cell: Mapping[str, Any]) -> GrammarParameters:
    """Parameters of the grammar of a cell, or of the coordinates that its cells share.

    Raises:
        GrammarError: if no grammar can have them.
    """
    return GrammarParameters(
        depth=cell["L"],
        branching=cell["s"],
        n_features=cell["v"],
        n_synonyms=cell["m"],
        n_classes=cell["n_c"],
        n_empty=cell["s0"],
        sparsity=cell["sparsity"],
    )


def n_inputs(cell: Mapping[str, Any]) -> int:
    """Numbers of one input: d v, or the d of random data."""
    if cell["data"] == "random":
        return int(cell["d"])
    parameters = parameters_of(cell)
    return parameters.input_length * parameters.n_features
