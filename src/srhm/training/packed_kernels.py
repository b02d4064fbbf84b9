"""Triton kernels of the packed engine: many networks of one shape, a program for each.

A program takes one network through many steps: it loops over the batches of its own order, so that
a launch costs nothing in the steady state, programs never wait for each other, and a network does
not depend on what else is trained beside it. The algorithm is that of `sparse_kernels`: weights of
all hidden layers are rows, an *entry* is an active input place of a point, its *base* the row that
its first channel meets, and entries of one base form a *group*. Row r was last updated at step
stamps[r]; what momentum did to it since stands in the tables of `sparse.momentum_tables`.

Widths are powers of two here; channels beyond the network's own width have weights of zero, so that
they are never active and never change. Stages that hand data on through memory are separated by
barriers of the program. All sums have a fixed order: a run gives the same bits again. A row of
weights lies beside its momentum, so that both are one stretch of memory; active channels are listed
first, so that inactive ones cost nothing.

Tiles are chosen so that no register spills: 4 rows and 4 warps at H = 512, 8 rows and 2 warps at H
= 128, with 239 to 255 registers a thread on H100 (sm_90) and A100 (sm_80), as
tests/gpu/test_packed_compiles.py shows. Eight warps then fit a multiprocessor: two networks at H =
512, four at H = 128, with 16 to 32 kB on their way where 3.35 TB/s and 0.8 us ask for 20 kB. With
128 registers some 500 bytes a thread spill. To be tried first on a card: that (`maxnreg`), then
tiles of 2 rows with 168 registers, which spill nothing, then 8 warps a network.
"""

import triton
import triton.language as tl

# Momenta below this become zero, as in the sparse engine.
SMALLEST = tl.constexpr(1e-30)
# Entries of a group that are worked on at a time.
FOUR = tl.constexpr(4)
# Columns of the table that describes the layers: inputs that feed one output, active inputs of a
# point, and active inputs and nodes of all layers before.
COLUMNS = tl.constexpr(4)
NO_ROW = tl.constexpr(2147483647)
# Numbers that differ between packs: the compiler is not to make code for each of them.
NUMBERS = (
    "order_length", "bases_length", "labels_length", "n_parts", "n_rows", "n_classes", "longest",
    "depth", "batch", "n_nodes", "n_listed",
)  # fmt: skip


@triton.jit
def parts_of_whole(whole, n_entries):
    """Bases, entries, sizes, numbers of active channels and their lists, in one array."""
    return (
        whole,
        whole + n_entries,
        whole + 2 * n_entries,
        whole + 3 * n_entries,
        whole + 4 * n_entries,
    )


@triton.jit
def parts_of_real(real, n_nodes, n_listed, n_logits, H: tl.constexpr):
    """Nodes, products, errors, logits and their errors, in one array."""
    return (
        real,
        real + n_nodes * H,
        real + (n_nodes + n_listed) * H,
        real + (2 * n_nodes + n_listed) * H,
        real + (2 * n_nodes + n_listed) * H + n_logits,
    )


@triton.jit
def gather_bases(order, n, all_bases, bases, layers, depth, batch, SORTED: tl.constexpr):
    """Bases of the entries of n points, layer by layer."""
    n_columns = tl.load(layers + (depth - 1) * COLUMNS + 2) + tl.load(
        layers + (depth - 1) * COLUMNS + 1
    )
    i = tl.arange(0, SORTED)
    for k in range(depth):
        n_inputs = tl.load(layers + k * COLUMNS + 1)
        first = tl.load(layers + k * COLUMNS + 2)
        inside = i < n * n_inputs
        point = tl.load(order + i // n_inputs, mask=inside, other=0)
        base = tl.load(
            all_bases + point.to(tl.int64) * n_columns + first + i % n_inputs, mask=inside, other=0
        )
        tl.store(bases + first * batch + i, base, mask=inside)


@triton.jit
def sort_entries(bases, entries, sizes, n, SORTED: tl.constexpr, COMPARED: tl.constexpr):
    """Entries by base, and the size of each group at the place of its first entry, else zero."""
    i = tl.arange(0, SORTED)
    base = tl.load(bases + i, mask=i < n, other=0)
    place = tl.zeros([SORTED], tl.int32)
    before = tl.zeros([SORTED], tl.int32)
    size = tl.zeros([SORTED], tl.int32)
    for start in range(0, n, COMPARED):
        j = start + tl.arange(0, COMPARED)
        other = tl.load(bases + j, mask=j < n, other=NO_ROW)
        same = other[None, :] == base[:, None]
        earlier = same & (j[None, :] < i[:, None])
        place += tl.sum(((other[None, :] < base[:, None]) | earlier).to(tl.int32), axis=1)
        before += tl.sum(earlier.to(tl.int32), axis=1)
        size += tl.sum(same.to(tl.int32), axis=1)
    tl.store(entries + place, i, mask=i < n)
    tl.store(sizes + place, tl.where(before == 0, size, 0), mask=i < n)


@triton.jit
def present_rows(rows, stamps, rest, longest, step, row, inside, H: tl.constexpr):
    """Rows (rows, H) as momentum has carried them to this step."""
    rested = step - 1 - tl.load(stamps + row, mask=inside, other=step - 1)
    lag = tl.load(rest + 2 * tl.minimum(rested, longest), mask=inside, other=0.0)
    place = row[:, None] * (2 * H) + tl.arange(0, H)[None, :]
    w = tl.load(rows + place, mask=inside[:, None], other=0.0)
    # A row that was updated in the last step needs no momentum.
    m = tl.load(rows + H + place, mask=(inside & (rested > 0))[:, None], other=0.0)
    return w - lag[:, None] * m


@triton.jit
def stepped_rows(rows, row, inside, w, m, decay, eta, gradient, H: tl.constexpr):
    """Writes rows and momenta after a step of SGD; w is up to date, m as it was last written."""
    m = decay[:, None] * m + gradient
    m = tl.where(tl.abs(m) < SMALLEST, 0.0, m)
    place = row[:, None] * (2 * H) + tl.arange(0, H)[None, :]
    tl.store(rows + H + place, m, mask=inside[:, None])
    tl.store(rows + place, w - eta * m, mask=inside[:, None])


@triton.jit
def embed(
    rows, stamps, rest, longest, step, bases, nodes, n_nodes, arity, scale,
    H: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Nodes of the first layer: sums of embeddings, ReLU, times the scale."""
    h = tl.arange(0, H)
    for start in range(0, n_nodes, TILE):
        o = start + tl.arange(0, TILE)
        inside = o < n_nodes
        y = tl.zeros([TILE, H], rows.dtype.element_ty)
        for j in range(arity):
            row = tl.load(bases + o * arity + j, mask=inside, other=0)
            y += present_rows(rows, stamps, rest, longest, step, row, inside, H)
        # zero where y <= 0, so that a NaN passes, as it does in PyTorch
        y = tl.where(y <= 0, 0.0, scale * y)
        tl.store(nodes + o[:, None] * H + h[None, :], y, mask=inside[:, None])


@triton.jit
def list_active(nodes_in, entries, sizes, n, active, n_active, H: tl.constexpr):
    """Channels that any entry of a group has active, for each group."""
    h = tl.arange(0, H)
    first = 0
    while first < n:
        size = tl.load(sizes + first)
        used = tl.zeros([H], tl.int32)
        for e in range(size):
            i = tl.load(entries + first + e)
            used |= (tl.load(nodes_in + i * H + h) != 0).to(tl.int32)
        place = tl.cumsum(used, axis=0) - used
        tl.store(active + first * H + place, h, mask=used != 0)
        tl.store(n_active + first, tl.sum(used, axis=0))
        first += size


@triton.jit
def entry_of(entries, first, e, size):
    """Entry e of a group, its last one where it has fewer, and 1 if it has it, else 0."""
    return tl.load(entries + first + tl.minimum(e, size - 1)), tl.where(e < size, 1, 0)


@triton.jit
def add_group(
    rows, stamps, rest, longest, step, base, nodes_in, entries, first, e, size,
    active, n_active, products, H: tl.constexpr, TILE: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    """Active rows of a group times the activations of N of its entries, a sum for each entry."""
    h = tl.arange(0, H)
    i0, _ = entry_of(entries, first, e, size)
    y0 = tl.zeros([TILE, H], rows.dtype.element_ty)
    if N > 1:
        i1, there1 = entry_of(entries, first, e + 1, size)
        y1 = tl.zeros([TILE, H], rows.dtype.element_ty)
    if N > 2:
        i2, there2 = entry_of(entries, first, e + 2, size)
        i3, there3 = entry_of(entries, first, e + 3, size)
        y2 = tl.zeros([TILE, H], rows.dtype.element_ty)
        y3 = tl.zeros([TILE, H], rows.dtype.element_ty)
    for start in range(0, n_active, TILE):
        p = start + tl.arange(0, TILE)
        inside = p < n_active
        c = tl.load(active + p, mask=inside, other=0)
        w = present_rows(rows, stamps, rest, longest, step, base + c, inside, H)
        y0 += tl.load(nodes_in + i0 * H + c, mask=inside, other=0.0)[:, None] * w
        if N > 1:
            y1 += tl.load(nodes_in + i1 * H + c, mask=inside, other=0.0)[:, None] * w
        if N > 2:
            y2 += tl.load(nodes_in + i2 * H + c, mask=inside, other=0.0)[:, None] * w
            y3 += tl.load(nodes_in + i3 * H + c, mask=inside, other=0.0)[:, None] * w
    tl.store(products + i0 * H + h, tl.sum(y0, axis=0))
    if N > 1:
        tl.store(products + i1 * H + h, tl.sum(y1, axis=0), mask=h < H * there1)
    if N > 2:
        tl.store(products + i2 * H + h, tl.sum(y2, axis=0), mask=h < H * there2)
        tl.store(products + i3 * H + h, tl.sum(y3, axis=0), mask=h < H * there3)


@triton.jit
def add_layer(
    rows, stamps, rest, longest, step, bases, nodes_in, entries, sizes, n,
    active, n_active, products, H: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Products of the entries of a layer, group by group."""
    first = 0
    while first < n:
        size = tl.load(sizes + first)
        base = tl.load(bases + tl.load(entries + first))
        count = tl.load(n_active + first)
        listed = active + first * H
        if size == 1:
            add_group(
                rows, stamps, rest, longest, step, base, nodes_in, entries, first,
                0, size, listed, count, products, H, TILE, 1,
            )  # fmt: skip
        elif size == 2:
            add_group(
                rows, stamps, rest, longest, step, base, nodes_in, entries, first,
                0, size, listed, count, products, H, TILE, 2,
            )  # fmt: skip
        else:
            for e in range(0, size, FOUR):
                add_group(
                    rows, stamps, rest, longest, step, base, nodes_in, entries,
                    first, e, size, listed, count, products, H, TILE, 4,
                )  # fmt: skip
        first += size


@triton.jit
def add_products(products, nodes, n_nodes, arity, scale, H: tl.constexpr, TILE: tl.constexpr):
    """Nodes of a layer: sums of the products of their entries, ReLU, times the scale."""
    h = tl.arange(0, H)
    for start in range(0, n_nodes, TILE):
        o = start + tl.arange(0, TILE)
        inside = o < n_nodes
        y = tl.zeros([TILE, H], products.dtype.element_ty)
        for j in range(arity):
            place = (o * arity + j)[:, None] * H + h[None, :]
            y += tl.load(products + place, mask=inside[:, None], other=0.0)
        y = tl.where(y <= 0, 0.0, scale * y)
        tl.store(nodes + o[:, None] * H + h[None, :], y, mask=inside[:, None])


@triton.jit
def read_out(readout, nodes, logits, n, n_classes, H: tl.constexpr, CLASSES: tl.constexpr):
    """Logits of n points from their nodes of the last layer."""
    h = tl.arange(0, H)
    for b in range(n):
        f = tl.load(nodes + b * H + h)
        for start in range(0, n_classes, CLASSES):
            j = start + tl.arange(0, CLASSES)
            inside = j < n_classes
            a = tl.load(
                readout + j[:, None] * (2 * H) + h[None, :], mask=inside[:, None], other=0.0
            )
            tl.store(logits + b * n_classes + j, tl.sum(a * f[None, :], axis=1), mask=inside)


@triton.jit
def forward(
    rows, stamps, rest, longest, step, readout,
    layers, scales, depth, batch, n, n_classes,
    bases, entries, sizes, nodes, products, active, n_active, logits,
    H: tl.constexpr, TILE: tl.constexpr, CLASSES: tl.constexpr,
    SORTED: tl.constexpr, COMPARED: tl.constexpr,
):  # fmt: skip
    """All nodes and logits of n points whose bases are there; no row is written."""
    first_layer = tl.load(layers + 1)
    tl.debug_barrier()
    for k in range(1, depth):
        n_inputs = tl.load(layers + k * COLUMNS + 1)
        at = tl.load(layers + k * COLUMNS + 2) * batch
        sort_entries(bases + at, entries + at, sizes + at, n * n_inputs, SORTED, COMPARED)
    arity = tl.load(layers)
    embed(
        rows, stamps, rest, longest, step, bases, nodes, n * first_layer // arity,
        arity, tl.load(scales), H, TILE,
    )  # fmt: skip
    for k in range(1, depth):
        arity = tl.load(layers + k * COLUMNS)
        n_inputs = tl.load(layers + k * COLUMNS + 1)
        at = tl.load(layers + k * COLUMNS + 2) * batch
        # Rows of lists and products: entries of the layers from the second on.
        listed = at - first_layer * batch
        nodes_in = nodes + tl.load(layers + (k - 1) * COLUMNS + 3) * batch * H
        nodes_out = nodes + tl.load(layers + k * COLUMNS + 3) * batch * H
        tl.debug_barrier()
        list_active(
            nodes_in, entries + at, sizes + at, n * n_inputs, active + listed * H,
            n_active + listed, H,
        )  # fmt: skip
        tl.debug_barrier()
        add_layer(
            rows, stamps, rest, longest, step, bases + at, nodes_in, entries + at,
            sizes + at, n * n_inputs, active + listed * H, n_active + listed, products, H, TILE,
        )  # fmt: skip
        tl.debug_barrier()
        add_products(
            products, nodes_out, n * n_inputs // arity, arity, tl.load(scales + k), H, TILE
        )
    tl.debug_barrier()
    top = nodes + tl.load(layers + (depth - 1) * COLUMNS + 3) * batch * H
    read_out(readout, top, logits, n, n_classes, H, CLASSES)
    tl.debug_barrier()


@triton.jit
def loss_and_errors(
    logits, errors, order, labels, n, n_classes,
    POINTS: tl.constexpr, ALL_CLASSES: tl.constexpr,
):  # fmt: skip
    """Cross-entropy in float64, summed over a batch; its mean's derivatives by the logits."""
    j = tl.arange(0, ALL_CLASSES)[None, :]
    summed = tl.zeros([POINTS], tl.float64)
    for start in range(0, n, POINTS):
        b = start + tl.arange(0, POINTS)
        inside = b < n
        both = inside[:, None] & (j < n_classes)
        place = b[:, None] * n_classes + j
        z = tl.load(logits + place, mask=both, other=0.0).to(tl.float64)
        top = tl.max(tl.where(j < n_classes, z, float("-inf")), axis=1)
        q = tl.where(j < n_classes, tl.exp(z - top[:, None]), 0.0)
        partition = tl.sum(q, axis=1)
        label = tl.load(labels + tl.load(order + b, mask=inside, other=0))
        own = j == label[:, None]
        loss = tl.log(partition) + top - tl.sum(tl.where(own, z, 0.0), axis=1)
        summed += tl.where(inside, loss, 0.0)
        e = (q / partition[:, None] - own.to(tl.float64)) / n
        tl.store(errors + place, e.to(errors.dtype.element_ty), mask=both)
    return tl.sum(summed, axis=0)


@triton.jit
def update_readout(
    readout, nodes, errors, logit_errors, n, n_classes, mu, eta, scale,
    H: tl.constexpr, CLASSES: tl.constexpr,
):  # fmt: skip
    """Errors of the last hidden layer; then a dense step of SGD for the readout."""
    h = tl.arange(0, H)
    for b in range(n):
        f = tl.load(nodes + b * H + h)
        e = tl.zeros([H], readout.dtype.element_ty)
        for start in range(0, n_classes, CLASSES):
            j = start + tl.arange(0, CLASSES)
            inside = j < n_classes
            a = tl.load(
                readout + j[:, None] * (2 * H) + h[None, :], mask=inside[:, None], other=0.0
            )
            e += tl.sum(
                tl.load(logit_errors + b * n_classes + j, mask=inside, other=0.0)[:, None] * a,
                axis=0,
            )
        tl.store(errors + b * H + h, tl.where(f == 0, 0.0, scale * e))
    tl.debug_barrier()
    for start in range(0, n_classes, CLASSES):
        j = start + tl.arange(0, CLASSES)
        inside = j < n_classes
        place = j[:, None] * (2 * H) + h[None, :]
        a = tl.load(readout + place, mask=inside[:, None], other=0.0)
        m = mu * tl.load(readout + H + place, mask=inside[:, None], other=0.0)
        for b in range(n):
            e = tl.load(logit_errors + b * n_classes + j, mask=inside, other=0.0)
            m += e[:, None] * tl.load(nodes + b * H + h)[None, :]
        m = tl.where(tl.abs(m) < SMALLEST, 0.0, m)
        tl.debug_barrier()  # small blocks are held by several threads: all have read
        tl.store(readout + H + place, m, mask=inside[:, None])
        tl.store(readout + place, a - eta * m, mask=inside[:, None])


@triton.jit
def met(w, error, nodes_in, errors_in, i, there, c, inside, scale, H: tl.constexpr):
    """What one entry adds to the gradient of rows c; writes the errors of its inputs."""
    inside = inside & (c < H * there)
    x = tl.load(nodes_in + i * H + c, mask=inside, other=0.0)
    e = scale * tl.sum(w * error[None, :], axis=1)
    tl.store(errors_in + i * H + c, tl.where(x == 0, 0.0, e), mask=inside)
    return x[:, None] * error[None, :]


@triton.jit
def update_group(
    rows, stamps, rest, longest, step, eta, base, nodes_in, errors_in,
    errors_out, entries, first, size, active, n_active, arity, scale,
    H: tl.constexpr, TILE: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    """Errors of the inputs of a group, and a step of SGD for its active rows.

    N: 1 or 2 where the group has so many entries, whose errors stay in registers; else 4, where
    errors are read for each tile anew.
    """
    h = tl.arange(0, H)
    i0, there0 = entry_of(entries, first, 0, size)
    if N < 3:
        error0 = tl.load(errors_out + i0 // arity * H + h)
    if N == 2:
        i1, there1 = entry_of(entries, first, 1, size)
        error1 = tl.load(errors_out + i1 // arity * H + h)
    for start in range(0, n_active, TILE):
        p = start + tl.arange(0, TILE)
        inside = p < n_active
        c = tl.load(active + p, mask=inside, other=0)
        row = base + c
        rested = step - 1 - tl.load(stamps + row, mask=inside, other=step - 1)
        rested = tl.minimum(rested, longest)
        lag = tl.load(rest + 2 * rested)
        decay = tl.load(rest + 2 * rested + 1)
        place = row[:, None] * (2 * H) + h[None, :]
        w = tl.load(rows + place, mask=inside[:, None], other=0.0)
        m = tl.load(rows + H + place, mask=inside[:, None], other=0.0)
        w -= lag[:, None] * m
        if N < 3:
            gradient = met(w, error0, nodes_in, errors_in, i0, there0, c, inside, scale, H)
            if N == 2:
                gradient += met(w, error1, nodes_in, errors_in, i1, there1, c, inside, scale, H)
        else:
            gradient = tl.zeros([TILE, H], rows.dtype.element_ty)
            for e in range(size):
                i, there = entry_of(entries, first, e, size)
                error = tl.load(errors_out + i // arity * H + h)
                gradient += met(w, error, nodes_in, errors_in, i, there, c, inside, scale, H)
        stepped_rows(rows, row, inside, w, m, decay, eta, gradient, H)


@triton.jit
def update_layer(
    rows, stamps, rest, longest, step, eta, bases, nodes_in, errors_in,
    errors_out, entries, sizes, n, active, n_active, arity, scale,
    H: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Errors of the inputs of a layer, and its step of SGD: each active row is written once."""
    first = 0
    while first < n:
        size = tl.load(sizes + first)
        base = tl.load(bases + tl.load(entries + first))
        count = tl.load(n_active + first)
        listed = active + first * H
        if size == 1:
            update_group(
                rows, stamps, rest, longest, step, eta, base, nodes_in,
                errors_in, errors_out, entries, first, size, listed, count, arity, scale,
                H, TILE, 1,
            )  # fmt: skip
        elif size == 2:
            update_group(
                rows, stamps, rest, longest, step, eta, base, nodes_in,
                errors_in, errors_out, entries, first, size, listed, count, arity, scale,
                H, TILE, 2,
            )  # fmt: skip
        else:
            update_group(
                rows, stamps, rest, longest, step, eta, base, nodes_in,
                errors_in, errors_out, entries, first, size, listed, count, arity, scale,
                H, TILE, 4,
            )  # fmt: skip
        first += size


@triton.jit
def update_embedding(
    rows, stamps, rest, longest, step, eta, bases, errors, entries, sizes,
    n, arity, H: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """A step of SGD for the first layer, whose inputs are one-hot: sums of errors are gradients."""
    h = tl.arange(0, H)
    for start in range(0, n, TILE):
        p = start + tl.arange(0, TILE)
        size = tl.load(sizes + p, mask=p < n, other=0)
        inside = size > 0  # the first entry of each row stands for all
        gradient = tl.zeros([TILE, H], rows.dtype.element_ty)
        for e in range(tl.max(size, axis=0)):
            i = tl.load(entries + p + e, mask=e < size, other=0)
            place = (i // arity)[:, None] * H + h[None, :]
            gradient += tl.load(errors + place, mask=(e < size)[:, None], other=0.0)
        row = tl.load(bases + tl.load(entries + p, mask=inside, other=0), mask=inside, other=0)
        rested = step - 1 - tl.load(stamps + row, mask=inside, other=step - 1)
        rested = tl.minimum(rested, longest)
        lag = tl.load(rest + 2 * rested)
        decay = tl.load(rest + 2 * rested + 1)
        place = row[:, None] * (2 * H) + h[None, :]
        w = tl.load(rows + place, mask=inside[:, None], other=0.0)
        m = tl.load(rows + H + place, mask=inside[:, None], other=0.0)
        w -= lag[:, None] * m
        stepped_rows(rows, row, inside, w, m, decay, eta, gradient, H)


@triton.jit
def stamp_rows(
    stamps, step, bases, entries, sizes, active, n_active, layers, depth, batch, n,
    H: tl.constexpr, SORTED: tl.constexpr,
):  # fmt: skip
    """Notes the step at the rows that it has updated."""
    i = tl.arange(0, SORTED)
    first_layer = tl.load(layers + 1)
    row = tl.load(bases + i, mask=i < n * first_layer, other=0)
    tl.store(stamps + row, step, mask=i < n * first_layer)
    h = tl.arange(0, H)
    for k in range(1, depth):
        at = tl.load(layers + k * COLUMNS + 2) * batch
        listed = at - first_layer * batch
        n_entries = n * tl.load(layers + k * COLUMNS + 1)
        first = 0
        while first < n_entries:
            size = tl.load(sizes + at + first)
            base = tl.load(bases + at + tl.load(entries + at + first))
            inside = h < tl.load(n_active + listed + first)
            c = tl.load(active + (listed + first) * H + h, mask=inside, other=0)
            tl.store(stamps + base + c, step, mask=inside)
            first += size


@triton.jit(do_not_specialize=[name for name in NUMBERS if name != "n_parts"])
def train_kernel(
    table, sums, orders, order_length, rates,
    all_bases, bases_length, labels, labels_length,
    rows, stamps, n_rows, readouts, n_classes, rest, longest, layers, scales, depth, batch,
    whole, n_whole, real, n_real, n_entries, n_nodes, n_listed,
    H: tl.constexpr, TILE: tl.constexpr, CLASSES: tl.constexpr, ALL_CLASSES: tl.constexpr,
    SORTED: tl.constexpr, COMPARED: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """Steps of SGD with momentum: program p trains the network of slot table[p, 0].

    table (programs, 3): slot, points of the order, steps made before. sums (programs,): summed
    cross-entropy, to which that of these points is added. orders (programs, order_length): points.
    A program ends at the first batch whose loss is not finite.
    """
    program = tl.program_id(0).to(tl.int64)
    slot = tl.load(table + program * 3).to(tl.int64)
    n_points = tl.load(table + program * 3 + 1)
    step = tl.load(table + program * 3 + 2)
    summed = tl.load(sums + program)
    eta = tl.load(rates + slot * 2)
    mu = tl.load(rates + slot * 2 + 1)
    orders += program * order_length
    all_bases += slot * bases_length
    labels += slot * labels_length
    rows += slot * n_rows * (2 * H)
    stamps += slot * n_rows
    readouts += slot * n_classes * (2 * H)
    rest += slot * (longest + 1) * 2
    whole += program * n_whole
    real += program * n_real
    bases, entries, sizes, n_active, active = parts_of_whole(whole, n_entries)
    nodes, products, errors, logits, logit_errors = parts_of_real(
        real, n_nodes, n_listed, batch * n_classes, H
    )

    first_inputs = tl.load(layers + 1)
    first_arity = tl.load(layers)
    top = tl.load(layers + (depth - 1) * COLUMNS + 3) * batch * H
    h = tl.arange(0, H)
    start = 0
    finite = True
    while (start < n_points) & finite:
        step += 1
        order = orders + start
        n = tl.minimum(batch, n_points - start)
        gather_bases(order, n, all_bases, bases, layers, depth, batch, SORTED)
        forward(
            rows, stamps, rest, longest, step, readouts, layers, scales, depth, batch, n, n_classes,
            bases, entries, sizes, nodes, products, active, n_active, logits,
            H, TILE, CLASSES, SORTED, COMPARED,
        )  # fmt: skip
        loss = loss_and_errors(
            logits, logit_errors, order, labels, n, n_classes, POINTS, ALL_CLASSES
        )
        summed += loss
        finite = loss - loss == 0
        if finite:
            sort_entries(bases, entries, sizes, n * first_inputs, SORTED, COMPARED)
            for o in range(top // H):  # channels that are not listed have no error
                tl.store(errors + o * H + h, tl.zeros([H], errors.dtype.element_ty))
            tl.debug_barrier()
            update_readout(
                readouts, nodes + top, errors + top, logit_errors, n, n_classes, mu, eta,
                tl.load(scales + depth - 1), H, CLASSES,
            )  # fmt: skip
            for above in range(1, depth):
                k = depth - above
                tl.debug_barrier()
                at = tl.load(layers + k * COLUMNS + 2) * batch
                listed = at - first_inputs * batch
                lower = tl.load(layers + (k - 1) * COLUMNS + 3) * batch * H
                upper = tl.load(layers + k * COLUMNS + 3) * batch * H
                update_layer(
                    rows, stamps, rest, longest, step, eta, bases + at,
                    nodes + lower, errors + lower, errors + upper, entries + at, sizes + at,
                    n * tl.load(layers + k * COLUMNS + 1), active + listed * H, n_active + listed,
                    tl.load(layers + k * COLUMNS), tl.load(scales + k - 1), H, TILE,
                )  # fmt: skip
            tl.debug_barrier()
            update_embedding(
                rows, stamps, rest, longest, step, eta, bases, errors, entries, sizes,
                n * first_inputs, first_arity, H, TILE,
            )  # fmt: skip
            tl.debug_barrier()
            stamp_rows(
                stamps, step, bases, entries, sizes, active, n_active, layers, depth, batch, n,
                H, SORTED,
            )  # fmt: skip
            tl.debug_barrier()
        start += batch
    tl.store(sums + program, summed)


@triton.jit(do_not_specialize=[name for name in NUMBERS if name != "order_length"])
def test_kernel(
    table, right, n_parts, points, all_bases, bases_length, labels, labels_length,
    rows, stamps, n_rows, readouts, n_classes, rest, longest, layers, scales, depth, batch,
    whole, n_whole, real, n_real, n_entries, n_nodes, n_listed,
    H: tl.constexpr, TILE: tl.constexpr, CLASSES: tl.constexpr, ALL_CLASSES: tl.constexpr,
    SORTED: tl.constexpr, COMPARED: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """Test points that are classified right, a tie not among them: right (networks, parts).

    table (networks, 3): slot, test points, steps made before. points: 0, 1, 2, ... Program (q, p)
    takes batches p, p + n_parts, ... of network q.
    """
    network = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    program = network * n_parts + part
    slot = tl.load(table + network * 3).to(tl.int64)
    n_test = tl.load(table + network * 3 + 1)
    step = tl.load(table + network * 3 + 2) + 1
    all_bases += slot * bases_length
    labels += slot * labels_length
    rows += slot * n_rows * (2 * H)
    stamps += slot * n_rows
    readouts += slot * n_classes * (2 * H)
    rest += slot * (longest + 1) * 2
    whole += program * n_whole
    real += program * n_real
    bases, entries, sizes, n_active, active = parts_of_whole(whole, n_entries)
    nodes, products, _, logits, _ = parts_of_real(real, n_nodes, n_listed, batch * n_classes, H)

    j = tl.arange(0, ALL_CLASSES)[None, :]
    count = tl.zeros([POINTS], tl.int32)
    start = part * batch
    while start < n_test:
        n = tl.minimum(batch, n_test - start)
        gather_bases(points + start, n, all_bases, bases, layers, depth, batch, SORTED)
        forward(
            rows, stamps, rest, longest, step, readouts, layers, scales, depth, batch, n, n_classes,
            bases, entries, sizes, nodes, products, active, n_active, logits,
            H, TILE, CLASSES, SORTED, COMPARED,
        )  # fmt: skip
        for first in range(0, n, POINTS):
            b = first + tl.arange(0, POINTS)
            both = (b < n)[:, None] & (j < n_classes)
            z = tl.load(logits + b[:, None] * n_classes + j, mask=both, other=0.0)
            label = tl.load(labels + start + b, mask=b < n, other=0)
            own = tl.sum(tl.where(j == label[:, None], z, 0.0), axis=1)
            n_above = tl.sum((both & (z >= own[:, None])).to(tl.int32), axis=1)
            count += ((b < n) & (n_above == 1)).to(tl.int32)
        tl.debug_barrier()
        start += batch * n_parts
    tl.store(right + program, tl.sum(count, axis=0))
