// The page of a leaderboard. All figures come from Python; with tasks switched off means and Borda counts are made here.
import { csvOf, element, hasWords, save, themeOf } from "./elements.js";
import { bordaOf, meanOf, ranksOf, standingOf } from "./ranks.js";
import { tableOf } from "./tables.js";

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
  if (!state.off.size) return given;
  const all = [...tasks.keys()];
  const on = all.filter((task) => !state.off.has(task));
  const means = () => models.map((_, model) => meanOf(scores, model, on));
  const value =
    state.by === "borda" ? bordaOf(scores, models.length, on) : means();
  return { name: given.name, label: given.label, value, rank: ranksOf(value) };
}

function shown(value) {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) < 100) return value.toFixed(4);
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

const isPredicted = (task, model) =>
  content.filled[task]?.[model] !== undefined;
const partly = (model) =>
  tasks.some((_, task) => !state.off.has(task) && isPredicted(task, model))
    ? "~"
    : "";

// A rank, or where missing scores leave it open the ranks that they allow.
function rankOrRange(one, model) {
  if (one.rank[model] !== null) return String(one.rank[model]);
  return one.best ? `${one.best[model]}–${one.worst[model]}` : "–";
}

function rankWords(one, model) {
  const [best, worst] = [one.best[model], one.worst[model]];
  const holes =
    best === worst ? "" : `; ${content.holesSay} ${best} to ${worst}`;
  const own =
    one.rank[model] === null ? "rank open" : `rank ${one.rank[model]}`;
  return `${own}; rank set ${one.low[model]} to ${one.high[model]}${holes}`;
}

// Where a rank lies on the axis, in percent.
const along = (rank) =>
  models.length > 1 ? (100 * (rank - 1)) / (models.length - 1) : 0;

// A bar from a rank to another.
function bar(kind, low, high) {
  const made = element("span", { class: kind });
  made.style.left = `${along(low)}%`;
  if (low !== high || kind !== "at")
    made.style.width = `max(3px, ${along(high) - along(low)}%)`;
  return made;
}

function ranksDrawn(one, model) {
  if (!one.low) return "–";
  const words = rankWords(one, model);
  const bars = [bar("set", one.low[model], one.high[model])];
  const [best, worst, rank] = [
    one.best[model],
    one.worst[model],
    one.rank[model],
  ];
  if (best !== worst) bars.push(bar("holes", best, worst));
  if (rank !== null) bars.push(bar("at", rank, rank));
  return element(
    "div",
    { class: "ranks", role: "img", "aria-label": words, title: words },
    ...bars,
  );
}

const kindOf = (model) => about[model][facts.indexOf("kind")];
const isWanted = (model) =>
  hasWords([models[model], ...about[model]].join(" "), state.words) &&
  (!state.kind || kindOf(model) === state.kind);

// The order by a fact: what is not known comes last.
function byFact(fact, a, b) {
  const [one, other] = [about[a][fact], about[b][fact]];
  if (!one || !other) return (one ? 0 : 1) - (other ? 0 : 1);
  return collator.compare(one, other);
}

// What rows are sorted by, the least first.
function keyOf(one) {
  const middle = (m) =>
    one.rank[m] ?? (one.best ? (one.best[m] + one.worst[m]) / 2 : Infinity);
  const other = aggregates.find((each) => each.name === state.sort);
  const keys = {
    rank: middle,
    ranks: (m) => (one.high ? one.high[m] : middle(m)),
    value: (m) => -(one.value[m] ?? -Infinity),
    tasks: (m) => -content.counts[m],
  };
  return {
    middle,
    key: keys[state.sort] ?? ((m) => other?.rank[m] ?? Infinity),
  };
}

function sorted(one, kept) {
  const { middle, key } = keyOf(one);
  const sign = state.down ? -1 : 1;
  const byName = (a, b) => collator.compare(models[a], models[b]);
  const fact = facts.indexOf(state.sort.replace(/^fact:/, ""));
  const order = (a, b) => {
    if (fact >= 0) return byFact(fact, a, b);
    return state.sort === "name" ? byName(a, b) : key(a) - key(b) || 0;
  };
  return kept.sort(
    (a, b) => sign * order(a, b) || middle(a) - middle(b) || a - b,
  );
}

function draw() {
  const one = standing();
  const others = aggregates.filter((each) => each.name !== state.by);
  const kept = [...models.keys()].filter(isWanted);
  const rows = sorted(one, kept);
  const drawn = state.all ? rows : rows.slice(0, FIRST_ROWS);
  // ranks by other aggregates give way to facts; a model's dialog has them
  const away = state.off.size || facts.length ? [] : others;
  byId("rows").replaceChildren(
    ...drawn.map((model) => rowOf(one, away, model)),
  );
  byId("heads").replaceChildren(...headsOf(one, away));
  byId("status").textContent =
    `${drawn.length} of ${rows.length} ${nouns.model}s`;
  byId("more").hidden = drawn.length === rows.length;
  const on = tasks.length - state.off.size;
  byId("switched").textContent = `${on} of ${tasks.length}`;
  byId("banner").hidden = !state.off.size;
  byId("banner").textContent =
    `By ${on} of ${tasks.length} ${nouns.task}s: means and ranks of these alone, ` +
    "without rank sets, which Python computes (irmeta leaderboard --topics).";
  for (const option of byId("aggregate").options) {
    option.disabled = state.off.size > 0 && !recomputed.includes(option.value);
  }
  byId("aggregate").value = state.by;
  remember();
}

function headsOf(one, others) {
  const heads = [
    ["rank", "Rank", "c-rank number"],
    ["name", nouns.Model, "c-name"],
    ["ranks", "Possible ranks", "c-ranks"],
    ["value", "Value", "c-value number"],
    ["tasks", `${nouns.Task}s`, "c-tasks number"],
    ...facts.map((fact) => [`fact:${fact}`, fact, "c-fact"]),
    ...others.map((each) => [
      each.name,
      `Rank by ${each.name}`,
      "c-other number",
    ]),
  ];
  return heads.map(([key, label, kind]) => {
    const button = element("button", { type: "button" }, label);
    button.addEventListener("click", () => {
      [state.down, state.sort] = [state.sort === key && !state.down, key];
      draw();
      byId("heads").querySelector("[aria-sort] button").focus();
    });
    const direction = state.down ? "descending" : "ascending";
    const sort = state.sort === key ? direction : undefined;
    return element(
      "th",
      { scope: "col", class: kind, "aria-sort": sort },
      button,
    );
  });
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
    {},
    cell("number", rankOrRange(one, model)),
    element("th", { scope: "row" }, button),
    cell("", ranksDrawn(one, model)),
    cell("number", shown(one.value[model]) + partly(model)),
    cell("number tasks", String(content.counts[model])),
    ...about[model].map((fact) => cell("fact", fact || "–")),
    ...others.map((each) => cell("number other", rankOrRange(each, model))),
  );
}

// A model's strengths: its tasks, those first on which it leaves most of the others behind.
function openModel(model) {
  state.model = model;
  const rows = tasks.map((task, at) => {
    const score = scores[at][model];
    const hole = score === null || isPredicted(at, model);
    const known = scores[at].filter(
      (one, other) => one !== null && !isPredicted(at, other),
    );
    const { rank, share } = hole
      ? { rank: 0, share: -1 }
      : standingOf(score, known);
    return {
      task,
      score,
      filled: content.filled[at]?.[model],
      hole,
      rank,
      of: known.length,
      share,
    };
  });
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
  remember();
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
function remember() {
  const parts = new URLSearchParams();
  const keep = (name, value, usual) =>
    value !== usual && parts.set(name, value);
  keep("by", state.by, kinds[0]);
  keep("find", state.words, "");
  keep("kind", state.kind, "");
  keep("sort", (state.down ? "-" : "") + state.sort, "rank");
  keep("off", [...state.off].join("."), "");
  keep("model", models[state.model] ?? "", "");
  const hash = parts.size ? `#${parts}` : location.pathname + location.search;
  try {
    history.replaceState(null, "", hash);
  } catch {
    // some viewers of files allow no history
  }
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
    content.counts,
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
  remember();
});
byId("model").addEventListener("click", (event) => {
  if (event.target === byId("model")) byId("model").close();
});
switches();
for (const table of document.querySelectorAll(".table"))
  tableOf(table, table.dataset.name);
if (asked >= 0) openModel(asked);
window.addEventListener("beforeprint", () => {
  state.all = true;
  draw();
});
// milliseconds since the page was asked for
document.body.dataset.ready = performance.now();
