// One system beside another on the same topics: the mean difference, its interval, and Student's paired t test.

// The share of Student's t with these degrees of freedom that lies farther from 0 than t, on both sides.
export function twoSided(t, freedom) {
  // with t = sqrt(freedom) tan(angle) the density is cos(angle) ** (freedom - 1), but for a factor
  const share = Math.abs(t) / Math.sqrt(freedom);
  const angle = Math.atan(share);
  const density = (at) => Math.cos(at) ** (freedom - 1);
  const right = Math.PI / 2;
  const beyond = area(density, angle, right);
  return beyond / area(density, 0, right);
}

// The area under a curve, by Simpson's rule.
function area(curve, from, to, pieces = 2000) {
  const step = (to - from) / pieces;
  let sum = curve(from) + curve(to);
  for (let at = 1; at < pieces; at++)
    sum += curve(from + at * step) * (at % 2 ? 4 : 2);
  return (sum * step) / 3;
}

export function mean(values) {
  const total = values.reduce((sum, value) => sum + value, 0);
  return total / values.length;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2
    ? sorted[half]
    : (sorted[half - 1] + sorted[half]) / 2;
}

// Mean, 95% interval and p of differences by topic; quantile: t at 97.5% for their number.
export function paired(values, quantile) {
  const middle = mean(values);
  const freedom = values.length - 1;
  const variance =
    values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / freedom;
  const error = Math.sqrt(variance / values.length);
  return {
    mean: middle,
    low: middle - quantile * error,
    high: middle + quantile * error,
    p: error > 0 ? twoSided(middle / error, freedom) : 1,
    better: values.filter((value) => value > 0).length,
    worse: values.filter((value) => value < 0).length,
  };
}
