// Power laws and ratios of sample complexities. Nothing here touches the page.

// Two-sided 95 % quantile of Student's t: with t = √f tan θ its density is cos^(f-1) θ.
function quantile(freedom) {
  const n = 20000, step = Math.PI / 2 / n;
  const parts = Array.from({ length: n }, (_, i) => Math.cos((i + 0.5) * step) ** (freedom - 1));
  let left = 0.95 * parts.reduce((sum, one) => sum + one, 0), i = 0;
  while (left > parts[i]) left -= parts[i++];
  return Math.sqrt(freedom) * Math.tan((i + left / parts[i]) * step);
}

// Least squares of log P* against log of its prediction: slope, its 95 % interval, the mean factor
// P*/prediction (geometric). Null where the points have fewer than two predictions.
function powerLaw(rows) {
  const x = rows.map((row) => Math.log(row.prediction)), y = rows.map((row) => Math.log(row.P_star));
  const n = rows.length, mean = (values) => values.reduce((sum, one) => sum + one, 0) / n;
  const mx = mean(x), my = mean(y), spread = x.reduce((sum, one) => sum + (one - mx) ** 2, 0);
  if (n < 2 || spread < 1e-9) return null;
  const slope = x.reduce((sum, one, i) => sum + (one - mx) * (y[i] - my), 0) / spread;
  const half = halfOfVocabularies(rows, x.map((one) => (one - mx) / Math.sqrt(spread)), y) / Math.sqrt(spread);
  return { slope, low: slope - half, high: slope + half, n, factor: Math.exp(my - mx),
    at: (prediction) => Math.exp(my + slope * (Math.log(prediction) - mx)) };
}

// As scorecard/curves.py: of each net, L and s the width that most curves have, the wider of equal; of curves that
// differ in the rate alone the one whose rate most have, the higher of equal.
function usual(rows) {
  const of = (row) => [row.run, row.study, row.criterion, row.protocol, row.net, row.L, row.s].join("|");
  const most = (some, name) => {
    const counts = new Map();
    for (const row of some) {
      const own = counts.get(of(row)) ?? new Map();
      counts.set(of(row), own.set(row[name], (own.get(row[name]) ?? 0) + 1));
    }
    return (one, other) => {
      const own = counts.get(of(one));
      return own.get(one[name]) - own.get(other[name]) || one[name] - other[name];
    };
  };
  const best = (some, name, key) => {
    const compare = most(some, name), found = new Map();
    for (const row of some) if (!found.has(key(row)) || compare(row, found.get(key(row))) > 0) found.set(key(row), row);
    return some.filter((row) => row[name] === found.get(key(row))[name]);
  };
  const wide = best(rows, "width", of);
  return best(wide, "rate", (row) => [of(row), row.v, row.s0, row.m, row.n_c, row.sparsity].join("|"));
}

// Half of the 95 % interval of the sum of u y, where curves of one vocabulary (s, v) share an error:
// the scorecard's rule, statistics/cluster_robust.py. u: of norm 1 and mean 0. NaN of fewer than three vocabularies.
function halfOfVocabularies(rows, u, y) {
  const level = 1 / Math.sqrt(rows.length), base = u.map((one) => [level, one]);
  const dot = (a, b) => a.reduce((sum, one, i) => sum + one * b[i], 0);
  const groups = new Map();
  rows.forEach((row, i) => groups.set(`${row.s} ${row.v}`, [...(groups.get(`${row.s} ${row.v}`) ?? []), i]));
  if (groups.size < 3) return NaN;
  const forms = [...groups.values()].map((own) => {
    // Of I - B Bᵀ, with B the base of one vocabulary, the inverse root takes B e to B (I - BᵀB)^(-1/2) e.
    const [a, b, d] = [[0, 0], [0, 1], [1, 1]].map(([j, k]) => own.reduce((sum, i) => sum + base[i][j] * base[i][k], 0));
    const inner = inverseRoot(1 - a, -b, 1 - d);
    const moved = inner[1], adjusted = own.map((i) => dot(base[i], moved));
    const taken = [a * moved[0] + b * moved[1], b * moved[0] + d * moved[1]];
    const form = base.map((one) => -dot(one, taken));
    own.forEach((i, k) => { form[i] += adjusted[k]; });
    return form;
  });
  const products = forms.flatMap((one) => forms.map((other) => dot(one, other)));
  const trace = forms.reduce((sum, one) => sum + dot(one, one), 0);
  const freedom = trace ** 2 / dot(products, products);
  return quantile(freedom) * Math.hypot(...forms.map((one) => dot(one, y)));
}

// (a b; b d)^(-1/2) of a symmetric matrix, by rows; directions of no variance are left out.
function inverseRoot(a, b, d) {
  const middle = (a + d) / 2, off = Math.hypot((a - d) / 2, b), angle = Math.atan2(2 * b, a - d) / 2;
  const root = (value) => (value > 1e-9 ? 1 / Math.sqrt(value) : 0);
  const [p, q, c, s] = [root(middle + off), root(middle - off), Math.cos(angle), Math.sin(angle)];
  return [[p * c * c + q * s * s, (p - q) * c * s], [(p - q) * c * s, p * s * s + q * c * c]];
}

// P* of one curve over that of another; the intervals' halves add in quadrature, on a log scale.
function ratioOf(one, other) {
  const value = one.P_star / other.P_star;
  if (![one, other].every((row) => row.low > 0 && row.high > 0)) return { value };
  const part = (a, b) => Math.log(a / b) ** 2;
  return { value, low: value * Math.exp(-Math.sqrt(part(one.P_star, one.low) + part(other.high, other.P_star))),
    high: value * Math.exp(Math.sqrt(part(one.high, one.P_star) + part(other.P_star, other.low))) };
}
