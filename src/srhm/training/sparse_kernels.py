"""Compiled loops of the sparse engine: SGD on the derivation trees of a batch.

Weights of all hidden layers are the rows of one array (rows, H). An *entry* is one active input
place of one point of a batch. Its *base* is the row that its first channel meets: channel c uses
row base + c. Entries of one base form a *group*, whose rows are read once for all of them.

Row r was last updated at step stamps[r]. After a rest of t steps its momentum has moved it by
-catch_up[t] momenta[r], and its next gradient meets decays[t] momenta[r]:

    catch_up[t] = eta mu (1 - mu^t)/(1 - mu),    decays[t] = mu^(t+1).

A forward pass corrects the rows that it reads, without writing them; the update that follows
writes each row once. Activations are kept times a factor of their layer (`Sizes.scales`), and
so are errors, the derivatives of the loss by pre-activations.

All compiled code of the engine stands in this file, and its machine code is kept in a folder named
by the digest of the source (`machine_code`), so that no edit ever meets code that was compiled
before it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numpy.typing import NDArray

from srhm.training.machine_code import compiler

Array = NDArray[Any]

# Sums may be reordered and contracted. NaN and infinity keep their meaning, because a loss that is
# not finite is how a divergence is noticed.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}
# Momenta below this become zero. The weights of a channel that has died meet zero gradients, and
# subnormal numbers slow some processors down a hundredfold.
SMALLEST = 1e-30
# Rows that a forward pass reads at a time, and entries of a group that are worked on at a time.
FOUR = 4


class Sizes(NamedTuple):
    """What the loops need to know of a geometry, a number for each layer.

    arities: inputs that feed one output; n_inputs: active inputs of a point; first_inputs: active
    inputs of all layers before; scales: factor that activations are kept with, the scale of the
    layer that reads them.
    """

    arities: Array
    n_inputs: Array
    first_inputs: Array
    scales: Array


class State(NamedTuple):
    """Weights and momenta (rows, H), stamps (rows,), and the readout and its momenta (n_c, H)."""

    weights: Array
    momenta: Array
    stamps: Array
    readout: Array
    readout_momenta: Array


class Rates(NamedTuple):
    """Learning rate eta, momentum mu, and their tables by steps of rest (see the module)."""

    eta: Any
    mu: Any
    catch_up: Array
    decays: Array


class Room(NamedTuple):
    """Working memory of one batch. Each engine has its own, so that engines can share a process.

    The nodes of layer k are rows first_nodes[k] ... of activations and errors, point by point; one
    more row stands for a missing entry: its activation is zero, its error is never read.
    """

    first_nodes: Array
    activations: Array
    errors: Array
    logits: Array
    logit_errors: Array
    bases: Array
    entries: Array
    rows: Array
    lags: Array
    inputs: Array
    sums: Array
    counts: Array
    members: Array
    fill: Array
    by_count: Array
    nodes_in: Array
    nodes_out: Array
    gradient: Array


def aligned(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros that begin at a cache line: rows that straddle lines cost up to twice the time."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(n_bytes + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + n_bytes].view(dtype).reshape(shape)


def room_for(n_points: int, network: Sizes, *, width: int, n_classes: int) -> Room:
    """Working memory for batches of up to n_points."""
    dtype = network.scales.dtype
    n_nodes = n_points * (network.n_inputs // network.arities)
    n_entries = n_points * network.n_inputs
    largest = int(max(n_entries[1:], default=0)) + FOUR  # group, with padding
    return Room(
        first_nodes=np.cumsum(n_nodes) - n_nodes,
        activations=aligned((n_nodes.sum() + 1, width), dtype),
        errors=aligned((n_nodes.sum() + 1, width), dtype),
        logits=np.zeros((n_points, n_classes), dtype),
        logit_errors=np.zeros((n_points, n_classes), dtype),
        bases=np.zeros(n_entries.sum(), np.int64),
        entries=np.zeros(n_entries.sum(), np.int64),
        rows=np.zeros((2, width + FOUR), np.int64),
        lags=np.zeros((2, width + FOUR), dtype),
        inputs=np.zeros((2, FOUR, width + FOUR), dtype),
        sums=aligned((FOUR, width), dtype),
        counts=np.zeros(width, np.int64),
        members=np.zeros((largest, width), np.int32),
        fill=np.zeros(FOUR + 2, np.int64),
        by_count=np.zeros((FOUR + 2, width), np.int64),
        nodes_in=np.zeros(largest, np.int64),
        nodes_out=np.zeros(largest, np.int64),
        gradient=aligned((1, width), dtype),
    )


compiled = compiler(Path(__file__), nogil=True, fastmath=FAST_MATH)


class DistinctArrays(CompilerBase):
    """Numba's compiler, told that the arrays of a call do not overlap: no checks at run time."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes."""
        self.state.flags.noalias = True
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


def row_loop(function: Callable[..., Any]) -> Any:
    """The function as a part of those that call it; its arrays must not overlap."""
    return numba.njit(
        fastmath=FAST_MATH, nogil=True, forceinline=True, pipeline_class=DistinctArrays
    )(function)


# Loops over the H outputs of a row, for 1, 2 or 4 entries (`size`) at once: what rows and entries
# share stays in registers. Calls give `size` and `old` as literals, so that a loop without branches
# is compiled for each.


@row_loop
def add_row(weights: Array, momenta: Array, row: int, lag: Any, outputs: Array, node: int) -> None:
    """Adds a row to an output."""
    for h in range(weights.shape[1]):
        outputs[node, h] += weights[row, h] - lag * momenta[row, h]


@row_loop
def add_rows(
    weights: Array, momenta: Array, rows: Array, lags: Array, x: Array, n_rows: int,
    old: int, size: int, y0: Array, y1: Array, y2: Array, y3: Array,
) -> None:  # fmt: skip
    """Adds the rows of a list, four at a time and times their x, to the sums of its entries."""
    for p in range(0, n_rows, FOUR):
        r0, r1, r2, r3 = rows[old, p], rows[old, p + 1], rows[old, p + 2], rows[old, p + 3]
        c0, c1, c2, c3 = lags[old, p], lags[old, p + 1], lags[old, p + 2], lags[old, p + 3]
        a0, a1, a2, a3 = x[old, 0, p], x[old, 0, p + 1], x[old, 0, p + 2], x[old, 0, p + 3]
        b0, b1, b2, b3 = x[old, 1, p], x[old, 1, p + 1], x[old, 1, p + 2], x[old, 1, p + 3]
        d0, d1, d2, d3 = x[old, 2, p], x[old, 2, p + 1], x[old, 2, p + 2], x[old, 2, p + 3]
        e0, e1, e2, e3 = x[old, 3, p], x[old, 3, p + 1], x[old, 3, p + 2], x[old, 3, p + 3]
        for h in range(weights.shape[1]):
            w0, w1, w2, w3 = weights[r0, h], weights[r1, h], weights[r2, h], weights[r3, h]
            if old:
                w0 -= c0 * momenta[r0, h]
                w1 -= c1 * momenta[r1, h]
                w2 -= c2 * momenta[r2, h]
                w3 -= c3 * momenta[r3, h]
            y0[h] += (a0 * w0 + a1 * w1) + (a2 * w2 + a3 * w3)
            if size > 1:
                y1[h] += (b0 * w0 + b1 * w1) + (b2 * w2 + b3 * w3)
            if size > 2:
                y2[h] += (d0 * w0 + d1 * w1) + (d2 * w2 + d3 * w3)
                y3[h] += (e0 * w0 + e1 * w1) + (e2 * w2 + e3 * w3)


@row_loop
def update_row(
    weights: Array, momenta: Array, row: int, lag: Any, decay: Any, eta: Any, errors: Array,
    size: int, o0: int, o1: int, o2: int, o3: int, x0: Any, x1: Any, x2: Any, x3: Any,
) -> Any:  # fmt: skip
    """Products of a row with the errors of its entries' outputs; then its step of SGD."""
    zero, smallest = weights.dtype.type(0), weights.dtype.type(SMALLEST)
    t0, t1, t2, t3 = zero, zero, zero, zero
    for h in range(weights.shape[1]):
        m = momenta[row, h]
        w = weights[row, h] - lag * m
        t0 += w * errors[o0, h]
        g = x0 * errors[o0, h]
        if size > 1:
            t1 += w * errors[o1, h]
            g += x1 * errors[o1, h]
        if size > 2:
            t2 += w * errors[o2, h]
            t3 += w * errors[o3, h]
            g += x2 * errors[o2, h] + x3 * errors[o3, h]
        m = decay * m + g
        m = zero if abs(m) < smallest else m
        momenta[row, h] = m
        weights[row, h] = w - eta * m
    return t0, t1, t2, t3


@row_loop
def gather_row_4(
    weights: Array, momenta: Array, row: int, lag: Any, errors: Array,
    o0: int, o1: int, o2: int, o3: int, x0: Any, x1: Any, x2: Any, x3: Any, gradient: Array,
) -> Any:  # fmt: skip
    """Products of a row with the errors of four outputs; adds their part of its gradient."""
    zero = weights.dtype.type(0)
    t0, t1, t2, t3 = zero, zero, zero, zero
    for h in range(weights.shape[1]):
        w = weights[row, h] - lag * momenta[row, h]
        t0 += w * errors[o0, h]
        t1 += w * errors[o1, h]
        t2 += w * errors[o2, h]
        t3 += w * errors[o3, h]
        g = (x0 * errors[o0, h] + x1 * errors[o1, h]) + (x2 * errors[o2, h] + x3 * errors[o3, h])
        gradient[0, h] += g
    return t0, t1, t2, t3


@row_loop
def step_row(
    weights: Array, momenta: Array, row: int, lag: Any, decay: Any, eta: Any,
    gradients: Array, i: int,
) -> None:  # fmt: skip
    """One step of SGD for a row whose gradient is row i of gradients."""
    zero, smallest = weights.dtype.type(0), weights.dtype.type(SMALLEST)
    for h in range(weights.shape[1]):
        m = momenta[row, h]
        w = weights[row, h] - lag * m
        m = decay * m + gradients[i, h]
        m = zero if abs(m) < smallest else m
        momenta[row, h] = m
        weights[row, h] = w - eta * m


# Loops over the entries of a layer.


@compiled
def gather_bases(
    all_bases: Array, points: Array, start: int, n: int, network: Sizes, room: Room
) -> None:
    """Bases of a batch of n points, and their order by base in each layer but the first."""
    bases, entries = room.bases, room.entries
    for k in range(len(network.arities)):
        column, n_inputs = network.first_inputs[k], network.n_inputs[k]
        first = n * column
        for b in range(n):
            for j in range(n_inputs):
                bases[first + b * n_inputs + j] = all_bases[points[start + b], column + j]
        if k > 0:
            for i in range(n * n_inputs):  # insertion sort: the list is short
                j = i
                while j > 0 and bases[first + entries[first + j - 1]] > bases[first + i]:
                    entries[first + j] = entries[first + j - 1]
                    j -= 1
                entries[first + j] = i


@compiled
def add_layer(
    state: State,
    step: int,
    rates: Rates,
    room: Room,
    first: int,
    n: int,
    arity: int,
    first_in: int,
    first_out: int,
) -> None:
    """Adds the rows of n entries, times the activations they start from, to their outputs."""
    weights, momenta, stamps = state.weights, state.momenta, state.stamps
    activations, rows, lags, x = room.activations, room.rows, room.lags, room.inputs
    y0, y1, y2, y3 = room.sums[0], room.sums[1], room.sums[2], room.sums[3]
    nothing = activations.shape[0] - 1
    last = len(rates.catch_up) - 1
    zero = weights.dtype.type(0)
    done = first
    while done < first + n:
        base = room.bases[first + room.entries[done]]
        size = 1
        while size < FOUR and done + size < first + n:
            if room.bases[first + room.entries[done + size]] != base:
                break
            size += 1
        i0 = first_in + room.entries[done]
        i1 = first_in + room.entries[done + 1] if size > 1 else nothing
        i2 = first_in + room.entries[done + 2] if size > 2 else nothing
        i3 = first_in + room.entries[done + 3] if size > 3 else nothing
        # Two lists of active rows: updated in the last step, and older. No branch depends on an
        # activation, because no processor would guess it.
        n_new, n_old = 0, 0
        for c in range(weights.shape[1]):
            x0, x1, x2, x3 = (
                activations[i0, c],
                activations[i1, c],
                activations[i2, c],
                activations[i3, c],
            )
            active = (x0 != zero) | (x1 != zero) | (x2 != zero) | (x3 != zero)
            rested = step - 1 - stamps[base + c]
            old = 1 if rested > 0 else 0
            p = n_old if rested > 0 else n_new
            rows[old, p] = base + c
            lags[old, p] = rates.catch_up[min(rested, last)]
            x[old, 0, p], x[old, 1, p], x[old, 2, p], x[old, 3, p] = x0, x1, x2, x3
            n_old += active & old
            n_new += active & (1 - old)
        for e in range(size):
            room.sums[e, :] = zero
        room.sums[3, :] = zero
        for old in range(2):
            n_rows = n_old if old else n_new
            while n_rows % FOUR != 0:  # padding: a row that stands there already, times zero
                rows[old, n_rows] = rows[old, n_rows - 1]
                lags[old, n_rows] = lags[old, n_rows - 1]
                x[old, :, n_rows] = zero
                n_rows += 1
        if size == 1:
            add_rows(weights, momenta, rows, lags, x, n_new, 0, 1, y0, y1, y2, y3)
            add_rows(weights, momenta, rows, lags, x, n_old, 1, 1, y0, y1, y2, y3)
        elif size == 2:
            add_rows(weights, momenta, rows, lags, x, n_new, 0, 2, y0, y1, y2, y3)
            add_rows(weights, momenta, rows, lags, x, n_old, 1, 2, y0, y1, y2, y3)
        else:
            add_rows(weights, momenta, rows, lags, x, n_new, 0, 4, y0, y1, y2, y3)
            add_rows(weights, momenta, rows, lags, x, n_old, 1, 4, y0, y1, y2, y3)
        for e in range(size):
            node = first_out + room.entries[done + e] // arity
            for h in range(weights.shape[1]):
                activations[node, h] += room.sums[e, h]
        done += size


@compiled
def forward(state: State, step: int, rates: Rates, network: Sizes, room: Room, n: int) -> None:
    """Activations of all nodes of a batch of n points, and their logits, before this step."""
    weights, activations = state.weights, room.activations
    last = len(rates.catch_up) - 1
    zero = weights.dtype.type(0)
    depth = len(network.arities)
    for k in range(depth):
        arity, n_entries = network.arities[k], n * network.n_inputs[k]
        first_out = room.first_nodes[k]
        activations[first_out : first_out + n_entries // arity] = zero
        if k == 0:
            for i in range(n_entries):
                row = room.bases[i]
                lag = rates.catch_up[min(step - 1 - state.stamps[row], last)]
                add_row(weights, state.momenta, row, lag, activations, i // arity)
        else:
            first, first_in = n * network.first_inputs[k], room.first_nodes[k - 1]
            add_layer(state, step, rates, room, first, n_entries, arity, first_in, first_out)
        for o in range(first_out, first_out + n_entries // arity):
            for h in range(weights.shape[1]):
                y = activations[o, h]
                # zero where y <= 0, so that a NaN passes, as it does in PyTorch
                activations[o, h] = zero if y <= zero else network.scales[k] * y
    top = room.first_nodes[depth - 1]
    for b in range(n):
        for j in range(state.readout.shape[0]):
            total = zero
            for h in range(weights.shape[1]):
                total += activations[top + b, h] * state.readout[j, h]
            room.logits[b, j] = total


@compiled
def loss_and_errors(room: Room, labels: Array, points: Array, start: int, n: int) -> float:
    """Cross-entropy, summed over a batch; its mean's derivatives by the logits."""
    logits, errors = room.logits, room.logit_errors
    total = 0.0
    for b in range(n):
        top = float(logits[b, 0])
        for j in range(logits.shape[1]):
            top = max(top, float(logits[b, j]))
        partition = 0.0
        for j in range(logits.shape[1]):
            partition += np.exp(float(logits[b, j]) - top)
        label = labels[points[start + b]]
        total += np.log(partition) + top - float(logits[b, label])
        for j in range(logits.shape[1]):
            p = np.exp(float(logits[b, j]) - top) / partition
            errors[b, j] = (p - (1.0 if j == label else 0.0)) / n
    return total


@compiled
def update_readout(state: State, rates: Rates, room: Room, top: int, scale: Any, n: int) -> None:
    """Errors of the last hidden layer; a dense step of SGD for the readout."""
    readout, momenta, activations = state.readout, state.readout_momenta, room.activations
    zero, smallest = readout.dtype.type(0), readout.dtype.type(SMALLEST)
    for o in range(top, top + n):
        room.errors[o, :] = zero
        for j in range(readout.shape[0]):
            e = scale * room.logit_errors[o - top, j]
            for h in range(readout.shape[1]):
                room.errors[o, h] += e * readout[j, h]
        for h in range(readout.shape[1]):
            room.errors[o, h] = zero if activations[o, h] == zero else room.errors[o, h]
    for j in range(readout.shape[0]):
        for h in range(readout.shape[1]):
            momenta[j, h] *= rates.mu
        for b in range(n):
            e = room.logit_errors[b, j]
            for h in range(readout.shape[1]):
                momenta[j, h] += e * activations[top + b, h]
        for h in range(readout.shape[1]):
            momenta[j, h] = zero if abs(momenta[j, h]) < smallest else momenta[j, h]
            readout[j, h] -= rates.eta * momenta[j, h]


@compiled
def update_layer(
    state: State,
    step: int,
    rates: Rates,
    room: Room,
    first: int,
    n: int,
    arity: int,
    first_in: int,
    first_out: int,
    scale: Any,
) -> None:
    """Errors of the inputs of a layer, and its step of SGD: each active row is written once."""
    weights, momenta, stamps, eta = state.weights, state.momenta, state.stamps, rates.eta
    x, errors, gradient = room.activations, room.errors, room.gradient
    nodes_in, nodes_out, members, counts = (
        room.nodes_in,
        room.nodes_out,
        room.members,
        room.counts,
    )
    nothing = x.shape[0] - 1
    last = len(rates.catch_up) - 1
    zero = weights.dtype.type(0)
    errors[first_in : first_in + n] = zero
    done = first
    while done < first + n:
        base = room.bases[first + room.entries[done]]
        size = 0
        while done + size < first + n:
            entry = room.entries[done + size]
            if room.bases[first + entry] != base:
                break
            nodes_in[size] = first_in + entry
            nodes_out[size] = first_out + entry // arity
            size += 1
        nodes_in[size], nodes_out[size] = nothing, nodes_out[0]
        # Active entries of each channel; then the channels, by their number of active entries.
        counts[:] = 0
        for e in range(size):
            node = nodes_in[e]
            for c in range(weights.shape[1]):
                members[counts[c], c] = e
                counts[c] += x[node, c] != zero
        room.fill[:] = 0
        for c in range(weights.shape[1]):
            q = min(counts[c], FOUR + 1)
            room.by_count[q, room.fill[q]] = c
            room.fill[q] += 1
        for q in range(1, FOUR + 2):
            for p in range(room.fill[q]):
                c = room.by_count[q, p]
                row = base + c
                t = min(step - 1 - stamps[row], last)
                lag, decay = rates.catch_up[t], rates.decays[t]
                stamps[row] = step
                if q == 1:
                    e0 = members[0, c]
                    i0, o0 = nodes_in[e0], nodes_out[e0]
                    x0 = x[i0, c]
                    t0, _, _, _ = update_row(
                        weights, momenta, row, lag, decay, eta, errors, 1,
                        o0, o0, o0, o0, x0, x0, x0, x0,
                    )  # fmt: skip
                    errors[i0, c] = scale * t0
                elif q == 2:
                    e0, e1 = members[0, c], members[1, c]
                    i0, o0 = nodes_in[e0], nodes_out[e0]
                    i1, o1 = nodes_in[e1], nodes_out[e1]
                    x0, x1 = x[i0, c], x[i1, c]
                    t0, t1, _, _ = update_row(
                        weights, momenta, row, lag, decay, eta, errors, 2,
                        o0, o1, o0, o0, x0, x1, x0, x0,
                    )  # fmt: skip
                    errors[i0, c], errors[i1, c] = scale * t0, scale * t1
                else:
                    if q > FOUR:
                        gradient[0, :] = zero
                    for e in range(0, counts[c], FOUR):
                        for missing in range(counts[c], e + FOUR):
                            members[missing, c] = size
                        e0, e1 = members[e, c], members[e + 1, c]
                        e2, e3 = members[e + 2, c], members[e + 3, c]
                        i0, i1, i2, i3 = nodes_in[e0], nodes_in[e1], nodes_in[e2], nodes_in[e3]
                        o0, o1, o2, o3 = nodes_out[e0], nodes_out[e1], nodes_out[e2], nodes_out[e3]
                        x0, x1, x2, x3 = x[i0, c], x[i1, c], x[i2, c], x[i3, c]
                        if q > FOUR:
                            t0, t1, t2, t3 = gather_row_4(
                                weights, momenta, row, lag, errors,
                                o0, o1, o2, o3, x0, x1, x2, x3, gradient,
                            )  # fmt: skip
                        else:
                            t0, t1, t2, t3 = update_row(
                                weights, momenta, row, lag, decay, eta, errors, 4,
                                o0, o1, o2, o3, x0, x1, x2, x3,
                            )  # fmt: skip
                        errors[i0, c], errors[i1, c] = scale * t0, scale * t1
                        errors[i2, c], errors[i3, c] = scale * t2, scale * t3
                    if q > FOUR:
                        step_row(weights, momenta, row, lag, decay, eta, gradient, 0)
        done += size


@compiled
def update_embedding(state: State, step: int, rates: Rates, room: Room, n: int, arity: int) -> None:
    """A step of SGD for the first layer, whose inputs are one-hot: errors are gradients."""
    weights, momenta, stamps = state.weights, state.momenta, state.stamps
    last = len(rates.catch_up) - 1
    for i in range(n):
        row = room.bases[i]
        # A step is linear in the gradient. If another entry of this batch has made it already, its
        # move by -eta momentum is taken back before the move by the sum of both.
        lag, decay = -rates.eta, weights.dtype.type(1)
        if stamps[row] != step:
            t = min(step - 1 - stamps[row], last)
            lag, decay = rates.catch_up[t], rates.decays[t]
        stamps[row] = step
        step_row(weights, momenta, row, lag, decay, rates.eta, room.errors, i // arity)


# Entry points.


@compiled
def train(
    points: Array,
    batch_size: int,
    all_bases: Array,
    labels: Array,
    steps: int,
    state: State,
    rates: Rates,
    network: Sizes,
    room: Room,
) -> float:
    """Trains on points (n,), batch by batch, after `steps` earlier ones; summed cross-entropy.

    Ends at the first batch whose loss is not finite.
    """
    depth = len(network.arities)
    summed = 0.0
    step = steps
    for start in range(0, len(points), batch_size):
        step += 1
        n = min(batch_size, len(points) - start)
        gather_bases(all_bases, points, start, n, network, room)
        forward(state, step, rates, network, room, n)
        loss = loss_and_errors(room, labels, points, start, n)
        summed += loss
        if not np.isfinite(loss):
            break
        top = room.first_nodes[depth - 1]
        update_readout(state, rates, room, top, network.scales[depth - 1], n)
        for k in range(depth - 1, 0, -1):
            n_entries = n * network.n_inputs[k]
            first = n * network.first_inputs[k]
            update_layer(
                state, step, rates, room, first, n_entries, network.arities[k],
                room.first_nodes[k - 1], room.first_nodes[k], network.scales[k - 1],
            )  # fmt: skip
        update_embedding(state, step, rates, room, n * network.n_inputs[0], network.arities[0])
    return summed


@compiled
def catch_up(weights: Array, steps: int, state: State, rates: Rates) -> None:
    """Brings a copy of the weights (rows, H) to where momentum has carried them by now."""
    last = len(rates.catch_up) - 1
    for row in range(weights.shape[0]):
        lag = rates.catch_up[min(steps - state.stamps[row], last)]
        for h in range(weights.shape[1]):
            weights[row, h] -= lag * state.momenta[row, h]
