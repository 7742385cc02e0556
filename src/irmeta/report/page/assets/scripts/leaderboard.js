// The page of a leaderboard. All figures come from Python; with tasks switched off means and Borda counts are made here.
import { replaceAddress } from "./address.js";
import {
  csvOf,
  element,
  hasWords,
  save,
  short,
  span,
  themeOf,
} from "./elements.js";
import { bordaOf, meanOf, ranksOf, standingOf } from "./ranks.js";
import { amountIn, tableOf } from "./tables.js";

const content = JSON.parse(document.getElementById("content").textContent);
const { models, tasks, aggregates, scores, nouns, facts, about, links } =
  content;
const FIRST_ROWS = 100;
const LONGEST = 300; // letters of a name in the table
const byId = (id) => document.getElementById(id);
const kinds = aggregates.map((one) => one.name);
const recomputed = kinds.filter((kind) => ["mean", "borda"].includes(kind));
const collator = new Intl.Collator("en", { numeric: true });
const state = {
  by: kinds[0],
  words: "",
  kind: "",
  off: new Set(),
  sort: "rank",
  down: false,
  all: false,
  model: -1,
};

// The aggregate in view: Python's, or of the tasks that are on.
function standing() {
  const given = aggregates.find((one) => one.name === state.by);
  if (!state.off.size) return { ...given, counts: content.counts };
  const counts = models.map((_, model) => tasksOf(model).length);
  // predictions alone give no rank
  const known = scores.map((column) =>
    column.map((score, model) => (counts[model] ? score : null)),
  );
  const on = tasksOn();
  const value =
    state.by === "borda"
      ? bordaOf(known, on)
      : models.map((_, model) => meanOf(known, model, on));
  return {
    name: given.name,
    label: given.label,
    column: given.column,
    value,
    rank: ranksOf(value),
    counts,
  };
}

function tasksOn() {
  const all = [...tasks.keys()];
  return all.filter((task) => !state.off.has(task));
}

function shown(value) {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) < 100) return short(value, 3);
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

const isPredicted = (task, model) =>
  content.filled[task]?.[model] !== undefined;

// The tasks that are on and that a model has a score on.
function tasksOf(model) {
  const isScored = (task) =>
    scores[task][model] !== null && !isPredicted(task, model);
  return tasksOn().filter(isScored);
}

// Marks an aggregate of scores of which some are predicted.
function partly(one, model) {
  if (one.value[model] === null) return "";
  const predicted = tasksOn().some((task) => isPredicted(task, model));
  return predicted ? "~" : "";
}

// A rank, or where missing scores leave it open the ranks that they allow.
function rankOrRange(one, model) {
  if (one.rank[model] !== null) return String(one.rank[model]);
  return one.best ? `${one.best[model]}–${one.worst[model]}` : "–";
}

// The ranks of a model by an aggregate, and the ends of its rank set and of what missing scores or ties allow.
function placed(one, model) {
  return {
    rank: one.rank[model],
    low: one.low[model],
    high: one.high[model],
    best: one.best[model],
    worst: one.worst[model],
  };
}

function rankWords(one, model) {
  const { rank, low, high, best, worst } = placed(one, model);
  const own = rank === null ? "rank open" : `rank ${rank}`;
  const words = `${own}; rank set ${span(low, high)}`;
  if (best === worst) return words;
  return `${words}; ${content.linesSay} ${best} to ${worst}`;
}

// Where a rank lies on the axis, in percent.
function along(rank) {
  const steps = models.length - 1;
  return steps > 0 ? (100 * (rank - 1)) / steps : 0;
}

// A bar from a rank to another.
function bar(kind, low, high) {
  const made = element("span", { class: kind });
  made.style.left = `${along(low)}%`;
  const wide = along(high) - along(low);
  const point = kind === "at" && low === high;
  if (!point) made.style.width = `max(3px, ${wide}%)`;
  return made;
}

function ranksDrawn(one, model) {
  if (!one.low) return "–";
  const words = rankWords(one, model);
  const { rank, low, high, best, worst } = placed(one, model);
  const bars = [bar("set", low, high)];
  if (best !== worst) bars.push(bar("holes", best, worst));
  if (rank !== null) bars.push(bar("at", rank, rank));
  return element(
    "div",
    { class: "ranks", role: "img", "aria-label": words, title: words },
    ...bars,
  );
}

const isMarked = (model) => content.marked.includes(models[model]);
const kindOf = (model) => about[model][facts.indexOf("kind")];

function isWanted(model) {
  const known = [models[model], ...about[model]].join(" ");
  const ofKind = !state.kind || kindOf(model) === state.kind;
  return ofKind && hasWords(known, state.words);
}

// The facts of a column that are known are all amounts, as 33M and 7B.
const areAmounts = facts.map((_, fact) =>
  about.every((of) => !of[fact] || !Number.isNaN(amountIn(of[fact]))),
);

// The order by a fact: what is not known comes last.
function byFact(fact, a, b) {
  const one = about[a][fact];
  const other = about[b][fact];
  if (one && other && areAmounts[fact]) return amountIn(one) - amountIn(other);
  return collator.compare(one, other);
}

// The rank, or the middle of those that missing scores allow; last where there is none.
function middle(one, model) {
  const rank = one.rank[model];
  if (rank !== null) return rank;
  if (!one.best) return Infinity;
  return (one.best[model] + one.worst[model]) / 2;
}

// What rows are sorted by, the least first.
function keyOf(one) {
  const other = aggregates.find((each) => each.name === state.sort);
  const keys = {
    rank: (model) => middle(one, model),
    ranks: (model) => (one.high ? one.high[model] : middle(one, model)),
    value: (model) => -(one.value[model] ?? -Infinity),
    tasks: (model) => -one.counts[model],
  };
  const byOther = (model) => other?.rank[model] ?? Infinity;
  return keys[state.sort] ?? byOther;
}

function sorted(one, kept) {
  const key = keyOf(one);
  const sign = state.down ? -1 : 1;
  const fact = facts.indexOf(state.sort.replace(/^fact:/, ""));
  function order(a, b) {
    if (fact >= 0) return byFact(fact, a, b);
    if (state.sort === "name") return collator.compare(models[a], models[b]);
    return key(a) - key(b) || 0;
  }
  // what has nothing in the column is last whichever way
  function isBlank(model) {
    return fact >= 0 ? !about[model][fact] : key(model) === Infinity;
  }
  return kept.sort((a, b) => {
    const blanks = Number(isBlank(a)) - Number(isBlank(b));
    const asked = sign * order(a, b);
    const byRank = middle(one, a) - middle(one, b);
    return blanks || asked || byRank || a - b;
  });
}

function draw() {
  drawRows();
  drawSwitched();
  keepView();
}

function drawRows() {
  const one = standing();
  const others = aggregates.filter((each) => each.name !== state.by);
  const kept = [...models.keys()].filter(isWanted);
  const rows = sorted(one, kept);
  const isDrawn = (model, at) => at < FIRST_ROWS || isMarked(model);
  const drawn = state.all ? rows : rows.filter(isDrawn);
  // ranks by other aggregates give way to facts; a model's dialog has them
  const away = state.off.size || facts.length ? [] : others;
  byId("rows").replaceChildren(
    ...drawn.map((model) => rowOf(one, away, model)),
  );
  byId("heads").replaceChildren(...headsOf(one, away));
  byId("status").textContent =
    `${drawn.length} of ${models.length} ${nouns.model}s`;
  byId("more").hidden = drawn.length === rows.length;
}

// How many tasks are on, and what the page cannot say while some are off.
function drawSwitched() {
  const on = tasks.length - state.off.size;
  const named = tasksOn().map((task) => tasks[task].name);
  byId("switched").textContent = `${on} of ${tasks.length}`;
  byId("banner").hidden = !state.off.size;
  byId("banner").textContent =
    `By ${on} of ${tasks.length} ${nouns.task}s: means and ranks of these alone, ` +
    `without rank sets, which Python computes ${commandFor(named)}.`;
  for (const option of byId("aggregate").options) {
    option.disabled = state.off.size > 0 && !recomputed.includes(option.value);
  }
  byId("aggregate").value = state.by;
}

// The command that ranks by the named tasks, which takes 2 of them.
function commandFor(named) {
  if (named.length < 2) return `of 2 ${nouns.task}s or more`;
  const { command } = content;
  const whole = command.replace(/ --topics ('[^']*'|\S+)/, "");
  const again = command.includes("--holes predict")
    ? "; it predicts from these alone"
    : "";
  return `(${whole} --topics '${named.join(",")}'${again})`;
}

const capitalized = (word) => word.charAt(0).toUpperCase() + word.slice(1);

function headsOf(one, others) {
  const heads = [
    ["rank", "Rank", "c-rank number"],
    ["name", nouns.Model, "c-name"],
    ["ranks", "Possible ranks", "c-ranks"],
    ["value", one.column, "c-value number"],
    ...(content.estimated
      ? []
      : [["tasks", `${nouns.Task}s`, "c-tasks number"]]),
    ...facts.map((fact) => [`fact:${fact}`, capitalized(fact), "c-fact"]),
    ...others.map((each) => [
      each.name,
      `Rank by ${each.short}`,
      "c-other number",
    ]),
  ];
  return heads.map(headOf);
}

function headOf([key, label, kind]) {
  const button = element("button", { type: "button" }, label);
  button.addEventListener("click", () => {
    sortBy(key);
    byId("heads").querySelector("[aria-sort] button").focus();
  });
  const direction = state.down ? "descending" : "ascending";
  const sort = state.sort === key ? direction : undefined;
  return element(
    "th",
    { scope: "col", class: kind, "aria-sort": sort },
    button,
  );
}

// The same column again turns the order.
function sortBy(key) {
  const again = state.sort === key;
  state.down = again && !state.down;
  state.sort = key;
  draw();
}

function rowOf(one, others, model) {
  const name = models[model].slice(0, LONGEST);
  const button = element(
    "button",
    { type: "button", title: name, "aria-haspopup": "dialog" },
    name,
  );
  button.addEventListener("click", () => openModel(model));
  const cell = (kind, text) => element("td", { class: kind }, text);
  return element(
    "tr",
    { class: isMarked(model) ? "marked" : undefined },
    cell("number", rankOrRange(one, model)),
    element("th", { scope: "row" }, button),
    cell("", ranksDrawn(one, model)),
    cell("number", shown(one.value[model]) + partly(one, model)),
    ...(content.estimated
      ? []
      : [cell("number tasks", String(one.counts[model]))]),
    ...about[model].map((fact) => cell("fact", fact || "–")),
    ...others.map((each) => cell("number other", rankOrRange(each, model))),
  );
}

// A model's strengths: its tasks, those first on which it leaves most of the others behind.
function openModel(model) {
  state.model = model;
  const rows = tasks.map((_, at) => strengthOf(model, at));
  rows.sort(
    (a, b) => b.share - a.share || collator.compare(a.task.name, b.task.name),
  );
  const lines = aggregates.map((one) =>
    element("li", {}, `${one.label}: ${rankWords(one, model)}`),
  );
  byId("model-name").textContent = models[model];
  byId("model-facts").replaceChildren(...factsOf(model));
  byId("model-ranks").replaceChildren(...lines);
  byId("model-tasks").replaceChildren(...rows.map(taskRow));
  if (!byId("model").open) byId("model").showModal();
  byId("model").scrollTop = 0;
  keepView();
}

// A model's score on a task, and where it stands among those that are known.
function strengthOf(model, at) {
  const task = tasks[at];
  const score = scores[at][model];
  const filled = content.filled[at]?.[model];
  const isKnown = (one, other) => one !== null && !isPredicted(at, other);
  const known = scores[at].filter(isKnown);
  const hole = !isKnown(score, model);
  const none = { rank: 0, share: -1 };
  const { rank, share } = hole ? none : standingOf(score, known);
  return { task, score, filled, hole, rank, of: known.length, share };
}

function factsOf(model) {
  const known = facts
    .map((fact, at) => [fact, about[model][at]])
    .filter(([, text]) => text);
  const link = element(
    "a",
    { href: links[model], rel: "nofollow noopener" },
    links[model],
  );
  if (links[model]) known.push(["link", link]);
  return known.map(([fact, what]) =>
    element("div", {}, element("dt", {}, fact), element("dd", {}, what)),
  );
}

function taskRow({ task, score, filled, hole, rank, of, share }) {
  const name = task.type ? `${task.name} (${task.type})` : task.name;
  const ends = filled?.map(shown).join(", ");
  const missing = filled ? `predicted ${shown(score)} [${ends}]` : "missing";
  const part = element("span");
  part.style.width = `${100 * Math.max(0, share)}%`;
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, name),
    element("td", { class: "number" }, hole ? missing : shown(score)),
    element("td", { class: "number" }, hole ? "–" : `${rank} of ${of}`),
    element("td", {}, hole ? "–" : element("div", { class: "share" }, part)),
  );
}

// Keep what is in view in the address, so that it can be sent.
function keepView() {
  const parts = new URLSearchParams();
  const keep = (name, value, usual) =>
    value !== usual && parts.set(name, value);
  keep("by", state.by, kinds[0]);
  keep("find", state.words, "");
  keep("kind", state.kind, "");
  keep("sort", (state.down ? "-" : "") + state.sort, "rank");
  keep("off", [...state.off].join("."), "");
  keep("model", models[state.model] ?? "", "");
  replaceAddress(
    parts.size ? `#${parts}` : location.pathname + location.search,
  );
}

// Take what the address says; return the model that it opens.
function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (kinds.includes(parts.get("by"))) state.by = parts.get("by");
  state.words = parts.get("find") ?? "";
  const kind = parts.get("kind") ?? "";
  if ([...models.keys()].some((model) => kindOf(model) === kind))
    state.kind = kind;
  const column = parts.get("sort") ?? "rank";
  const down = column.startsWith("-");
  const sort = down ? column.slice(1) : column;
  const known = facts.map((fact) => `fact:${fact}`);
  const columns = [
    "rank",
    "name",
    "ranks",
    "value",
    "tasks",
    ...known,
    ...kinds,
  ];
  if (columns.includes(sort)) {
    state.sort = sort;
    state.down = down;
  }
  const off = (parts.get("off") ?? "").split(".").filter(Boolean).map(Number);
  off.filter((task) => task in tasks).forEach((task) => state.off.add(task));
  return models.indexOf(parts.get("model") ?? "");
}

const taskOf = (box) => Number(box.value);

// Let a reader rank by some of the tasks; their boxes stand in the page already.
function switches() {
  const boxes = [...document.querySelectorAll("#boxes input")];
  const follow = () => {
    state.off = new Set(boxes.filter((box) => !box.checked).map(taskOf));
    if (state.off.size && !recomputed.includes(state.by))
      state.by = recomputed[0];
    draw();
  };
  boxes.forEach((box) => (box.checked = !state.off.has(taskOf(box))));
  byId("boxes").addEventListener("change", follow);
  for (const button of document.querySelectorAll("#switches button")) {
    button.addEventListener("click", () => {
      const { only } = button.dataset;
      const wanted = (task) =>
        only === undefined ? button.id === "all" : task.type === only;
      boxes.forEach((box) => (box.checked = wanted(tasks[taskOf(box)])));
      follow();
    });
  }
  follow();
}

function boardCsv() {
  const one = standing();
  const columns = [
    one.rank,
    models,
    one.value,
    one.counts,
    one.low,
    one.high,
    one.best,
    one.worst,
    ...facts.map((_, at) => about.map((known) => known[at])),
    ...(links.some(Boolean) ? [links] : []),
  ];
  const heads = [
    "rank",
    "model",
    one.name,
    "tasks",
    "rank_set_low",
    "rank_set_high",
    "holes_best",
    "holes_worst",
    ...facts,
    ...(links.some(Boolean) ? ["link"] : []),
  ];
  const rows = sorted(one, [...models.keys()]);
  const cells = (model) =>
    columns.map((column) => String(column?.[model] ?? ""));
  return csvOf([heads, ...rows.map(cells)]);
}

const asked = recall();
themeOf(byId("theme"));
const changed = (id, kind, change) =>
  byId(id).addEventListener(kind, (event) => {
    change(event.target.value);
    draw();
  });
changed("aggregate", "change", (value) => (state.by = value));
changed("find", "input", (value) => (state.words = value));
if (byId("kind")) {
  byId("kind").value = state.kind;
  changed("kind", "change", (value) => (state.kind = value));
}
changed("more", "click", () => (state.all = true));
byId("find").value = state.words;
byId("csv").addEventListener("click", () =>
  save(boardCsv(), "text/csv", "leaderboard.csv"),
);
byId("model").addEventListener("close", () => {
  state.model = -1;
  keepView();
});
byId("model").addEventListener("click", (event) => {
  if (event.target === byId("model")) byId("model").close();
});
switches();
for (const table of document.querySelectorAll(".table"))
  tableOf(table, table.dataset.name);
if (asked >= 0) openModel(asked);
// an address that says what to show, typed or followed while the page is open
window.addEventListener("hashchange", () => {
  if (location.hash.includes("=")) location.reload();
});
window.addEventListener("beforeprint", () => {
  state.all = true;
  draw();
});
// milliseconds since the page was asked for
document.body.dataset.ready = performance.now();
