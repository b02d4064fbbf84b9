"""Compiled loops of the sparse engine: one step of SGD on the trees of a batch.

Every compiled function of the package stands in this one file, and the machine code is kept in a
folder named by the digest of its text, so that an edited kernel is always compiled anew.

Weights of all hidden layers are rows of one array (rows, H). An *entry* is one active input place
of one point of the batch; its *base* is the row that its first channel meets, so that channel c
uses row base + c. Entries with the same base share rows and are worked on together, as a group.
Row r was last updated at step stamps[r]; at a later step it has rested for t steps, during which
its momentum moved it by -catch_up[t] momenta[r], with

    catch_up[t] = eta mu (1 - mu^t)/(1 - mu),    momentum now: mu^t momenta[r].

Activations are kept times the scale of the layer that reads them, errors (derivatives of the loss
by pre-activations) times the scale of their own layer if it is the first.
"""

import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

# Sums may be reordered and contracted; NaN and infinity keep their meaning, because a loss that
# is not finite is how a divergence is noticed.
FAST = {"reassoc", "contract", "arcp", "nsz"}
# Momenta below this are set to zero: subnormal numbers slow some processors down a hundredfold.
SMALLEST = 1e-30
# Entries of one group that are worked on in one pass.
CHUNK = 4


def cache_folder() -> Path | None:
    """Folder for the machine code of this very source text, or None if none can be written.

    Below NUMBA_CACHE_DIR if that is set, else below the user's cache folder.
    """
    text = Path(__file__).read_bytes()
    versions = f"numba {numba.__version__} llvmlite {llvmlite.__version__}"
    digest = hashlib.sha256(text + versions.encode()).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    root = os.environ.get("NUMBA_CACHE_DIR") or Path(home) / "srhm"
    folder = Path(root) / f"kernels-{digest}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder


def compiled(function: Callable[..., Any]) -> Any:
    """The function, compiled at its first call and kept in the cache folder."""
    if _FOLDER is None:
        return numba.njit(nogil=True, fastmath=FAST)(function)
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_FOLDER)
    try:
        return numba.njit(nogil=True, fastmath=FAST, cache=True)(function)
    finally:
        numba.config.CACHE_DIR = previous


def inlined(function: Callable[..., Any]) -> Any:
    """The function, made part of each compiled function that calls it."""
    return numba.njit(nogil=True, fastmath=FAST, forceinline=True)(function)


_FOLDER = cache_folder()
if _FOLDER is None:
    warnings.warn(
        "No folder to keep compiled code in: each process compiles anew, about a minute."
        " Set NUMBA_CACHE_DIR to a folder that can be written.",
        stacklevel=1,
    )


@inlined
def group_by_base(bases, n, entries):
    """Fills entries[:n] with 0 ... n-1 in the order of their bases, equal ones in their order."""
    for i in range(n):
        base = bases[i]
        j = i
        while j > 0 and bases[entries[j - 1]] > base:
            entries[j] = entries[j - 1]
            j -= 1
        entries[j] = i


@inlined
def add_rows_1(weights, momenta, rows, lags, x, p, lagged, y0):
    r0, r1, r2, r3 = rows[p], rows[p + 1], rows[p + 2], rows[p + 3]
    c0, c1, c2, c3 = lags[p], lags[p + 1], lags[p + 2], lags[p + 3]
    a0, a1, a2, a3 = x[0, p], x[0, p + 1], x[0, p + 2], x[0, p + 3]
    for h in range(weights.shape[1]):
        w0, w1, w2, w3 = weights[r0, h], weights[r1, h], weights[r2, h], weights[r3, h]
        if lagged:
            w0 -= c0 * momenta[r0, h]
            w1 -= c1 * momenta[r1, h]
            w2 -= c2 * momenta[r2, h]
            w3 -= c3 * momenta[r3, h]
        y0[h] += (a0 * w0 + a1 * w1) + (a2 * w2 + a3 * w3)


@inlined
def add_rows_2(weights, momenta, rows, lags, x, p, lagged, y0, y1):
    r0, r1, r2, r3 = rows[p], rows[p + 1], rows[p + 2], rows[p + 3]
    c0, c1, c2, c3 = lags[p], lags[p + 1], lags[p + 2], lags[p + 3]
    a0, a1, a2, a3 = x[0, p], x[0, p + 1], x[0, p + 2], x[0, p + 3]
    b0, b1, b2, b3 = x[1, p], x[1, p + 1], x[1, p + 2], x[1, p + 3]
    for h in range(weights.shape[1]):
        w0, w1, w2, w3 = weights[r0, h], weights[r1, h], weights[r2, h], weights[r3, h]
        if lagged:
            w0 -= c0 * momenta[r0, h]
            w1 -= c1 * momenta[r1, h]
            w2 -= c2 * momenta[r2, h]
            w3 -= c3 * momenta[r3, h]
        y0[h] += (a0 * w0 + a1 * w1) + (a2 * w2 + a3 * w3)
        y1[h] += (b0 * w0 + b1 * w1) + (b2 * w2 + b3 * w3)


@inlined
def add_rows_4(weights, momenta, rows, lags, x, p, lagged, y0, y1, y2, y3):
    r0, r1, r2, r3 = rows[p], rows[p + 1], rows[p + 2], rows[p + 3]
    c0, c1, c2, c3 = lags[p], lags[p + 1], lags[p + 2], lags[p + 3]
    a0, a1, a2, a3 = x[0, p], x[0, p + 1], x[0, p + 2], x[0, p + 3]
    b0, b1, b2, b3 = x[1, p], x[1, p + 1], x[1, p + 2], x[1, p + 3]
    d0, d1, d2, d3 = x[2, p], x[2, p + 1], x[2, p + 2], x[2, p + 3]
    e0, e1, e2, e3 = x[3, p], x[3, p + 1], x[3, p + 2], x[3, p + 3]
    for h in range(weights.shape[1]):
        w0, w1, w2, w3 = weights[r0, h], weights[r1, h], weights[r2, h], weights[r3, h]
        if lagged:
            w0 -= c0 * momenta[r0, h]
            w1 -= c1 * momenta[r1, h]
            w2 -= c2 * momenta[r2, h]
            w3 -= c3 * momenta[r3, h]
        y0[h] += (a0 * w0 + a1 * w1) + (a2 * w2 + a3 * w3)
        y1[h] += (b0 * w0 + b1 * w1) + (b2 * w2 + b3 * w3)
        y2[h] += (d0 * w0 + d1 * w1) + (d2 * w2 + d3 * w3)
        y3[h] += (e0 * w0 + e1 * w1) + (e2 * w2 + e3 * w3)


@inlined
def add_listed(weights, momenta, rows, lags, x, n, size, lagged, y0, y1, y2, y3):
    """Adds x[e, i] * (row rows[i], caught up) for i < n to output e < size. Pads the list."""
    while n % 4 != 0:  # a row that stands there already, times zero
        rows[n] = rows[n - 1]
        lags[n] = lags[n - 1]
        for e in range(CHUNK):
            x[e, n] = 0
        n += 1
    for p in range(0, n, 4):
        if size == 1:
            add_rows_1(weights, momenta, rows, lags, x, p, lagged, y0)
        elif size == 2:
            add_rows_2(weights, momenta, rows, lags, x, p, lagged, y0, y1)
        else:
            add_rows_4(weights, momenta, rows, lags, x, p, lagged, y0, y1, y2, y3)


@inlined
def add_layer(
    weights, momenta, stamps, step, catch_up, bases, entries, n, arity, inputs, outputs, first_in,
    first_out, room, y0, y1, y2, y3,
):  # fmt: skip
    """Adds the rows of one layer, times the inputs, to its pre-activations."""
    width = weights.shape[1]
    last = catch_up.shape[0] - 1
    rows_now, lags_now, x_now, rows_old, lags_old, x_old = room
    start = 0
    while start < n:
        base = bases[entries[start]]
        size = 1
        while size < CHUNK and start + size < n and bases[entries[start + size]] == base:
            size += 1
        i0 = first_in + entries[start]
        i1 = first_in + entries[start + (1 if size > 1 else 0)]
        i2 = first_in + entries[start + (2 if size > 2 else 0)]
        i3 = first_in + entries[start + (3 if size > 3 else 0)]
        n_now, n_old = 0, 0
        for c in range(width):
            x0 = inputs[i0, c]
            active = x0 != 0
            if size > 1:
                active |= inputs[i1, c] != 0
            if size > 2:
                active |= inputs[i2, c] != 0
            if size > 3:
                active |= inputs[i3, c] != 0
            if not active:
                continue
            row = base + c
            rested = step - 1 - stamps[row]
            if rested > 0:
                rows_old[n_old] = row
                lags_old[n_old] = catch_up[min(rested, last)]
                x_old[0, n_old] = x0
                x_old[1, n_old] = inputs[i1, c]
                x_old[2, n_old] = inputs[i2, c]
                x_old[3, n_old] = inputs[i3, c] if size > 3 else x0 * 0
                n_old += 1
            else:
                rows_now[n_now] = row
                x_now[0, n_now] = x0
                x_now[1, n_now] = inputs[i1, c]
                x_now[2, n_now] = inputs[i2, c]
                x_now[3, n_now] = inputs[i3, c] if size > 3 else x0 * 0
                n_now += 1
        y0[:] = 0
        y1[:] = 0
        y2[:] = 0
        y3[:] = 0
        add_listed(weights, momenta, rows_now, lags_now, x_now, n_now, size, False, y0, y1, y2, y3)
        add_listed(weights, momenta, rows_old, lags_old, x_old, n_old, size, True, y0, y1, y2, y3)
        o = first_out + entries[start] // arity
        for h in range(width):
            outputs[o, h] += y0[h]
        if size > 1:
            o = first_out + entries[start + 1] // arity
            for h in range(width):
                outputs[o, h] += y1[h]
        if size > 2:
            o = first_out + entries[start + 2] // arity
            for h in range(width):
                outputs[o, h] += y2[h]
        if size > 3:
            o = first_out + entries[start + 3] // arity
            for h in range(width):
                outputs[o, h] += y3[h]
        start += size


@inlined
def forward_batch(
    weights, momenta, stamps, step, catch_up, readout, bases, n_points, arities, n_inputs, scales,
    first_nodes, entries, activations, logits, room, y0, y1, y2, y3,
):  # fmt: skip
    """Activations of all nodes of a batch, and logits (points, n_c)."""
    width = weights.shape[1]
    last = catch_up.shape[0] - 1
    first_base = 0
    for k in range(len(arities)):
        n = n_points * n_inputs[k]
        n_out = n // arities[k]
        first_out = first_nodes[k]
        activations[first_out : first_out + n_out] = 0
        if k == 0:
            for i in range(n):
                row = bases[i]
                lag = catch_up[min(step - 1 - stamps[row], last)]
                o = i // arities[0]
                for h in range(width):
                    activations[o, h] += weights[row, h] - lag * momenta[row, h]
        else:
            group_by_base(bases[first_base:], n, entries[first_base:])
            add_layer(
                weights, momenta, stamps, step, catch_up, bases[first_base:],
                entries[first_base:], n, arities[k], activations, activations,
                first_nodes[k - 1], first_out, room, y0, y1, y2, y3,
            )  # fmt: skip
        scale = scales[k]
        for o in range(first_out, first_out + n_out):
            for h in range(width):
                y = activations[o, h]
                # a NaN passes, as it does in PyTorch's ReLU
                activations[o, h] = activations.dtype.type(0) if y <= 0 else scale * y
        first_base += n
    first = first_nodes[len(arities) - 1]
    for b in range(n_points):
        for j in range(readout.shape[0]):
            total = readout.dtype.type(0)
            for h in range(width):
                total += activations[first + b, h] * readout[j, h]
            logits[b, j] = total


@inlined
def gather_bases(bases, points, start, n_points, n_inputs, gathered):
    """Bases of a batch, layer by layer: of each point, then of each of its inputs."""
    i = 0
    column = 0
    for k in range(len(n_inputs)):
        for b in range(n_points):
            for j in range(n_inputs[k]):
                gathered[i] = bases[points[start + b], column + j]
                i += 1
        column += n_inputs[k]


@inlined
def flushed(m):
    return m * 0 if abs(m) < SMALLEST else m


@inlined
def update_row_1(weights, momenta, row, lag, decay, eta, errors, i0, x0):
    t0 = weights.dtype.type(0)
    for h in range(weights.shape[1]):
        m = momenta[row, h]
        w = weights[row, h] - lag * m
        d0 = errors[i0, h]
        t0 += w * d0
        m = flushed(decay * m + x0 * d0)
        momenta[row, h] = m
        weights[row, h] = w - eta * m
    return t0


@inlined
def update_row_2(weights, momenta, row, lag, decay, eta, errors, i0, i1, x0, x1):
    t0 = weights.dtype.type(0)
    t1 = weights.dtype.type(0)
    for h in range(weights.shape[1]):
        m = momenta[row, h]
        w = weights[row, h] - lag * m
        d0, d1 = errors[i0, h], errors[i1, h]
        t0 += w * d0
        t1 += w * d1
        m = flushed(decay * m + (x0 * d0 + x1 * d1))
        momenta[row, h] = m
        weights[row, h] = w - eta * m
    return t0, t1


@inlined
def update_row_3(weights, momenta, row, lag, decay, eta, errors, i0, i1, i2, x0, x1, x2):
    t0 = weights.dtype.type(0)
    t1 = weights.dtype.type(0)
    t2 = weights.dtype.type(0)
    for h in range(weights.shape[1]):
        m = momenta[row, h]
        w = weights[row, h] - lag * m
        d0, d1, d2 = errors[i0, h], errors[i1, h], errors[i2, h]
        t0 += w * d0
        t1 += w * d1
        t2 += w * d2
        m = flushed(decay * m + (x0 * d0 + x1 * d1 + x2 * d2))
        momenta[row, h] = m
        weights[row, h] = w - eta * m
    return t0, t1, t2


@inlined
def update_row_4(weights, momenta, row, lag, decay, eta, errors, i0, i1, i2, i3, x0, x1, x2, x3):
    t0 = weights.dtype.type(0)
    t1 = weights.dtype.type(0)
    t2 = weights.dtype.type(0)
    t3 = weights.dtype.type(0)
    for h in range(weights.shape[1]):
        m = momenta[row, h]
        w = weights[row, h] - lag * m
        d0, d1, d2, d3 = errors[i0, h], errors[i1, h], errors[i2, h], errors[i3, h]
        t0 += w * d0
        t1 += w * d1
        t2 += w * d2
        t3 += w * d3
        m = flushed(decay * m + ((x0 * d0 + x1 * d1) + (x2 * d2 + x3 * d3)))
        momenta[row, h] = m
        weights[row, h] = w - eta * m
    return t0, t1, t2, t3


@inlined
def update_row_many(weights, momenta, row, lag, decay, eta, errors, who, values, n, gradient, dots):
    width = weights.shape[1]
    gradient[:] = 0
    for e in range(n):
        i, x = who[e], values[e]
        total = weights.dtype.type(0)
        for h in range(width):
            d = errors[i, h]
            total += (weights[row, h] - lag * momenta[row, h]) * d
            gradient[h] += x * d
        dots[e] = total
    for h in range(width):
        m = momenta[row, h]
        w = weights[row, h] - lag * m
        m = flushed(decay * m + gradient[h])
        momenta[row, h] = m
        weights[row, h] = w - eta * m


@inlined
def update_layer(
    weights, momenta, stamps, step, eta, catch_up, decays, bases, entries, n, arity, activations,
    errors, first_in, first_out, scale, ins, outs, values, dots, gradient,
):  # fmt: skip
    """Errors of the inputs of one layer, and its update, each row read and written once."""
    width = weights.shape[1]
    last = catch_up.shape[0] - 1
    start = 0
    while start < n:
        base = bases[entries[start]]
        stop = start + 1
        while stop < n and bases[entries[stop]] == base:
            stop += 1
        for c in range(width):
            active = 0
            for e in range(start, stop):
                i = first_in + entries[e]
                x = activations[i, c]
                errors[i, c] = 0
                ins[active] = i
                outs[active] = first_out + entries[e] // arity
                values[active] = x
                if x != 0:
                    active += 1
            if active == 0:
                continue
            row = base + c
            t = min(step - 1 - stamps[row], last)
            lag, decay = catch_up[t], decays[t]
            stamps[row] = step
            if active == 1:
                errors[ins[0], c] = scale * update_row_1(
                    weights, momenta, row, lag, decay, eta, errors, outs[0], values[0]
                )
            elif active == 2:
                t0, t1 = update_row_2(
                    weights, momenta, row, lag, decay, eta, errors, outs[0], outs[1],
                    values[0], values[1],
                )  # fmt: skip
                errors[ins[0], c] = scale * t0
                errors[ins[1], c] = scale * t1
            elif active == 3:
                t0, t1, t2 = update_row_3(
                    weights, momenta, row, lag, decay, eta, errors, outs[0], outs[1], outs[2],
                    values[0], values[1], values[2],
                )  # fmt: skip
                errors[ins[0], c] = scale * t0
                errors[ins[1], c] = scale * t1
                errors[ins[2], c] = scale * t2
            elif active == 4:
                t0, t1, t2, t3 = update_row_4(
                    weights, momenta, row, lag, decay, eta, errors, outs[0], outs[1], outs[2],
                    outs[3], values[0], values[1], values[2], values[3],
                )  # fmt: skip
                errors[ins[0], c] = scale * t0
                errors[ins[1], c] = scale * t1
                errors[ins[2], c] = scale * t2
                errors[ins[3], c] = scale * t3
            else:
                update_row_many(
                    weights, momenta, row, lag, decay, eta, errors, outs, values, active,
                    gradient, dots,
                )  # fmt: skip
                for e in range(active):
                    errors[ins[e], c] = scale * dots[e]
        start = stop


@inlined
def update_embedding(
    weights, momenta, stamps, step, eta, catch_up, decays, bases, n, arity, errors
):
    """Update of the first layer, whose inputs are one-hot."""
    last = catch_up.shape[0] - 1
    for i in range(n):
        row = bases[i]
        o = i // arity
        if stamps[row] == step:  # updated by another entry of this batch: the update is linear
            for h in range(weights.shape[1]):
                momenta[row, h] += errors[o, h]
                weights[row, h] -= eta * errors[o, h]
        else:
            t = min(step - 1 - stamps[row], last)
            lag, decay = catch_up[t], decays[t]
            stamps[row] = step
            for h in range(weights.shape[1]):
                m = momenta[row, h]
                w = weights[row, h] - lag * m
                m = flushed(decay * m + errors[o, h])
                momenta[row, h] = m
                weights[row, h] = w - eta * m


@inlined
def loss_and_errors(logits, n_points, labels, points, start, errors):
    """Summed cross-entropy; its derivatives by the logits, averaged over the batch."""
    total = 0.0
    for b in range(n_points):
        top = logits[b, 0]
        for j in range(1, logits.shape[1]):
            top = max(top, logits[b, j])
        partition = 0.0
        for j in range(logits.shape[1]):
            partition += np.exp(float(logits[b, j] - top))
        y = labels[points[start + b]]
        total += np.log(partition) - float(logits[b, y] - top)
        for j in range(logits.shape[1]):
            p = np.exp(float(logits[b, j] - top)) / partition
            errors[b, j] = (p - (1.0 if j == y else 0.0)) / n_points
    return total


@compiled
def train(
    points, batch_size, labels, bases, weights, momenta, stamps, readout, readout_momenta, steps,
    eta, mu, catch_up, decays, arities, n_inputs, scales,
):  # fmt: skip
    """Trains on points, batch by batch; returns the sum of their cross-entropies.

    Ends at the first batch whose loss is not finite.
    """
    width, n_classes = weights.shape[1], readout.shape[0]
    depth = len(arities)
    first_nodes = np.empty(depth, np.int64)
    first_bases = np.empty(depth, np.int64)
    n_nodes, total_in = 0, 0
    for k in range(depth):
        first_nodes[k] = n_nodes
        first_bases[k] = total_in
        n_nodes += batch_size * n_inputs[k] // arities[k]
        total_in += batch_size * n_inputs[k]
    activations = np.empty((n_nodes, width), weights.dtype)
    errors = np.empty((n_nodes, width), weights.dtype)
    logits = np.empty((batch_size, n_classes), weights.dtype)
    logit_errors = np.empty((batch_size, n_classes), weights.dtype)
    gathered = np.empty(total_in, np.int64)
    entries = np.empty(total_in, np.int64)
    room = (
        np.empty(width + 4, np.int64), np.empty(width + 4, weights.dtype),
        np.zeros((CHUNK, width + 4), weights.dtype),
        np.empty(width + 4, np.int64), np.empty(width + 4, weights.dtype),
        np.zeros((CHUNK, width + 4), weights.dtype),
    )  # fmt: skip
    y0, y1 = np.empty(width, weights.dtype), np.empty(width, weights.dtype)
    y2, y3 = np.empty(width, weights.dtype), np.empty(width, weights.dtype)
    ins, outs = np.empty(total_in + 1, np.int64), np.empty(total_in + 1, np.int64)
    values, dots = np.empty(total_in + 1, weights.dtype), np.empty(total_in + 1, weights.dtype)
    gradient = np.empty(width, weights.dtype)
    summed = 0.0
    step = steps
    for start in range(0, len(points), batch_size):
        step += 1
        n_points = min(batch_size, len(points) - start)
        gather_bases(bases, points, start, n_points, n_inputs, gathered)
        forward_batch(
            weights, momenta, stamps, step, catch_up, readout, gathered, n_points, arities,
            n_inputs, scales, first_nodes, entries, activations, logits, room, y0, y1, y2, y3,
        )  # fmt: skip
        loss = loss_and_errors(logits, n_points, labels, points, start, logit_errors)
        summed += loss
        if not np.isfinite(loss):
            break
        first = first_nodes[depth - 1]
        for b in range(n_points):
            for h in range(width):
                errors[first + b, h] = 0
            for j in range(n_classes):
                e = logit_errors[b, j]
                for h in range(width):
                    errors[first + b, h] += e * readout[j, h]
            for h in range(width):
                on = activations[first + b, h] != 0
                errors[first + b, h] = scales[depth - 1] * errors[first + b, h] if on else 0
        for j in range(n_classes):
            for h in range(width):
                readout_momenta[j, h] *= mu
            for b in range(n_points):
                e = logit_errors[b, j]
                for h in range(width):
                    readout_momenta[j, h] += e * activations[first + b, h]
            for h in range(width):
                readout_momenta[j, h] = flushed(readout_momenta[j, h])
                readout[j, h] -= eta * readout_momenta[j, h]
        for k in range(depth - 1, 0, -1):
            first_base = 0
            for q in range(k):
                first_base += n_points * n_inputs[q]
            n = n_points * n_inputs[k]
            update_layer(
                weights, momenta, stamps, step, eta, catch_up, decays, gathered[first_base:],
                entries[first_base:], n, arities[k], activations, errors, first_nodes[k - 1],
                first_nodes[k], scales[k - 1], ins, outs, values, dots, gradient,
            )  # fmt: skip
        update_embedding(
            weights, momenta, stamps, step, eta, catch_up, decays, gathered,
            n_points * n_inputs[0], arities[0], errors,
        )  # fmt: skip
    return summed


@compiled
def evaluate(
    points, batch_size, bases, weights, momenta, stamps, steps, readout, catch_up, arities,
    n_inputs, scales, all_activations, all_logits,
):  # fmt: skip
    """Logits of points (n, n_c), and their activations (n, nodes, H) unless that has no rows."""
    width, n_classes = weights.shape[1], readout.shape[0]
    depth = len(arities)
    first_nodes = np.empty(depth, np.int64)
    n_nodes, total_in = 0, 0
    for k in range(depth):
        first_nodes[k] = n_nodes
        n_nodes += batch_size * n_inputs[k] // arities[k]
        total_in += batch_size * n_inputs[k]
    activations = np.empty((n_nodes, width), weights.dtype)
    logits = np.empty((batch_size, n_classes), weights.dtype)
    gathered = np.empty(total_in, np.int64)
    entries = np.empty(total_in, np.int64)
    room = (
        np.empty(width + 4, np.int64), np.empty(width + 4, weights.dtype),
        np.zeros((CHUNK, width + 4), weights.dtype),
        np.empty(width + 4, np.int64), np.empty(width + 4, weights.dtype),
        np.zeros((CHUNK, width + 4), weights.dtype),
    )  # fmt: skip
    y0, y1 = np.empty(width, weights.dtype), np.empty(width, weights.dtype)
    y2, y3 = np.empty(width, weights.dtype), np.empty(width, weights.dtype)
    for start in range(0, len(points), batch_size):
        n_points = min(batch_size, len(points) - start)
        gather_bases(bases, points, start, n_points, n_inputs, gathered)
        forward_batch(
            weights, momenta, stamps, steps + 1, catch_up, readout, gathered, n_points, arities,
            n_inputs, scales, first_nodes, entries, activations, logits, room, y0, y1, y2, y3,
        )  # fmt: skip
        all_logits[start : start + n_points] = logits[:n_points]
        if len(all_activations) > 0:
            node = 0
            for k in range(depth):
                per_point = n_inputs[k] // arities[k]
                for b in range(n_points):
                    for j in range(per_point):
                        all_activations[start + b, node + j] = activations[
                            first_nodes[k] + b * per_point + j
                        ]
                node += per_point


@compiled
def catch_up_rows(weights, momenta, stamps, steps, catch_up):
    """Brings weights, in place, to where their momentum has carried them after these steps."""
    last = catch_up.shape[0] - 1
    for row in range(weights.shape[0]):
        lag = catch_up[min(steps - stamps[row], last)]
        for h in range(weights.shape[1]):
            weights[row, h] -= lag * momenta[row, h]
