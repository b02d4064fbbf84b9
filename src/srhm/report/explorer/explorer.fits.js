// Power laws and ratios of sample complexities. Nothing here touches the page.

// As the scorecard's slope: least squares of log P* against log of its prediction, with one slope and an intercept for
// each learning rate; and the mean factor P*/prediction (geometric). Null where no rate has two predictions. No interval:
// that is one over grammars, which the report has.
function powerLaw(rows) {
  const points = rows.map((row) => ({ x: Math.log(row.prediction), y: Math.log(row.P_star), rate: row.rate }));
  const mean = (some, name) => some.reduce((sum, one) => sum + one[name], 0) / some.length;
  let up = 0, spread = 0;
  for (const rate of new Set(points.map((one) => one.rate))) {
    const own = points.filter((one) => one.rate === rate), mx = mean(own, "x"), my = mean(own, "y");
    for (const { x, y } of own) { up += (x - mx) * (y - my); spread += (x - mx) ** 2; }
  }
  if (spread < 1e-9) return null;
  const slope = up / spread, mx = mean(points, "x"), my = mean(points, "y");
  return { slope, n: rows.length, factor: Math.exp(my - mx),
    at: (prediction) => Math.exp(my + slope * (Math.log(prediction) - mx)) };
}

// As the claims' rows: of each net, L and s the width that most curves have, the wider of equal; of curves that
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

// P* of one curve over that of another; the intervals' halves add in quadrature, on a log scale.
function ratioOf(one, other) {
  const value = one.P_star / other.P_star;
  if (![one, other].every((row) => row.low > 0 && row.high > 0)) return { value };
  const part = (a, b) => Math.log(a / b) ** 2;
  return { value, low: value * Math.exp(-Math.sqrt(part(one.P_star, one.low) + part(other.high, other.P_star))),
    high: value * Math.exp(Math.sqrt(part(one.high, one.P_star) + part(other.P_star, other.low))) };
}
