// The reference model: least squares from pooled means and covariances, intervals from collections left out in turn.
// The same steps, names and limits as irmeta.stats.prediction.regression, .intervals and .scales.
import {
  atEach,
  corner,
  divided,
  dot,
  identity,
  inEach,
  mean,
  minus,
  outer,
  sum,
  times,
  transposed,
} from "./numbers.js";

const EDGE = 0.001;
const COLLINEAR = 1e-9;
const SWEEPS = 60;

function between(low, value, high) {
  const raised = Math.max(value, low);
  return Math.min(raised, high);
}

function onScale(score, scale) {
  if (scale !== "logit") return score;
  const inside = between(EDGE, score, 1 - EDGE);
  return Math.log(inside / (1 - inside));
}

function offScale(value, scale) {
  if (scale !== "logit") return value;
  return 1 / (1 + Math.exp(-value));
}

// Count, means and covariances of one collection, for some metrics in this order.
function momentsOf(part, metrics) {
  const places = metrics.map((name) => part.metrics.indexOf(name));
  // of the covariances, the lower half is stored
  function covariance(one, other) {
    const row = Math.max(one, other);
    const column = Math.min(one, other);
    return part.covariances[row][column];
  }
  const rowOf = (one) => places.map((other) => covariance(one, other));
  return {
    n: part.systems,
    mean: places.map((at) => part.means[at]),
    cov: places.map(rowOf),
  };
}

// The moments of several collections as if they were one.
function pool(parts) {
  const sizes = parts.map((part) => part.n);
  const n = sum(sizes);
  const over = (values) => dot(sizes, values) / n;
  const means = parts.map((part) => part.mean);
  const centre = atEach(means, over);
  const squares = parts.map((part) => {
    const shift = minus(part.mean, centre);
    return inEach([part.cov, outer(shift, shift)], sum);
  });
  return { n, mean: centre, cov: inEach(squares, over) };
}

// The moments of the first k variables.
function first(k, data) {
  return {
    n: data.n,
    mean: data.mean.slice(0, k),
    cov: corner(data.cov, k),
  };
}

// The unit of each variable: its standard deviation, 1 where it does not vary.
function unitsOf(data) {
  return data.mean.map((value, i) => {
    const deviation = Math.sqrt(data.cov[i][i]);
    const varies = deviation > 1e-10 * Math.abs(value);
    return varies ? deviation : 1;
  });
}

// Covariances in these units.
function scaled(cov, unit) {
  return cov.map((row, i) => {
    const inRow = row.map((value) => value / unit[i]);
    return divided(inRow, unit);
  });
}

// Predict the last variable from all before it: slopes and intercept.
function leastSquares(data) {
  const k = data.mean.length - 1;
  if (data.n < k + 2) return null;
  const unit = unitsOf(data);
  const correlations = scaled(data.cov, unit);
  const solved = eliminate(correlations.slice(0, k));
  const slopes = solved.map((value, i) => (value * unit[k]) / unit[i]);
  const explained = dot(slopes, data.mean.slice(0, k));
  const intercept = data.mean[k] - explained;
  return { slopes, intercept };
}

// Solve equations by Gauss and Jordan, the right side last in each; what those before determine is 0.
function eliminate(equations) {
  let rows = equations;
  for (const i of equations.keys()) {
    const pivot = rows[i][i];
    const free = pivot > COLLINEAR;
    const chosen = rows[i].map((value) => (free ? value / pivot : 0));
    const cleared = (row) => {
      const factor = row[i];
      return row.map((value, c) => value - factor * chosen[c]);
    };
    rows = rows.map(cleared);
    rows[i] = chosen;
  }
  return rows.map((row) => row.at(-1));
}

// Mean and variance of the errors of a fit on the data that the moments stand for.
function residuals(data, { slopes, intercept }) {
  const k = slopes.length;
  const given = first(k, data);
  const offset = data.mean[k] - intercept - dot(slopes, given.mean);
  const across = data.cov[k].slice(0, k);
  const explained = dot(slopes, across);
  const turned = times(given.cov, slopes);
  const predicted = dot(slopes, turned);
  const variance = data.cov[k][k] - 2 * explained + predicted;
  return { offset, variance: Math.max(variance, 0) };
}

// Eigenvalues with their vectors of a symmetric matrix, by Jacobi rotations; those without variance are left out.
export function directions(matrix) {
  const a = [...matrix];
  const n = a.length;
  const vectors = identity(n);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) rotate(a, vectors, p, q);
    }
  }
  const found = vectors.map((vector, i) => {
    const value = a[i][i];
    return { value, vector };
  });
  return found.filter(({ value }) => value > 1e-9);
}

// Turn axes p and q so that a[p][q] is 0; rows of `vectors` are the axes.
function rotate(a, vectors, p, q) {
  if (Math.abs(a[p][q]) <= 1e-18) return;
  const turned = rotation(a, p, q);
  for (const [i, row] of a.entries()) {
    const own = [row[p], row[q]];
    a[i] = [...row];
    [a[i][p], a[i][q]] = turned(own);
  }
  for (const rows of [a, vectors]) {
    const axes = [rows[p], rows[q]];
    const pairs = atEach(axes, turned);
    [rows[p], rows[q]] = transposed(pairs);
  }
}

// What turns a pair of coordinates by the angle that makes a[p][q] 0.
function rotation(a, p, q) {
  const apart = a[q][q] - a[p][p];
  const product = a[p][q];
  const theta = apart / (2 * product);
  const root = Math.sqrt(theta ** 2 + 1);
  const steep = Math.abs(theta) + root;
  const sign = theta < 0 ? -1 : 1;
  const tangent = sign / steep;
  const cosine = 1 / Math.sqrt(tangent ** 2 + 1);
  const sine = tangent * cosine;
  return ([one, other]) => {
    const left = cosine * one - sine * other;
    const right = sine * one + cosine * other;
    return [left, right];
  };
}

// How far values lie from the data, per variable: about 1 is usual.
function mahalanobis(data, values) {
  const unit = unitsOf(data);
  const away = divided(minus(values, data.mean), unit);
  const found = directions(scaled(data.cov, unit));
  if (!found.length) return 0;
  const squares = found.map(({ value, vector }) => {
    const along = dot(vector, away);
    return along ** 2 / value;
  });
  return Math.sqrt(mean(squares));
}

// The inverse of a symmetric matrix in the directions in which it varies.
function inverseOf(matrix) {
  const none = matrix.map((row) => row.map(() => 0));
  const parts = directions(matrix).map(({ value, vector }) => {
    const over = ([product]) => product / value;
    return inEach([outer(vector, vector)], over);
  });
  return inEach([none, ...parts], sum);
}

// Covariances of the coordinates of points.
function covariancesOf(points) {
  const centre = atEach(points, mean);
  const squares = points.map((point) => {
    const shift = minus(point, centre);
    return outer(shift, shift);
  });
  const over = (products) => sum(products) / (points.length - 1);
  return inEach(squares, over);
}

// How much more than those of collections left out the offset of a new collection varies.
function leverage(parts, values) {
  const count = parts.length;
  const unit = unitsOf(pool(parts));
  const means = parts.map((part) => divided(part.mean, unit));
  const centre = atEach(means, mean);
  const apart = covariancesOf(means);
  const covariances = parts.map((part) => part.cov);
  const within = scaled(inEach(covariances, mean), unit);
  const both = inEach([apart, within], sum);
  const inverse = inverseOf(both);
  const away = minus(divided(values, unit), centre);
  const turned = times(inverse, away);
  const distance = dot(turned, times(apart, turned));
  const shares = inverse.map((row, i) => dot(row, apart[i]));
  const rank = Math.min(values.length, count - 1);
  const unknown = rank - sum(shares);
  const further = Math.max(distance + unknown, 0);
  return 1 / count + further / (count - 1);
}

// The errors on each collection of a fit on all others; null where these are too few.
function leaveOneOut(parts) {
  return parts.map((part) => {
    const others = parts.filter((other) => other !== part);
    const fit = leastSquares(pool(others));
    return fit && residuals(part, fit);
  });
}

// How far the errors of a metric reach at a level in each collection, relative to a normal's.
function reachOf(model, held, target, level) {
  const at = model.levels.indexOf(level);
  return held.map((part) => {
    const metric = part.metrics.indexOf(target);
    const tail = part.residual_quantiles[metric][at];
    return tail === null ? 1 : tail / model.normal[at];
  });
}

// Half the width of an interval, from the errors on collections left out.
function halfWidth(errors, reach, further, quantile) {
  const offsets = errors.map(({ offset }) => offset ** 2);
  const between = mean(offsets) * (1 + further);
  const variances = errors.map(({ variance }, i) => {
    const factor = reach[i] ** 2;
    return variance * factor;
  });
  return quantile * Math.sqrt(between + mean(variances));
}

// Half the width of the interval of a prediction; null where collections are too few.
function halfOf(model, held, parts, values, target, level) {
  if (parts.length < 2) return null;
  const errors = leaveOneOut(parts);
  if (errors.includes(null)) return null;
  const reach = reachOf(model, held, target, level);
  const given = parts.map((part) => first(values.length, part));
  const further = leverage(given, values);
  const at = model.levels.indexOf(level);
  const quantile = model.t[at][parts.length - 2];
  return halfWidth(errors, reach, further, quantile);
}

// The collections that have all these metrics.
function holding(collections, metrics) {
  return collections.filter((part) => {
    const known = new Set(part.metrics);
    return metrics.every((name) => known.has(name));
  });
}

// What a value on the model's scale is as a score of a metric.
function scoreOf(value, model, target) {
  const metric = model.metrics.find(({ name }) => name === target);
  const highest = metric.highest ?? Infinity;
  const score = offScale(value, model.scale);
  return between(0, score, highest);
}

// Predict one metric from scores by name: value, low, high, outside; null where the model cannot.
export function predictOne(model, scores, target, level) {
  const given = Object.keys(scores);
  const k = given.length;
  const metrics = [...given, target];
  const held = holding(model.collections, metrics);
  if (!held.length || !k) return null;
  const parts = held.map((part) => momentsOf(part, metrics));
  const together = pool(parts);
  const fit = leastSquares(together);
  if (!fit) return null;
  const toScale = (score) => onScale(score, model.scale);
  const values = Object.values(scores).map(toScale);
  const centre = fit.intercept + dot(values, fit.slopes);
  const distance = mahalanobis(first(k, together), values);
  const back = (value) => scoreOf(value, model, target);
  const found = {
    value: back(centre),
    low: null,
    high: null,
    distance,
    outside: distance ** 2 * k > model.chi2[k - 1],
  };
  const half = halfOf(model, held, parts, values, target, level);
  if (half !== null) {
    found.low = back(centre - half);
    found.high = back(centre + half);
  }
  return found;
}
