// The reference model: least squares from pooled means and covariances, intervals from collections left out in turn.
// The same steps, names and limits as irmeta.stats.prediction.regression, .intervals and .scales.
const EDGE = 0.001;
const COLLINEAR = 1e-9;

const sum = (values) => values.reduce((total, value) => total + value, 0);
function dot(one, other) {
  const products = one.map((value, at) => value * other[at]);
  return sum(products);
}
const times = (rows, vector) => rows.map((row) => dot(row, vector));
const grid = (size, value) =>
  Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => value(i, j)),
  );

function onScale(score, scale) {
  if (scale !== "logit") return score;
  const inside = Math.min(Math.max(score, EDGE), 1 - EDGE);
  return Math.log(inside / (1 - inside));
}

const offScale = (value, scale) =>
  scale === "logit" ? 1 / (1 + Math.exp(-value)) : value;

// Count, means and covariances of one collection, for some metrics in this order.
function momentsOf(part, metrics) {
  const at = metrics.map((metric) => part.metrics.indexOf(metric));
  const stored = part.covariances; // the lower half
  const cov = (i, j) => stored[Math.max(at[i], at[j])][Math.min(at[i], at[j])];
  return {
    n: part.systems,
    mean: at.map((i) => part.means[i]),
    cov: grid(at.length, cov),
  };
}

// The moments of several collections as if they were one.
function pool(parts) {
  const n = sum(parts.map((part) => part.n));
  const over = (value) => sum(parts.map((part) => part.n * value(part))) / n;
  const mean = parts[0].mean.map((_, i) => over((part) => part.mean[i]));
  const away = (part, i) => part.mean[i] - mean[i];
  const cov = (i, j) =>
    over((part) => part.cov[i][j] + away(part, i) * away(part, j));
  return { n, mean, cov: grid(mean.length, cov) };
}

// The unit of each variable: its standard deviation, 1 where it does not vary.
function units({ mean, cov }) {
  return mean.map((value, i) => {
    const deviation = Math.sqrt(cov[i][i]);
    return deviation > 1e-10 * Math.abs(value) ? deviation : 1;
  });
}

// Predict the last variable from all before it: slopes and intercept; by Gauss and Jordan, in units of deviations.
function leastSquares(data) {
  const k = data.mean.length - 1;
  if (data.n < k + 2) return null;
  const unit = units(data);
  const rows = grid(k + 1, (i, j) => data.cov[i][j] / unit[i] / unit[j]).slice(
    0,
    k,
  );
  for (let i = 0; i < k; i++) {
    const pivot = rows[i][i];
    rows[i] = rows[i].map((value) => (pivot > COLLINEAR ? value / pivot : 0));
    for (let r = 0; r < k; r++) {
      if (r === i) continue;
      const factor = rows[r][i];
      rows[r] = rows[r].map((value, c) => value - factor * rows[i][c]);
    }
  }
  const slopes = rows.map((row, i) => (row[k] * unit[k]) / unit[i]);
  return {
    slopes,
    intercept: data.mean[k] - dot(slopes, data.mean.slice(0, k)),
  };
}

// Mean and variance of the errors of a fit on the data that the moments stand for.
function residuals({ mean, cov }, { slopes, intercept }) {
  const k = slopes.length;
  const inside = dot(slopes, times(cov.slice(0, k), slopes.concat(0)));
  const across = dot(
    slopes,
    cov.slice(0, k).map((row) => row[k]),
  );
  const offset = mean[k] - intercept - dot(slopes, mean.slice(0, k));
  const variance = cov[k][k] - 2 * across + inside;
  return { offset, variance: Math.max(variance, 0) };
}

// Eigenvalues with their vectors of a symmetric matrix, by Jacobi rotations; those without variance are left out.
export function directions(matrix) {
  const a = matrix.map((row) => [...row]);
  const n = a.length;
  const vectors = grid(n, (i, j) => Number(i === j));
  const pairs = grid(n, (p, q) => [p, q])
    .flat()
    .filter(([p, q]) => p < q);
  for (let sweep = 0; sweep < 60; sweep++) {
    for (const [p, q] of pairs)
      if (Math.abs(a[p][q]) > 1e-18) rotate(a, vectors, p, q);
  }
  return vectors
    .map((vector, c) => ({ value: a[c][c], vector }))
    .filter(({ value }) => value > 1e-9);
}

// Turn axes p and q so that a[p][q] is 0; rows of `vectors` are the axes.
function rotate(a, vectors, p, q) {
  const apart = a[q][q] - a[p][p];
  const theta = apart / (2 * a[p][q]);
  const t =
    Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta ** 2 + 1));
  const c = 1 / Math.sqrt(t ** 2 + 1);
  const s = t * c;
  for (const row of a)
    [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
  for (const rows of [a, vectors]) {
    const [one, other] = [rows[p], rows[q]];
    rows[p] = one.map((value, i) => c * value - s * other[i]);
    rows[q] = one.map((value, i) => s * value + c * other[i]);
  }
}

// How far values lie from the data, per variable: about 1 is usual.
function mahalanobis(data, values) {
  const unit = units(data);
  const scaled = values.map((value, i) => (value - data.mean[i]) / unit[i]);
  const found = directions(
    grid(unit.length, (i, j) => data.cov[i][j] / unit[i] / unit[j]),
  );
  const squares = found.map(
    ({ value, vector }) => dot(vector, scaled) ** 2 / value,
  );
  return squares.length ? Math.sqrt(sum(squares) / squares.length) : 0;
}

// How much more than those of collections left out the offset of a new collection varies.
function leverage(data, together, values) {
  const k = values.length;
  const count = data.length;
  const unit = units(together);
  const means = data.map((part) =>
    values.map((_, i) => part.mean[i] / unit[i]),
  );
  const centre = values.map(
    (_, i) => sum(means.map((mean) => mean[i])) / count,
  );
  const between = grid(k, (i, j) => {
    const products = means.map(
      (mean) => (mean[i] - centre[i]) * (mean[j] - centre[j]),
    );
    return sum(products) / (count - 1);
  });
  const within = (i, j) =>
    sum(data.map((part) => part.cov[i][j])) / count / unit[i] / unit[j];
  const found = directions(grid(k, (i, j) => between[i][j] + within(i, j)));
  const inverse = grid(k, (i, j) =>
    sum(found.map(({ value, vector }) => (vector[i] * vector[j]) / value)),
  );
  const away = values.map((value, i) => value / unit[i] - centre[i]);
  const turned = times(inverse, away);
  const distance = dot(turned, times(between, turned));
  const products = inverse.map((row, i) => dot(row, between[i]));
  const trace = sum(products);
  return (
    1 / count +
    Math.max(distance + Math.min(k, count - 1) - trace, 0) / (count - 1)
  );
}

// Half the width of an interval, from the errors on collections left out; null where they are too few.
function halfWidth(model, held, data, target, level, further) {
  const at = model.levels.indexOf(level);
  const errors = data.map((part, i) => {
    const fit = leastSquares(pool(data.filter((_, j) => j !== i)));
    return fit && residuals(part, fit);
  });
  if (errors.includes(null)) return null;
  const count = errors.length;
  const between = sum(errors.map(({ offset }) => offset ** 2)) / count;
  const spread = errors.map(({ variance }, i) => {
    const tail =
      held[i].residual_quantiles[held[i].metrics.indexOf(target)][at];
    return variance * (tail === null ? 1 : tail / model.normal[at]) ** 2;
  });
  return (
    model.t[at][count - 2] *
    Math.sqrt(between * (1 + further) + sum(spread) / count)
  );
}

// Predict one metric from scores by name: value, low, high, outside; null where the model cannot.
export function predictOne(model, scores, target, level) {
  const metrics = [...Object.keys(scores), target];
  const k = metrics.length - 1;
  const has = (part) =>
    metrics.every((metric) => part.metrics.includes(metric));
  const held = model.collections.filter(has);
  if (!held.length || !k) return null;
  const data = held.map((part) => momentsOf(part, metrics));
  const together = pool(data);
  const fit = leastSquares(together);
  if (!fit) return null;
  const values = Object.values(scores).map((score) =>
    onScale(score, model.scale),
  );
  const centre = fit.intercept + dot(values, fit.slopes);
  const own = {
    ...together,
    mean: together.mean.slice(0, k),
    cov: grid(k, (i, j) => together.cov[i][j]),
  };
  const further = held.length > 1 ? leverage(data, own, values) : 0;
  const half =
    held.length > 1
      ? halfWidth(model, held, data, target, level, further)
      : null;
  const top =
    model.metrics.find((metric) => metric.name === target).highest ?? Infinity;
  const back = (value) =>
    Math.min(Math.max(offScale(value, model.scale), 0), top);
  const distance = mahalanobis(own, values);
  return {
    value: back(centre),
    low: half === null ? null : back(centre - half),
    high: half === null ? null : back(centre + half),
    distance,
    outside: distance ** 2 * k > model.chi2[k - 1],
  };
}
