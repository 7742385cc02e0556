// One system beside another on the same topics: the mean difference, its interval, and Student's paired t test.
import { mean, sum } from "./numbers.js";

const PIECES = 2000;
// the normal quantile at 97.5%
const NORMAL = 1.959964;

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

function around(middle, half) {
  return { low: middle - half, high: middle + half };
}

// Ends of the interval of a difference of scores of 0 and 1, as if on one topic more each had been right by half.
function discordant(better, worse, topics) {
  const n = topics + 1;
  const p = (better + 0.5) / n;
  const q = (worse + 0.5) / n;
  const difference = p - q;
  const variance = p + q - difference ** 2;
  const half = NORMAL * Math.sqrt(variance / n);
  const { low, high } = around(difference, half);
  return { low: Math.max(low, -1), high: Math.min(high, 1) };
}

// Mean, 95% interval and p of differences by topic; quantile: t at 97.5% for their number.
// right: whether scores are 0 or 1; of a median of them, which may lie between, the interval is Student's.
export function paired(values, quantile, right = false) {
  const middle = mean(values);
  const squares = values.map((value) => (value - middle) ** 2);
  const freedom = values.length - 1;
  const variance = sum(squares) / freedom;
  const error = Math.sqrt(variance / values.length);
  const better = values.filter((value) => value > 0);
  const worse = values.filter((value) => value < 0);
  const whole = values.every((value) => Number.isInteger(value));
  const ends =
    right && whole
      ? discordant(better.length, worse.length, values.length)
      : around(middle, quantile * error);
  return {
    mean: middle,
    ...ends,
    p: error > 0 ? twoSided(middle / error, freedom) : 1,
    better: better.length,
    worse: worse.length,
  };
}
