"""Compiled loops of SGD and Adam: sparse gradients on derivation trees, dense moves of all weights.

Rows, bases and scales are those of `srhm.training.sparse_kernels`; there, momentum alone moves
weights that a batch does not meet, by a closed form. Weight decay and Adam have none, so that here
each step moves all weights (g: gradient of the batch's mean loss, plus decay times the weight):

    SGD   m <- mu m + g,  w <- w - eta m
    Adam  m <- mu m + (1 - mu) g,  q <- beta q + (1 - beta) g^2,
          w <- w - eta m/(1 - mu^t) / (sqrt(q/(1 - beta^t)) + EPSILON)
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from srhm.training.machine_code import compiler
from srhm.training.sparse_kernels import FAST_MATH, SMALLEST, Sizes, row_loop

Array = NDArray[Any]
EPSILON = 1e-8
compiled = compiler(Path(__file__), nogil=True, fastmath=FAST_MATH)


class Rule(NamedTuple):
    """How weights move: adam or SGD; eta, mu, beta of the module; decay of the weights."""

    adam: bool = False
    eta: float = 0.0
    mu: float = 0.0
    beta: float = 0.0
    decay: float = 0.0


class Weights(NamedTuple):
    """Hidden weights (rows, H) and readout (n_c, H), or a number for each of them."""

    rows: Array
    readout: Array


class Room(NamedTuple):
    """Working memory of one point: activations and errors (nodes, H), and what it meets."""

    first_nodes: Array
    activations: Array
    errors: Array
    logits: Array
    active: Array


def room_for(network: Sizes, *, width: int, n_classes: int) -> Room:
    """Working memory for the points of a network, one after another."""
    n_nodes, dtype = network.n_inputs // network.arities, network.scales.dtype
    return Room(
        first_nodes=np.cumsum(n_nodes) - n_nodes,
        activations=np.zeros((n_nodes.sum(), width), dtype),
        errors=np.zeros((n_nodes.sum(), width), dtype),
        logits=np.zeros(n_classes, dtype),
        active=np.zeros(width, np.int64),
    )


@row_loop
def add_row(x: Any, rows: Array, row: int, outputs: Array, node: int) -> None:
    """Adds x times a row to another."""
    for h in range(rows.shape[1]):
        outputs[node, h] += x * rows[row, h]


@row_loop
def dot(rows: Array, row: int, others: Array, node: int) -> Any:
    """Product of two rows."""
    total = rows.dtype.type(0)
    for h in range(rows.shape[1]):
        total += rows[row, h] * others[node, h]
    return total


@row_loop
def descend(w: Array, g: Array, m: Array, eta: Any, mu: Any, decay: Any) -> None:
    """A step of SGD; gradients are zero after it."""
    zero, smallest = w.dtype.type(0), w.dtype.type(SMALLEST)
    for i in range(len(w)):
        move = mu * m[i] + (g[i] + decay * w[i])
        move = zero if abs(move) < smallest else move
        m[i] = move
        w[i] -= eta * move
        g[i] = zero


@row_loop
def adapt(
    w: Array, g: Array, m: Array, q: Array, eta: Any, mu: Any, beta: Any, root: Any, decay: Any
) -> None:
    """A step of Adam; gradients are zero after it. eta, root: with the corrections of the step."""
    zero, one = w.dtype.type(0), w.dtype.type(1)
    smallest, epsilon = w.dtype.type(SMALLEST), w.dtype.type(EPSILON)
    for i in range(len(w)):
        slope = g[i] + decay * w[i]
        mean = mu * m[i] + (one - mu) * slope
        square = beta * q[i] + (one - beta) * slope * slope
        mean = zero if abs(mean) < smallest else mean
        square = zero if square < smallest else square
        m[i], q[i] = mean, square
        w[i] -= eta * mean / (root * np.sqrt(square) + epsilon)
        g[i] = zero


@compiled
def find_active(room: Room, node: int) -> int:
    """Number of channels of a node that are not zero, which are listed."""
    n = 0
    for c in range(room.activations.shape[1]):
        room.active[n] = c
        n += room.activations[node, c] != 0
    return n


@compiled
def forward(weights: Weights, bases: Array, network: Sizes, room: Room) -> None:
    """Activations of all nodes of a point, times the scale of what reads them, and its logits."""
    x, zero = room.activations, weights.rows.dtype.type(0)
    one = weights.rows.dtype.type(1)
    x[:] = zero
    depth = len(network.arities)
    for k in range(depth):
        out, n_inputs = room.first_nodes[k], network.n_inputs[k]
        for i in range(n_inputs):
            base, node = bases[network.first_inputs[k] + i], out + i // network.arities[k]
            if k == 0:
                add_row(one, weights.rows, base, x, node)
                continue
            source = room.first_nodes[k - 1] + i
            for p in range(find_active(room, source)):
                c = room.active[p]
                add_row(x[source, c], weights.rows, base + c, x, node)
        for node in range(out, out + n_inputs // network.arities[k]):
            for h in range(x.shape[1]):
                y = x[node, h]
                x[node, h] = zero if y <= zero else network.scales[k] * y  # a NaN passes
    for j in range(len(room.logits)):
        room.logits[j] = dot(weights.readout, j, x, room.first_nodes[depth - 1])


@compiled
def loss_of(logits: Array, label: int, n: int) -> float:
    """Cross-entropy of a point; in place of its logits then that over n by them."""
    top = float(logits.max())
    total = 0.0
    for j in range(len(logits)):
        total += np.exp(float(logits[j]) - top)
    loss = np.log(total) + top - float(logits[label])
    for j in range(len(logits)):
        p = np.exp(float(logits[j]) - top) / total
        logits[j] = (p - (1.0 if j == label else 0.0)) / n
    return loss


@compiled
def backward(
    weights: Weights, gradients: Weights, bases: Array, network: Sizes, room: Room
) -> None:
    """Adds a point's gradients, from the derivatives by its logits."""
    x, errors, zero = room.activations, room.errors, weights.rows.dtype.type(0)
    one = weights.rows.dtype.type(1)
    errors[:] = zero
    depth = len(network.arities)
    top = room.first_nodes[depth - 1]
    for j in range(len(room.logits)):
        slope = room.logits[j]
        add_row(slope, x, top, gradients.readout, j)
        add_row(slope * network.scales[depth - 1], weights.readout, j, errors, top)
    for h in range(x.shape[1]):
        errors[top, h] = zero if x[top, h] == zero else errors[top, h]
    for k in range(depth - 1, -1, -1):
        for i in range(network.n_inputs[k]):
            base = bases[network.first_inputs[k] + i]
            node = room.first_nodes[k] + i // network.arities[k]
            if k == 0:
                add_row(one, errors, node, gradients.rows, base)
                continue
            source = room.first_nodes[k - 1] + i
            for p in range(find_active(room, source)):
                c = room.active[p]
                errors[source, c] = network.scales[k - 1] * dot(
                    weights.rows, base + c, errors, node
                )
                add_row(x[source, c], errors, node, gradients.rows, base + c)


@compiled
def move(w: Array, g: Array, m: Array, q: Array, rule: Rule, step: int) -> None:
    """Moves weights by their gradients, which are zero after it."""
    real = w.dtype.type
    mu, decay = real(rule.mu), real(rule.decay)
    if rule.adam:
        eta, root = rule.eta / (1 - rule.mu**step), 1 / np.sqrt(1 - rule.beta**step)
        adapt(w, g, m, q, real(eta), mu, real(rule.beta), real(root), decay)
    else:
        descend(w, g, m, real(rule.eta), mu, decay)


@compiled
def train(
    points: Array, batch_size: int, bases: Array, labels: Array, steps: int, weights: Weights,
    gradients: Weights, means: Weights, squares: Weights, rule: Rule, network: Sizes, room: Room,
) -> float:  # fmt: skip
    """Trains on points (n,), batch by batch, after `steps` earlier ones; summed cross-entropy.

    Ends at the first batch whose loss is not finite.
    """
    summed, step = 0.0, steps
    for start in range(0, len(points), batch_size):
        step += 1
        n = min(batch_size, len(points) - start)
        loss = 0.0
        for b in range(start, start + n):
            point = points[b]
            forward(weights, bases[point], network, room)
            loss += loss_of(room.logits, labels[point], n)
            backward(weights, gradients, bases[point], network, room)
        summed += loss
        if not np.isfinite(loss):
            break
        move(
            weights.rows.reshape(-1), gradients.rows.reshape(-1), means.rows.reshape(-1),
            squares.rows.reshape(-1), rule, step,
        )  # fmt: skip
        move(
            weights.readout.reshape(-1), gradients.readout.reshape(-1),
            means.readout.reshape(-1), squares.readout.reshape(-1), rule, step,
        )  # fmt: skip
    return summed
