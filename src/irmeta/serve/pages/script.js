"use strict";
// The pages can be read without this. It finds rows in a table, compares two runs, and fills in an invitation.

const loaded = {};
let board = null;

// The files of runs call this with their scores.
function irmeta_scores(run) {
  loaded[run.key] = run;
}

// The file of a board calls this with its runs, its topics and their clusters.
function irmeta_runs(runs) {
  board = runs;
}

function filterRows(input) {
  const table = document.getElementById(input.dataset.filter);
  const wanted = input.value.toLowerCase();
  for (const row of table.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !text.includes(wanted);
  }
}

// Return the scores of a run, as a promise: its file is a script, which also loads from a disk.
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

function sum(values) {
  return values.reduce((total, one) => total + one, 0);
}

function mean(values) {
  return sum(values) / values.length;
}

// Values of clusters whose plain statistics are cluster-robust: the jackknife's.
// value of c = mean - (G - 1) (mean without c - mean of these), G clusters
function valuesOfClusters(differences) {
  const total = sum(differences);
  const n = differences.length;
  const clusters = [...new Set(board.clusters)];
  const without = clusters.map((name) => {
    const own = differences.filter((_, at) => board.clusters[at] === name);
    return (total - sum(own)) / (n - own.length);
  });
  const middle = mean(without);
  const times = clusters.length - 1;
  return without.map((one) => total / n - times * (one - middle));
}

// The interval of a difference of scores of 0 and 1, as if on one topic more each had been right by half.
function ofRightOrWrong(differences) {
  const n = differences.length + 1;
  const [p, q] = [1, -1].map((way) => {
    const count = differences.filter((one) => one === way).length;
    return (count + 0.5) / n;
  });
  const half = board.normal * Math.sqrt((p + q - (p - q) ** 2) / n);
  const [low, high] = [Math.max(p - q - half, -1), Math.min(p - q + half, 1)];
  return { mean: mean(differences), low, high };
}

// The interval of a paired t test: mean -/+ quantile * standard deviation / sqrt(n).
function interval(differences, metric) {
  if (board.right_or_wrong.includes(metric)) return ofRightOrWrong(differences);
  const values = valuesOfClusters(differences);
  const n = values.length;
  const middle = mean(values);
  const squares = values.map((one) => (one - middle) ** 2);
  const deviation = Math.sqrt(sum(squares) / (n - 1));
  const half = (board.quantile * deviation) / Math.sqrt(n);
  return { mean: middle, low: middle - half, high: middle + half };
}

function signed(value) {
  const sign = value < 0 ? "−" : "+";
  return sign + Math.abs(value).toFixed(3);
}

function verdict(found) {
  if (found.low > 0) return "is better than";
  if (found.high < 0) return "is worse than";
  return "cannot be distinguished from";
}

function show(first, second, metric) {
  const a = first.scores[metric];
  const b = second.scores[metric];
  const differences = a.map((score, at) => score - b[at]);
  const found = interval(differences, metric);
  const ends = `[${signed(found.low)}, ${signed(found.high)}]`;
  const better = differences.filter((one) => one > 0).length;
  const worse = differences.filter((one) => one < 0).length;
  const equal = differences.length - better - worse;
  const answer = document.getElementById("answer");
  answer.textContent =
    `${first.label} ${verdict(found)} ${second.label} by ${metric}: ` +
    `${signed(found.mean)} ${ends}; ` +
    `better on ${better}, equal on ${equal}, worse on ${worse} topics.`;
  const rows = differences.map((difference, at) => ({ at, difference }));
  rows.sort((x, y) => x.difference - y.difference);
  list(rows.map((row) => [
    board.topics[row.at],
    a[row.at].toFixed(3),
    b[row.at].toFixed(3),
    signed(row.difference),
  ]));
}

function list(rows) {
  const table = document.getElementById("differences");
  table.hidden = false;
  const body = table.tBodies[0];
  body.replaceChildren();
  for (const texts of rows) {
    const row = body.insertRow();
    for (const text of texts) {
      const cell = row.insertCell();
      cell.textContent = text;
      if (cell.cellIndex) cell.className = "n";
    }
  }
}

// Return the key and the label of a run by either of them.
function runOf(text) {
  return board.runs.find((run) => run.includes(text));
}

async function compare(form) {
  const first = runOf(form.a.value);
  const second = runOf(form.b.value);
  if (!first || !second || first === second) return;
  history.replaceState(null, "", `#a=${first[0]}&b=${second[0]}`);
  const scores = [await load(first[0]), await load(second[0])];
  show(...scores, form.metric.value);
}

function beginComparing(form) {
  const names = document.getElementById("names");
  for (const [, label] of board.runs) {
    names.append(new Option(label, label));
  }
  const given = new URLSearchParams(location.hash.slice(1));
  const first = runOf(given.get("a")) || board.runs[0];
  const others = board.runs.filter((run) => run !== first);
  const second = runOf(given.get("b")) || others[0];
  form.a.value = first[1];
  form.b.value = second[1];
  form.hidden = false;
  form.addEventListener("change", () => compare(form));
  form.addEventListener("submit", (event) => event.preventDefault());
  compare(form);
}

function begin() {
  for (const input of document.querySelectorAll("[data-filter]")) {
    input.parentElement.hidden = false;
    input.addEventListener("input", () => filterRows(input));
  }
  const secret = document.querySelector("[data-secret]");
  if (secret) secret.value = location.hash.slice(1);
  const form = document.getElementById("compare");
  if (form && board && board.runs.length > 1) beginComparing(form);
}

document.addEventListener("DOMContentLoaded", begin);
