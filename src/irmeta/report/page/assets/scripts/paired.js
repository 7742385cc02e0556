// One system beside another on the same topics: the mean difference, its interval, and Student's paired t test.
import { mean, sum } from "./numbers.js";

const PIECES = 2000;

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
function area(curve, from, to) {
  const step = (to - from) / PIECES;
  let total = curve(from) + curve(to);
  for (let piece = 1; piece < PIECES; piece++) {
    const weight = piece % 2 ? 4 : 2;
    const height = curve(from + piece * step);
    total += weight * height;
  }
  return (total * step) / 3;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half];
  if (sorted.length % 2) return upper;
  const lower = sorted[half - 1];
  return (lower + upper) / 2;
}

// Mean, 95% interval and p of differences by topic; quantile: t at 97.5% for their number.
export function paired(values, quantile) {
  const middle = mean(values);
  const squares = values.map((value) => (value - middle) ** 2);
  const freedom = values.length - 1;
  const variance = sum(squares) / freedom;
  const error = Math.sqrt(variance / values.length);
  const better = values.filter((value) => value > 0);
  const worse = values.filter((value) => value < 0);
  return {
    mean: middle,
    low: middle - quantile * error,
    high: middle + quantile * error,
    p: error > 0 ? twoSided(middle / error, freedom) : 1,
    better: better.length,
    worse: worse.length,
  };
}
