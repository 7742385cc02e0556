// The reference model: least squares from pooled means and covariances, intervals from collections left out in turn.
// The same steps, names and limits as irmeta.stats.prediction.regression, .intervals and .scales; quantiles come with the model.
const EDGE = 0.001, COLLINEAR = 1e-9;

const onScale = (score, scale) => {
  if (scale !== "logit") return score;
  const inside = Math.min(Math.max(score, EDGE), 1 - EDGE);
  return Math.log(inside / (1 - inside));
};

const offScale = (value, scale) => (scale === "logit" ? 1 / (1 + Math.exp(-value)) : value);

/** Count, means and covariances of one collection, for some metrics in this order. */
function momentsOf(part, metrics) {
  const at = metrics.map((metric) => part.metrics.indexOf(metric));
  return {
    n: part.systems,
    mean: at.map((i) => part.means[i]),
    cov: at.map((i) => at.map((j) => (i >= j ? part.covariances[i][j] : part.covariances[j][i]))),
  };
}

function pool(parts) {
  const n = parts.reduce((sum, part) => sum + part.n, 0), size = parts[0].mean.length;
  const mean = Array.from({ length: size }, (_, i) => parts.reduce((sum, part) => sum + part.n * part.mean[i], 0) / n);
  const cov = mean.map((_, i) => mean.map((_, j) =>
    parts.reduce((sum, part) => sum + part.n * (part.cov[i][j] + (part.mean[i] - mean[i]) * (part.mean[j] - mean[j])), 0) / n));
  return { n, mean, cov };
}

const deviations = ({ mean, cov }) => mean.map((value, i) => {
  const sd = Math.sqrt(cov[i][i]);
  return sd > 1e-10 * Math.abs(value) ? sd : 1;
});

/** Predict the last variable from all before it: slopes and intercept. */
function leastSquares(data) {
  const k = data.mean.length - 1, unitOf = deviations(data);
  if (data.n < k + 2) return null;
  const system = Array.from({ length: k }, (_, i) => Array.from({ length: k + 1 }, (_, j) => data.cov[i][j] / unitOf[i] / unitOf[j]));
  for (let i = 0; i < k; i++) {
    const pivot = system[i][i], row = system[i].map((value) => (pivot > COLLINEAR ? value / pivot : 0));
    system.forEach((line, r) => { if (r !== i) { const factor = line[i]; row.forEach((value, c) => { line[c] -= factor * value; }); } });
    system[i] = row;
  }
  const slopes = system.map((line, i) => (line[k] * unitOf[k]) / unitOf[i]);
  return { slopes, intercept: data.mean[k] - slopes.reduce((sum, slope, i) => sum + slope * data.mean[i], 0) };
}

/** Mean and variance of the errors of a fit on the data that the moments stand for. */
function residuals({ mean, cov }, { slopes, intercept }) {
  const k = slopes.length;
  let inside = 0, across = 0, predicted = intercept;
  for (let i = 0; i < k; i++) {
    predicted += slopes[i] * mean[i];
    across += slopes[i] * cov[i][k];
    for (let j = 0; j < k; j++) inside += slopes[i] * cov[i][j] * slopes[j];
  }
  return { offset: mean[k] - predicted, variance: Math.max(cov[k][k] - 2 * across + inside, 0) };
}

/** Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi rotations; vectors are columns. */
function eigen(matrix) {
  const a = matrix.map((row) => [...row]), n = a.length, v = a.map((_, i) => a.map((_, j) => +(i === j)));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) off += a[p][q] ** 2;
    if (off < 1e-30) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) {
      if (a[p][q] === 0) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]), t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta ** 2 + 1));
      const c = 1 / Math.sqrt(t ** 2 + 1), s = t * c;
      for (let i = 0; i < n; i++) [a[i][p], a[i][q]] = [c * a[i][p] - s * a[i][q], s * a[i][p] + c * a[i][q]];
      for (let i = 0; i < n; i++) [a[p][i], a[q][i]] = [c * a[p][i] - s * a[q][i], s * a[p][i] + c * a[q][i]];
      for (let i = 0; i < n; i++) [v[i][p], v[i][q]] = [c * v[i][p] - s * v[i][q], s * v[i][p] + c * v[i][q]];
    }
  }
  return { values: a.map((row, i) => row[i]), vectors: v };
}

/** How far values lie from the data, per variable: about 1 is usual. Directions without variance are left out. */
function mahalanobis(data, values) {
  const unitOf = deviations(data), scaled = values.map((value, i) => (value - data.mean[i]) / unitOf[i]);
  const found = eigen(data.cov.map((row, i) => row.map((value, j) => value / unitOf[i] / unitOf[j])));
  const squares = found.values.flatMap((value, c) => (value > 1e-9 ? [scaled.reduce((sum, x, i) => sum + x * found.vectors[i][c], 0) ** 2 / value] : []));
  return squares.length ? Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length) : 0;
}

/** Predict one metric from scores by name: value, low, high, outside; null where the model cannot. */
function predictOne(model, scores, target, level) {
  const metrics = [...Object.keys(scores), target], k = metrics.length - 1;
  const held = model.collections.filter((part) => metrics.every((metric) => part.metrics.includes(metric)));
  if (!held.length || !k) return null;
  const data = held.map((part) => momentsOf(part, metrics)), together = pool(data), fit = leastSquares(together);
  if (!fit) return null;
  const values = Object.values(scores).map((score) => onScale(score, model.scale));
  const centre = values.reduce((sum, value, i) => sum + value * fit.slopes[i], fit.intercept);
  const own = { n: together.n, mean: together.mean.slice(0, k), cov: together.cov.slice(0, k).map((row) => row.slice(0, k)) };
  const half = held.length > 1 ? halfWidth(model, held, data, target, level, leverage(data, own, values)) : null;
  const top = model.metrics.find((metric) => metric.name === target).highest ?? Infinity;
  const back = (value) => Math.min(Math.max(offScale(value, model.scale), 0), top);
  const distance = mahalanobis(own, values);
  return {
    value: back(centre), low: half === null ? null : back(centre - half), high: half === null ? null : back(centre + half),
    distance, outside: distance ** 2 * k > model.chi2[k - 1],
  };
}

/** How much more than those of collections left out the offset of a new collection varies, as irmeta.stats.prediction. */
function leverage(data, together, values) {
  const k = values.length, count = data.length, unitOf = deviations(together);
  const means = data.map((part) => part.mean.slice(0, k).map((mean, i) => mean / unitOf[i]));
  const centre = values.map((_, i) => means.reduce((sum, mean) => sum + mean[i], 0) / count);
  const over = (of) => values.map((_, i) => values.map((_, j) => of(i, j)));
  const between = over((i, j) => means.reduce((sum, mean) => sum + (mean[i] - centre[i]) * (mean[j] - centre[j]), 0) / (count - 1));
  const within = over((i, j) => data.reduce((sum, part) => sum + part.cov[i][j], 0) / count / unitOf[i] / unitOf[j]);
  const found = eigen(over((i, j) => between[i][j] + within[i][j]));
  const inverse = over((i, j) => found.values.reduce((sum, value, c) => value > 1e-9 ? sum + found.vectors[i][c] * found.vectors[j][c] / value : sum, 0));
  const away = values.map((value, i) => value / unitOf[i] - centre[i]);
  const turned = inverse.map((row) => row.reduce((sum, value, j) => sum + value * away[j], 0));
  const distance = turned.reduce((sum, value, i) => sum + value * between[i].reduce((part, one, j) => part + one * turned[j], 0), 0);
  const trace = inverse.reduce((sum, row, i) => sum + row.reduce((part, value, j) => part + value * between[j][i], 0), 0);
  return 1 / count + Math.max(distance + Math.min(k, count - 1) - trace, 0) / (count - 1);
}

function halfWidth(model, held, data, target, level, further) {
  const at = model.levels.indexOf(level);
  const errors = data.map((part, i) => {
    const fit = leastSquares(pool(data.filter((_, j) => j !== i)));
    return fit && residuals(part, fit);
  });
  if (errors.includes(null)) return null;
  const between = errors.reduce((sum, error) => sum + error.offset ** 2, 0) / errors.length;
  const within = errors.reduce((sum, error, i) => {
    const tail = held[i].residual_quantiles[held[i].metrics.indexOf(target)][at];
    return sum + error.variance * (tail === null ? 1 : tail / model.normal[at]) ** 2;
  }, 0) / errors.length;
  return model.t[at][errors.length - 2] * Math.sqrt(between * (1 + further) + within);
}

/** The calculator itself: a row a metric, with what was typed or what is predicted. */
function calculatorOf(model, root, command) {
  const level = element("select", { id: "calculator-level" }, ...model.levels.map((value) => {
    const option = element("option", { value }, `${Math.round(value * 100)}%`);
    option.selected = value === 0.9;
    return option;
  }));
  const status = element("p", { class: "status", role: "status" });
  const rows = model.metrics.map(({ name, highest }) => {
    const input = element("input", { type: "number", step: "any", min: 0, max: highest ?? undefined, inputmode: "decimal", id: `score-${name}`, "data-metric": name });
    const output = element("output", { for: `score-${name}` }), band = element("span", { class: "band" }), dot = element("span", { class: "dot" });
    const track = element("span", { class: "track", "aria-hidden": "true" }, band, dot);
    return { name, highest, input, output, band, dot, root: element("div", { class: "row" }, element("label", { for: `score-${name}` }, name), input, track, output) };
  });
  const fill = (scores) => { rows.forEach((row) => { row.input.value = scores[row.name] ?? ""; }); update(); };
  const example = element("button", { type: "button", id: "calculator-example" }, "Try an example");
  const clear = element("button", { type: "button", id: "calculator-clear" }, "Clear");
  example.addEventListener("click", () => fill({ "P@10": 0.43, RR: 0.61 }));
  clear.addEventListener("click", () => fill({}));

  function update() {
    const scores = {};
    const wrong = rows.filter(({ name, highest, input }) => {
      const score = input.valueAsNumber, bad = input.validity.badInput || score < 0 || score > (highest ?? Infinity);
      input.setAttribute("aria-invalid", bad);
      if (!bad && !Number.isNaN(score)) scores[name] = score;
      return bad;
    });
    let outside = false;
    rows.forEach((row) => {
      const given = row.name in scores, found = given || wrong.includes(row) ? null : predictOne(model, scores, row.name, +level.value);
      outside ||= Boolean(found?.outside);
      row.root.classList.toggle("given", given);
      draw(row, given ? { value: scores[row.name], low: null, high: null } : found, given);
    });
    const typed = Object.entries(scores).map(([name, score]) => `${name}=${score}`).join(" ");
    status.textContent = wrong.length ? `${wrong.map((row) => row.name).join(", ")}: a score lies between 0 and 1; is it a percentage?`
      : !typed ? "No score yet." : outside ? "These scores are far from those that the model was fitted on: do not trust the predictions."
      : `${rows.length - Object.keys(scores).length} metrics predicted from ${Object.keys(scores).length}.`;
    status.classList.toggle("warning", wrong.length > 0 || outside);
    command.textContent = `irmeta predict apply --given '${typed || "P@10=0.43"}' --level ${level.value}`;
  }

  function draw(row, found, given) {
    row.output.textContent = given ? "reported" : !found ? "" : found.low === null ? number(found.value) : `${found.value.toFixed(3)}  [${found.low.toFixed(3)}, ${found.high.toFixed(3)}]`;
    row.output.dataset.value = JSON.stringify(found && !given ? found : null);
    row.band.style.left = `${(found?.low ?? 0) * 100}%`;
    row.band.style.width = `${((found?.high ?? 0) - (found?.low ?? 0)) * 100}%`;
    row.dot.style.left = `${(found?.value ?? 0) * 100}%`;
    row.dot.hidden = !found;
  }

  rows.forEach((row) => row.input.addEventListener("input", update));
  level.addEventListener("change", update);
  root.append(element("div", { class: "controls" }, element("label", { for: "calculator-level" }, "Interval "), level, example, clear, status),
    element("div", { class: "rows" }, ...rows.map((row) => row.root)));
  example.click();
}
