"""Which layer lies at a relative depth, for every architecture: the only place that decides it."""

from fractions import Fraction


def layer_at(relative_depth: float, n_layers: int) -> int:
    """Layer k in 1 ... n_layers at a relative depth, one more than the integer part of r n_layers.

    Layers are those of `activations.activation_layers`, without the output. The published figures
    take the entry int(r n) of a list that starts at 0: of two layers the one at 0.8 is the second.

    Args:
        relative_depth: r in [0, 1), read as the decimal that is written: 0.29 is 29 / 100.
        n_layers: number of activation layers, at least 1.

    Raises:
        ValueError: if either is outside its range.
    """
    if not 0 <= relative_depth < 1:
        raise ValueError(f"relative depth {relative_depth}: allowed is 0 <= r < 1")
    if n_layers < 1:
        raise ValueError(f"a network of {n_layers} activation layers has no layer at any depth")
    # In binary 0.29 * 100 is 28.99..., whose integer part is not the one that is meant.
    return int(Fraction(str(relative_depth)) * n_layers) + 1
