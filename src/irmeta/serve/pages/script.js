"use strict";
// The pages can be read without this. It finds rows in a table, and compares two runs.

const loaded = {};

function irmeta_scores(run) {
  loaded[run.key] = run;
}

let board = null;

function irmeta_runs(runs) {
  board = runs;
}

function filterRows(input) {
  const rows = document.querySelectorAll(`#${input.dataset.filter} tbody tr`);
  const wanted = input.value.toLowerCase();
  for (const row of rows) {
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
  }
}

function load(key) {
  if (loaded[key]) return Promise.resolve(loaded[key]);
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `../s/${key}/scores.js`;
    script.onload = () => resolve(loaded[key]);
    script.onerror = reject;
    document.head.append(script);
  });
}

// Quantile .975 of Student's t with n degrees of freedom: Hill (1970), algorithm 396.
function quantile(n) {
  if (n === 1) return 12.706204736;
  if (n === 2) return 4.30265273;
  const p = 0.05;
  const a = 1 / (n - 0.5);
  const b = 48 / (a * a);
  let c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt(a * Math.PI / 2) * n;
  let y = Math.pow(d * p, 2 / n);
  if (y > 0.05 + a) {
    const x = -1.959963985;
    y = x * x;
    if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = Math.expm1(a * y * y);
  } else {
    y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (n + 2) + 1 / y;
  }
  return Math.sqrt(n * y);
}

function signed(x) {
  return (x < 0 ? "−" : "+") + Math.abs(x).toFixed(3);
}

// Values of clusters whose plain statistics are cluster-robust: the jackknife's. A topic by itself has its own value.
// value of c = mean - (G - 1) (mean without c - mean of these), G clusters
function independent(rows, mean) {
  const clusters = new Map();
  for (const row of rows) {
    const cluster = clusters.get(row.cluster) || { sum: 0, size: 0 };
    cluster.sum += row.d;
    cluster.size += 1;
    clusters.set(row.cluster, cluster);
  }
  const n = rows.length;
  const without = [...clusters.values()].map((one) => (n * mean - one.sum) / (n - one.size));
  const middle = without.reduce((sum, one) => sum + one, 0) / without.length;
  return without.map((one) => mean - (without.length - 1) * (one - middle));
}

function difference(a, b) {
  const rows = board.topics.map((topic, at) => ({
    topic,
    cluster: board.clusters[at],
    a: a[at],
    b: b[at],
    d: a[at] - b[at],
  }));
  const found = rows.filter((row) => row.a !== null && row.b !== null);
  const mean = found.reduce((sum, row) => sum + row.d, 0) / found.length;
  const values = independent(found, mean);
  const n = values.length;
  const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const half = quantile(n - 1) * Math.sqrt(squares / (n - 1) / n);
  return { rows: found, mean, low: mean - half, high: mean + half };
}

function show(a, b, metric) {
  const found = difference(a.scores[metric], b.scores[metric]);
  const count = (sign) => found.rows.filter((row) => Math.sign(row.d) === sign).length;
  const sure = found.low > 0 ? "is better than" : found.high < 0 ? "is worse than" : "cannot be distinguished from";
  document.querySelector("#answer").textContent =
    `${a.label} ${sure} ${b.label} by ${metric}: ${signed(found.mean)} [${signed(found.low)}, ${signed(found.high)}]; ` +
    `better on ${count(1)}, equal on ${count(0)}, worse on ${count(-1)} topics.`;
  const table = document.querySelector("#differences");
  table.hidden = false;
  const body = table.querySelector("tbody");
  body.replaceChildren();
  for (const row of found.rows.sort((x, y) => x.d - y.d)) {
    const line = body.insertRow();
    [row.topic, row.a.toFixed(3), row.b.toFixed(3), signed(row.d)].forEach((text, at) => {
      const cell = line.insertCell();
      cell.textContent = text;
      if (at) cell.className = "n";
    });
  }
}

async function compare(form) {
  const key = (text) => (board.runs.find((run) => run.includes(text)) || [])[0];
  const [a, b] = [key(form.a.value), key(form.b.value)];
  if (!a || !b || a === b) return;
  history.replaceState(null, "", `#a=${a}&b=${b}`);
  show(await load(a), await load(b), form.metric.value);
}

function begin() {
  for (const input of document.querySelectorAll("[data-filter]")) {
    input.parentElement.hidden = false;
    input.addEventListener("input", () => filterRows(input));
  }
  const form = document.querySelector("#compare");
  if (!form || !board) return;
  form.hidden = false;
  for (const [, label] of board.runs) {
    document.querySelector("#names").append(new Option(label, label));
  }
  const given = new URLSearchParams(location.hash.slice(1));
  const label = (key, at) => (board.runs.find((run) => run[0] === key) || board.runs[at] || ["", ""])[1];
  form.a.value = label(given.get("a"), 0);
  form.b.value = label(given.get("b"), form.a.value === label(null, 0) ? 1 : 0);
  form.addEventListener("change", () => compare(form));
  form.addEventListener("submit", (event) => event.preventDefault());
  compare(form);
}

document.addEventListener("DOMContentLoaded", begin);
