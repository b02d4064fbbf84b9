// Power laws and ratios of sample complexities. Nothing here touches the page.

// Two-sided 95 % quantiles of Student's t by degrees of freedom; beyond, 1.96 with its next term.
const T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
const quantile = (freedom) => T95[freedom - 1] ?? 1.96 + 2.4 / freedom + 2.8 / freedom ** 2;

// Least squares of log P* against log of its prediction: slope, its 95 % interval, the mean factor
// P*/prediction (geometric). Null where the points have fewer than two predictions.
function powerLaw(rows) {
  const x = rows.map((row) => Math.log(row.prediction)), y = rows.map((row) => Math.log(row.P_star));
  const n = rows.length, mean = (values) => values.reduce((sum, one) => sum + one, 0) / n;
  const mx = mean(x), my = mean(y), spread = x.reduce((sum, one) => sum + (one - mx) ** 2, 0);
  if (n < 2 || spread < 1e-9) return null;
  const slope = x.reduce((sum, one, i) => sum + (one - mx) * (y[i] - my), 0) / spread;
  const rest = x.reduce((sum, one, i) => sum + (y[i] - my - slope * (one - mx)) ** 2, 0);
  const half = n > 2 ? quantile(n - 2) * Math.sqrt(rest / (n - 2) / spread) : NaN;
  return { slope, low: slope - half, high: slope + half, n, factor: Math.exp(my - mx),
    at: (prediction) => Math.exp(my + slope * (Math.log(prediction) - mx)) };
}

// P* of one curve over that of another; the intervals' halves add in quadrature, on a log scale.
function ratioOf(one, other) {
  const value = one.P_star / other.P_star;
  if (![one, other].every((row) => row.low > 0 && row.high > 0)) return { value };
  const part = (a, b) => Math.log(a / b) ** 2;
  return { value, low: value * Math.exp(-Math.sqrt(part(one.P_star, one.low) + part(other.high, other.P_star))),
    high: value * Math.exp(Math.sqrt(part(one.high, one.P_star) + part(other.P_star, other.low))) };
}
