"""Squared parameter norm against depth, for maps of known rank.

Source: A. Jacot, talk "Bottleneck structure in large depth networks" (2023), slide "Parameter norm
and depth" and those before it.
"""

from collections.abc import Mapping
from typing import Any

from srhm.experiments.cells import Outcome
from srhm_studies.beyond.representation_cost import spectra
from srhm_studies.beyond.representation_cost.fitting import fit
from srhm_studies.beyond.representation_cost.known import MAPS
from srhm_studies.beyond.representation_cost.maps import points_of
from srhm_studies.beyond.representation_cost.networks import Architecture, concatenated
from srhm_studies.beyond.representation_cost.outcomes import layer_tables, numbers


def run(cell: Mapping[str, Any]) -> Outcome:
    """One ReLU network fitted with weight decay to a map of `maps.MAPS`.

    cell: map, L, width, n, d, and what `fitting.fit` reads. Row: besides `outcomes.numbers` the
    variance of the targets, log |Jf|_+, both sides of the bound on the weights at k = Rank_BN, and
    the largest (2/N) ||J_theta f(x_i)||_op^2.
    """
    x, y = points_of(cell)
    sizes = (x.shape[1], y.shape[1])
    channels = concatenated(sizes, int(cell["L"]), int(cell["width"]))
    fitted = fit(Architecture(channels=channels), x, y, cell)
    row = {**numbers(fitted), "variance": float(y.var(0, correction=0).sum())}
    if not fitted.finite:
        return Outcome(row)
    inputs = x.to(fitted.parameters.theta.dtype)
    found = spectra.structure(
        fitted.parameters, inputs, rank=MAPS[str(cell["map"])].bottleneck_rank
    )
    derivative = spectra.parameter_jacobians(fitted.parameters, inputs).operator
    row["sharpness"] = float(2 * derivative.max() / len(derivative))
    if found is not None:
        row |= {
            "structure": float(found.by_layer.sum()),
            "structure_of_proof": found.of_proof,
            "structure_bound": found.bound,
            "log_jacobian": found.log_jacobian,
            "signal": found.signal,
            "signal_bound": found.signal_bound,
        }
    return Outcome(row, layer_tables(fitted, x, apart=found.by_layer if found else None))
