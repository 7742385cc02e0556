"use strict";
// The pages can be read without this. It finds rows in a table, compares two runs, and fills in an invitation.

const loaded = {};
let board = null;

// The files of runs call this with their scores.
window.irmeta_scores = (run) => {
  loaded[run.key] = run;
};

// The file of a board calls this with its runs, its topics and their clusters.
window.irmeta_runs = (runs) => {
  board = runs;
};

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

// How far from 0 values go.
function largest(values) {
  return Math.max(0, ...values.map(Math.abs));
}

// What rounding may make of sums of values.
function roundingOf(values) {
  return 1e-12 * Math.max(1, largest(values));
}

// Mean and standard error of values; without an error where all are the same.
function described(values) {
  const n = values.length;
  const mean = sum(values) / n;
  const squares = values.map((one) => (one - mean) ** 2);
  const deviation = Math.sqrt(sum(squares) / (n - 1));
  const same = deviation <= 1e-12 * Math.abs(mean);
  return { mean, error: same ? 0 : deviation / Math.sqrt(n) };
}

// Scores less others, without rounding, as irmeta takes them: what is 0, or the same on all topics, but for rounding.
function less(scores, others) {
  const rounding = roundingOf([...scores, ...others]);
  const differences = scores.map((score, at) => score - others[at]);
  return settled(differences, rounding);
}

// Values without rounding: 0, or all the same, where they are so but for rounding.
function settled(values, rounding) {
  const found = values.map((one) => (Math.abs(one) <= rounding ? 0 : one));
  const low = Math.min(...found);
  const high = Math.max(...found);
  if (high - low > rounding) return found;
  const middle = (low + high) / 2;
  return found.map(() => middle);
}

// What each cluster adds to the sum of differences; a topic by itself is its own cluster.
function added(differences) {
  const sums = new Map();
  differences.forEach((one, at) => {
    const name = board.clusters[at];
    sums.set(name, (sums.get(name) ?? 0) + one);
  });
  return [...sums.values()];
}

// Values of clusters whose plain statistics are cluster-robust: the jackknife's.
// value of c = mean - (G - 1) (mean without c - mean of these), G clusters
function valuesOfClusters(differences) {
  const total = sum(differences);
  const n = differences.length;
  const sums = added(differences);
  const sizes = added(differences.map(() => 1));
  const without = sums.map((one, at) => (total - one) / (n - sizes[at]));
  const middle = sum(without) / without.length;
  const times = without.length - 1;
  const values = without.map((one) => total / n - times * (one - middle));
  return settled(values, roundingOf(differences));
}

// How many differences are above 0, and how many below.
function wins(differences) {
  const above = differences.filter((one) => one > 0);
  const below = differences.filter((one) => one < 0);
  return { above: above.length, below: below.length };
}

// The interval of a difference of scores of 0 and 1, as if on one topic more each had been right by half.
function ofRightOrWrong(differences) {
  const n = differences.length + 1;
  const { above, below } = wins(differences);
  const better = (above + 0.5) / n;
  const worse = (below + 0.5) / n;
  const middle = better - worse;
  const variance = better + worse - middle ** 2;
  const half = board.normal * Math.sqrt(variance / n);
  return [middle - half, middle + half];
}

// Student's interval, mean -/+ quantile * standard error; none where all differences are the same.
function ofAnyScores(differences) {
  const { mean, error } = described(valuesOfClusters(differences));
  const half = error > 0 ? board.quantile * error : NaN;
  return [mean - half, mean + half];
}

// Bits of a number mixed so that each depends on all.
function mixed(number) {
  number ^= number >>> 16;
  number = Math.imul(number, 0x7feb352d);
  number ^= number >>> 15;
  number = Math.imul(number, 0x846ca68b);
  return number ^ (number >>> 16);
}

// Whether a draw of the fixed signs, counted from 1, turns a topic; of few topics every way has its number.
function turns(draw, topic, every) {
  const number = every
    ? draw >> topic
    : mixed(Math.imul(draw, 0x9e3779b1) ^ Math.imul(topic + 1, 0x85ebca77));
  return number & 1;
}

// The share of the first fixed signs of what clusters add whose sum is as large; equal but for rounding counts.
// Signs go to values in the order of their sizes, so that the order of topics does not matter.
function shareReached(values, draws, every) {
  const sizes = values.map(Math.abs).sort((one, other) => one - other);
  const rounding = Number.EPSILON * values.length * largest(values);
  const least = Math.abs(sum(values)) * (1 - 1e-9) - rounding;
  let reached = 1;
  for (let draw = 1; draw <= draws; draw++) {
    let total = 0;
    sizes.forEach((size, place) => {
      total += turns(draw, place, every) ? -size : size;
    });
    if (Math.abs(total) >= least) reached++;
  }
  return reached / (1 + draws);
}

function pBySigns(values) {
  const ways = 2 ** values.length - 1;
  if (ways <= board.fixed) return shareReached(values, ways, true);
  return shareReached(values, board.fixed, false);
}

// Whether the max-t test of this one difference shows it at 5%: by Student's t, where there is one, and by signs.
function isShown(differences) {
  const values = added(differences);
  const { mean, error } = described(values);
  const far = board.quantile * error;
  const byT = error === 0 || Math.abs(mean) > far;
  return byT && pBySigns(values) < 0.05;
}

// The difference of two runs as irmeta versus has it: its mean, interval and verdict.
function compared(scores, others, metric) {
  const differences = less(scores, others);
  const right = board.right_or_wrong.includes(metric);
  const most = board.widest[metric] ?? Infinity;
  const ends = right ? ofRightOrWrong(differences) : ofAnyScores(differences);
  const [low, high] = ends.map((end) => Math.max(-most, Math.min(end, most)));
  const mean = sum(differences) / differences.length;
  return { mean, low, high, shown: isShown(differences), differences };
}

// Half of the tenth decimal, up to which sums of the same scores agree: a half goes away from 0.
const HALF = 5e-11;

// 0.446 as ".446", as the other pages write scores; no minus before zeros alone.
function figure(value, digits = 3) {
  const size = Math.abs(value) + HALF;
  const text = size.toFixed(digits).replace(/^0\./, ".");
  return value < 0 && Number(text) > 0 ? `-${text}` : text;
}

function signed(value, digits = 3) {
  const text = figure(value, digits);
  return text.startsWith("-") ? text : `+${text}`;
}

// How many decimals, up to 6, show on which side of 0 each end is.
function digitsOf(ends) {
  const sizes = ends.map(Math.abs).filter((size) => size >= 1e-6);
  const least = Math.min(...sizes, 1);
  let digits = 3;
  while (digits < 6 && least < 0.5 * 10 ** -digits) digits += 1;
  return digits;
}

// A difference with its interval, which there may be none of.
function withInterval({ mean, low, high }) {
  if (!Number.isFinite(low)) return signed(mean);
  const digits = digitsOf([low, high]);
  const [value, ...ends] = [mean, low, high].map((one) => signed(one, digits));
  return `${value} (${ends.join(" to ")})`;
}

function verdict(found) {
  if (found.differences.every((one) => one === 0)) return "is equal to";
  if (!found.shown) return "cannot be distinguished from";
  return found.mean > 0 ? "is better than" : "is worse than";
}

// On how many topics the first run is better, equal and worse.
function topicsText(differences) {
  const { above, below } = wins(differences);
  const ties = differences.length - above - below;
  const equal = ties ? `, equal on ${ties}` : "";
  return `better on ${above}${equal}, worse on ${below} topics`;
}

function show(first, second, metric) {
  const a = first.scores[metric];
  const b = second.scores[metric];
  const found = compared(a, b, metric);
  const said = `${first.label} ${verdict(found)} ${second.label} by ${metric}`;
  const alone = found.shown ? ", by itself, not corrected for other pairs" : "";
  const answer = document.getElementById("answer");
  answer.textContent =
    `${said}: ${withInterval(found)}${alone}; ` +
    `${topicsText(found.differences)}.`;
  const rows = found.differences.map((difference, at) => [difference, at]);
  rows.sort(([one], [other]) => one - other);
  list(
    rows.map(([difference, at]) => [
      board.topics[at],
      figure(a[at]),
      figure(b[at]),
      signed(difference),
    ]),
  );
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
  if (form && board) beginComparing(form);
}

document.addEventListener("DOMContentLoaded", begin);
