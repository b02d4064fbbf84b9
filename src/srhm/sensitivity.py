"""Sensitivities of the layers of any PyTorch module to synonyms and displacements.

sensitivities(network, ["0", "2", "output"], dataset, seed=0)
"""

from collections.abc import Sequence

import numpy as np

from srhm.declare.names import extra
from srhm.measure.sensitivity import Probe, Representation, Variant, measure, one_node
from srhm.model.grammar import whole
from srhm.model.sampling import Derivations
from srhm.torch_data import HierarchyDataset

with extra("torch"):
    from torch import Tensor, nn

    from srhm.networks.activations import OUTPUT, record_activations
with extra("analysis"):
    import pandas as pd

# Points of one forward pass: more at a time are slower, as activations leave the caches.
BATCH = 64


def sensitivities(
    network: nn.Module,
    layers: Sequence[str],
    dataset: HierarchyDataset,
    *,
    seed: int,
    n_points: int = 500,
    n_draws: int = 4,
    variant: Variant = "text",
) -> pd.DataFrame:
    """S_{k,l} (kind "S") and D_{k,l} ("D") of each layer k and level l: Eq. 6, 7, 13, 14.

        S_{k,l} = <||f_k(x) - f_k(p_l x)||^2>_{x, p_l} / <||f_k(x_i) - f_k(x_j)||^2>_{i != j}

    and D_{k,l} with the displacement τ_l for the exchange of synonyms p_l: 0 where f_k does not
    see the change, about 1 where the changed datum is as far as another one. The network is
    measured in eval mode where it lies; its modes are put back.

    Args:
        network: any module.
        layers: names as in `network.named_modules()`, numbered k = 1, 2, ... as given; "output" is
            what the network returns. Each gives one tensor (n, ...) of a batch of n.
        dataset: the data, of which x runs over the first `n_points`; i, j over all pairs of these.
        seed: of the changes.
        n_points: number of points x.
        n_draws: changed versions of each point.
        variant: "text", or "practice", as in the published figures.

    Returns:
        A row for each kind, k and l: kind, layer, k, l, value, standard_error (jackknife over
        points), n, n_draws. NaN where all points have one representation; n = 0 where the
        transformation can change nothing (S for m = 1, D for s_0 = 0).

    Raises:
        TypeError: if seed, n_points or n_draws is no whole number.
        ValueError: if one is out of range; if a layer is no module of the network, or executed
            other than once, or its output is not a tensor (n, ...); if there are fewer than two
            points.
    """
    seed = whole(seed, "seed", least=0)
    n_points = whole(n_points, "n_points", least=2)
    n_draws = whole(n_draws, "n_draws", least=1)
    names = tuple(layers)
    known = [name for name, _ in network.named_modules() if name]
    for name in names:
        if name not in (OUTPUT, *known):
            raise ValueError(f"no layer {name!r}; there are: {', '.join([*known, OUTPUT])}")
    if not names or len(set(names)) < len(names):
        raise ValueError(f"layers = {list(names)}: allowed are one or more, each once")

    def represent(data: Derivations) -> list[Representation]:
        batches = [data[start : start + BATCH] for start in range(0, len(data), BATCH)]
        by_batch = [_activations(network, dataset.inputs(batch), names) for batch in batches]
        return [one_node(np.concatenate([outputs[name] for outputs in by_batch])) for name in names]

    of_point = represent(dataset.data[:1])
    probe = Probe(names, represent, sum(layer.values.size for layer in of_point))
    rows = measure(
        probe, dataset.grammar, dataset.data,
        seed=seed, n_points=n_points, n_draws=n_draws, variant=variant,
    )  # fmt: skip
    return pd.DataFrame(rows)


def _activations(network: nn.Module, x: Tensor, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Each layer of a batch, (n, values), in single precision."""
    weight = next(network.parameters(), x)
    x = x.to(weight.device, weight.dtype if x.is_floating_point() else None)
    arrays = {}
    for name, values in record_activations(network, x, names).items():
        if not isinstance(values, Tensor) or values.shape[:1] != x.shape[:1]:
            what = tuple(values.shape) if isinstance(values, Tensor) else type(values).__name__
            raise ValueError(
                f"layer {name!r} gives {what} for {len(x)} points, not a tensor (n, ...):"
                " name another module"
            )
        arrays[name] = values.reshape(len(x), -1).float().cpu().numpy()
    return arrays
