// LCN and CNN (Eq. 9, 10), their training by SGD, their sensitivities (Eq. 13, 14). Without bias an empty patch is zero at
// every layer: a datum meets the weights of its own tree alone. Weights and momenta are single, sums double precision.

// Where the weights lie in one array: layer k is (slots, inputs, H), then the readout (H, n_c).
function shapeOf({ L, v, nc, s0 }, net, H) {
  const w = S * (s0 + 1), layers = [];
  let size = 0;
  for (let k = 1; k <= L; k++) {
    const inputs = k === 1 ? v : H, slots = net === "cnn" ? w : w ** (L - k + 1);
    layers.push({ inputs, slots, first: size, scale: 1 / Math.sqrt(inputs) });
    size += slots * inputs * H;
  }
  return { L, H, nc, w, layers, readout: size, size: size + H * nc };
}

// Of each datum its label, and for each active input of layer 1 ... L, in the order of the tree, its first weight.
function encoded(grammar, data, shape) {
  const perDatum = 2 * (S ** shape.L - 1), rows = new Int32Array(data.length * perDatum);
  data.forEach((datum, b) => {
    let { features, places } = levelsOf(grammar, datum)[shape.L], at = b * perDatum;
    shape.layers.forEach(({ inputs, slots, first }, k) => {
      places.forEach((place, i) => {
        rows[at++] = first + ((place % slots) * inputs + (k ? 0 : features[i])) * shape.H;
      });
      places = places.filter((_, i) => i % S === 0).map((place) => Math.floor(place / shape.w));
    });
  });
  return { n: data.length, labels: Int16Array.from(data, (datum) => datum.label), rows, perDatum };
}

function network(shape, weights) {
  const nodes = shape.layers.map((_, k) => S ** (shape.L - 1 - k));
  const room = () => nodes.map((n) => new Float64Array(n * shape.H));
  return {
    shape, weights, momenta: new Float32Array(shape.size), steps: 0, nodes, f: room(), slopes: room(),
    logits: new Float64Array(shape.nc), sum: new Float64Array(shape.H),
  };
}

// Hidden layers f_1 ... f_L of one datum after ReLU, and its logits.
function forward(net, data, b) {
  const { shape: { H, nc, layers, readout }, weights, nodes, f, logits, sum } = net;
  let at = b * data.perDatum;
  for (let k = 0; k < layers.length; k++) {
    const { scale } = layers[k];
    for (let j = 0; j < nodes[k]; j++) {
      sum.fill(0);
      for (let i = 0; i < S; i++) {
        const first = data.rows[at++];
        if (k === 0) { for (let h = 0; h < H; h++) sum[h] += weights[first + h]; continue; }
        for (let c = 0; c < H; c++) {
          const x = f[k - 1][(S * j + i) * H + c];
          if (x > 0) for (let h = 0, row = first + c * H; h < H; h++) sum[h] += x * weights[row + h];
        }
      }
      for (let h = 0; h < H; h++) f[k][j * H + h] = sum[h] > 0 ? scale * sum[h] : 0;
    }
  }
  const last = f[layers.length - 1];
  for (let a = 0; a < nc; a++) {
    let found = 0;
    for (let h = 0; h < H; h++) found += last[h] * weights[readout + h * nc + a];
    logits[a] = found / H;
  }
  return logits;
}

// Cross-entropy of one datum; adds the gradients of its share 1/n of a batch to the momenta.
function backward(net, data, b, n) {
  const { shape: { H, nc, layers, readout }, weights, momenta, nodes, f, slopes } = net;
  const logits = forward(net, data, b), own = data.labels[b];
  let most = -Infinity, norm = 0;
  for (let a = 0; a < nc; a++) most = Math.max(most, logits[a]);
  for (let a = 0; a < nc; a++) norm += Math.exp(logits[a] - most);
  const loss = Math.log(norm) + most - logits[own];
  let last = layers.length - 1;
  slopes[last].fill(0);
  for (let a = 0; a < nc; a++) {
    const slope = (Math.exp(logits[a] - most) / norm - (a === own ? 1 : 0)) / (n * H);
    for (let h = 0; h < H; h++) {
      slopes[last][h] += slope * weights[readout + h * nc + a];
      momenta[readout + h * nc + a] += slope * f[last][h];
    }
  }
  let end = (b + 1) * data.perDatum;
  for (let k = last; k >= 0; k--) {
    const slope = slopes[k], { scale } = layers[k], start = end - S * nodes[k];
    for (let i = 0; i < nodes[k] * H; i++) slope[i] = f[k][i] > 0 ? slope[i] * scale : 0;
    for (let i = 0; i < S * nodes[k]; i++) {
      const first = data.rows[start + i], from = Math.floor(i / S) * H;
      if (k === 0) { for (let h = 0; h < H; h++) momenta[first + h] += slope[from + h]; continue; }
      for (let c = 0; c < H; c++) {
        const x = f[k - 1][i * H + c];
        let found = 0;
        if (x > 0)
          for (let h = 0, row = first + c * H; h < H; h++) {
            found += weights[row + h] * slope[from + h];
            momenta[row + h] += x * slope[from + h];
          }
        slopes[k - 1][i * H + c] = found;
      }
    }
    end = start;
  }
  return loss;
}

// One step of SGD: m <- mu m + gradient, w <- w - learning_rate H m; momenta lie multiplied by mu. The summed loss.
function step(net, data, batch, { learning_rate, momentum }) {
  const { weights, momenta } = net, eta = learning_rate * net.shape.H;
  let summed = 0;
  for (const b of batch) summed += backward(net, data, b, batch.length);
  for (let i = 0; i < weights.length; i++) {
    weights[i] -= eta * momenta[i];
    momenta[i] *= momentum;
  }
  // Numbers below the smallest normal one would slow every step down.
  if (++net.steps % 64 === 0)
    for (let i = 0; i < momenta.length; i++) if (Math.abs(momenta[i]) < 1e-30) momenta[i] = 0;
  return summed;
}

// Order of the points of one epoch.
function shuffled(n, random) {
  const found = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) { const j = below(i + 1, random); [found[i], found[j]] = [found[j], found[i]]; }
  return found;
}

// Trains until the mean loss of an epoch is below the threshold, or the cap in steps.
function fitted(net, data, protocol, random, look) {
  for (;;) {
    const order = shuffled(data.n, random);
    let summed = 0;
    for (let i = 0; i < data.n; i += protocol.batch_size) {
      summed += step(net, data, order.subarray(i, i + protocol.batch_size), protocol);
      if (net.steps % 256 === 0) look(net.steps);
    }
    if (!Number.isFinite(summed)) return "diverged";
    if (summed / data.n < protocol.loss_threshold) return "fitted";
    if (net.steps >= protocol.max_steps) return "capped";
  }
}

function outputs(net, data) {
  const { nc } = net.shape, found = new Float64Array(data.n * nc);
  for (let b = 0; b < data.n; b++) found.set(forward(net, data, b), b * nc);
  return found;
}
// Part of the data that are not classified right; a tie is an error.
function errorOf(net, data) {
  let right = 0;
  for (let b = 0; b < data.n; b++) {
    const logits = forward(net, data, b), own = logits[data.labels[b]];
    if (logits.every((one, a) => one < own || a === data.labels[b])) right++;
  }
  return 1 - right / data.n;
}
// Mean squared change of the output f (n, n_c) between data and their images (draws of n each), over that between two data.
function sensitivity(f, images, n, nc) {
  const total = new Float64Array(nc);
  let squares = 0, changes = 0, norm = 0;
  for (let i = 0; i < f.length; i++) { squares += f[i] ** 2; total[i % nc] += f[i]; }
  for (let i = 0; i < images.length; i++) changes += (images[i] - f[i % f.length]) ** 2;
  for (const one of total) norm += one ** 2;
  return changes / (images.length / nc) / (2 * (n * squares - norm) / (n * (n - 1)));
}

// P* that the paper predicts (Eq. 3 with C_0 = s^(L/2), Eq. 4 with C_1 = 1), and the P to look at around it.
const predicted = (net, { L, m, nc, s0 }) => net === "cnn"
  ? (s0 + 1) ** 2 * nc * m ** L : S ** (L / 2) * (s0 + 1) ** L * nc * m ** L;
const LEAST_TEST = 50;
function sizesFor(net, of) {
  const first = (net === "cnn" ? 0.5 : 0.4) * predicted(net, of), most = nDistinct(of) - LEAST_TEST;
  return [0, 1, 2, 3, 4, 5].map((i) => Math.round(first * 2 ** (2 * i / 3))).filter((P) => P >= 4 && P <= most);
}
// The first P from which on the values stay at or below the threshold, their root linear in log P; null where they do not cross it.
function crossing(sizes, values, threshold) {
  const last = values.findLastIndex((value) => value > threshold);
  if (last < 0 || last === values.length - 1) return null;
  const [before, after] = [values[last], values[last + 1]].map(Math.sqrt);
  const part = (before - Math.sqrt(threshold)) / (before - after);
  return sizes[last] * (sizes[last + 1] / sizes[last]) ** part;
}

// Trains one network for each P and tells of each: {P, error, S, D, status, steps, weights}.
function learningCurve({ grammar, net, H, sizes, seed, protocol, n_test, n_points, n_draws }, tell) {
  const shape = shapeOf(grammar, net, H), most = Math.max(...sizes);
  const nTest = Math.min(n_test, nDistinct(grammar) - most);
  const ranks = chosen(nDistinct(grammar), nTest + most, stream(seed, "sample"));
  const all = ranks.map((rank) => datumOf(grammar, rank)), test = all.slice(0, nTest), train = all.slice(nTest);
  const points = test.slice(0, n_points), moves = stream(seed, "transformation");
  const images = (transformed) => encoded(grammar, Array.from({ length: n_draws }, () =>
    points.map((datum) => transformed(grammar, datum, 1, moves))).flat(), shape);
  const changed = {
    S: grammar.m > 1 ? images(exchanged) : null,
    D: grammar.s0 > 0 ? images(displaced) : null,
  };
  const tested = encoded(grammar, test, shape), seen = encoded(grammar, points, shape);
  for (const P of sizes) {
    const one = network(shape, gaussian(shape.size, stream(seed, "initialisation")));
    const data = encoded(grammar, train.slice(0, P), shape);
    const status = fitted(one, data, protocol, stream(seed, "order"), (steps) => tell({ at: P, steps }));
    const f = outputs(one, seen);
    const value = (kind) => changed[kind] && status !== "diverged"
      ? sensitivity(f, outputs(one, changed[kind]), seen.n, shape.nc) : null;
    tell({ P, status, steps: one.steps, error: errorOf(one, tested), S: value("S"), D: value("D"), weights: one.weights });
  }
  tell({ done: true });
}
