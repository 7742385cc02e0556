// The page of a leaderboard. All figures come from Python; with tasks switched off only means and Borda's counts are made anew.
const content = JSON.parse(document.getElementById("content").textContent);
const { models, tasks, aggregates, scores, nouns } = content;
const RECOMPUTED = ["mean", "borda"], FIRST_ROWS = 100;
const byId = (id) => document.getElementById(id);
const state = { aggregate: aggregates[0].name, words: "", off: new Set(), sort: "rank", down: false, all: false, model: -1 };
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const collator = new Intl.Collator("en", { numeric: true });

/** The aggregate in view: Python's, or of the tasks that are on. */
function standing() {
  const given = aggregates.find((one) => one.name === state.aggregate);
  if (!state.off.size) return given;
  const on = tasks.map((_, at) => at).filter((at) => !state.off.has(at));
  const value = state.aggregate === "borda" ? bordaOf(on) : models.map((_, m) => meanOf(m, on));
  return { name: given.name, label: given.label, value, rank: ranksOf(value) };
}

function meanOf(model, on) {
  let sum = 0;
  for (const task of on) {
    const score = scores[task][model];
    if (score === null) return null;
    sum += score;
  }
  return on.length ? sum / on.length : null;
}

/** On each task, a model earns the number of all models less its rank among those that have it. */
function bordaOf(on) {
  const votes = models.map(() => 0);
  for (const task of on) {
    const column = scores[task], present = models.map((_, m) => m).filter((m) => column[m] !== null);
    present.sort((a, b) => column[b] - column[a]);
    for (let start = 0; start < present.length;) {
      let stop = start;
      while (stop < present.length && column[present[stop]] === column[present[start]]) stop++;
      for (let at = start; at < stop; at++) votes[present[at]] += models.length - (start + 1 + stop) / 2;
      start = stop;
    }
  }
  return votes;
}

function ranksOf(value) {
  const settled = value.map((one) => one === null ? null : Math.round(one * 1e10) / 1e10);
  const falling = settled.filter((one) => one !== null).sort((a, b) => b - a), first = new Map();
  falling.forEach((one, at) => { if (!first.has(one)) first.set(one, at + 1); });
  return settled.map((one) => one === null ? null : first.get(one));
}

const shown = (value) => value === null || value === undefined ? "–" : Math.abs(value) < 100 ? value.toFixed(4) : Number.isInteger(value) ? String(value) : value.toFixed(1);
/** Marks a value that contains predicted scores. */
const partly = (m) => tasks.some((_, t) => !state.off.has(t) && content.filled[t]?.[m]) ? "~" : "";
const whole = (value) => value === null || value === undefined ? "–" : String(value);

/** A rank, or where missing scores leave it open the ranks that they allow. */
const rankOrRange = (one, m) => one.rank[m] === null && one.best ? `${one.best[m]}–${one.worst[m]}` : whole(one.rank[m]);

/** Where a rank lies on the axis, in percent. */
const along = (rank) => models.length > 1 ? 100 * (rank - 1) / (models.length - 1) : 0;

function ranksDrawn(one, m) {
  if (!one.low) return document.createTextNode("–");
  const holder = element("div", { class: "ranks", role: "img", "aria-label": rankWords(one, m), title: rankWords(one, m) });
  const bar = (kind, low, high) => {
    const span = element("span", { class: kind });
    span.style.left = `${along(low)}%`;
    span.style.width = `max(3px, ${along(high) - along(low)}%)`;
    holder.append(span);
  };
  bar("set", one.low[m], one.high[m]);
  if (one.best[m] !== one.worst[m]) bar("holes", one.best[m], one.worst[m]);
  if (one.rank[m] !== null) {
    const dot = element("span", { class: "at" });
    dot.style.left = `${along(one.rank[m])}%`;
    holder.append(dot);
  }
  return holder;
}

function rankWords(one, m) {
  const holes = one.best[m] !== one.worst[m] ? `; ${content.holesSay} ${one.best[m]} to ${one.worst[m]}` : "";
  return `${one.rank[m] === null ? "rank open" : `rank ${one.rank[m]}`}; rank set ${one.low[m]} to ${one.high[m]}${holes}`;
}

const COLUMNS = [
  { key: "rank", label: "Rank", class: "c-rank number" },
  { key: "name", label: capital(nouns.model), class: "c-name" },
  { key: "ranks", label: "Possible ranks", class: "c-ranks" },
  { key: "value", label: "Value", class: "c-value number" },
  { key: "tasks", label: `${capital(nouns.task)}s`, class: "c-tasks number" },
];

function sorted(one, kept) {
  const middle = (m) => one.rank[m] ?? (one.best ? (one.best[m] + one.worst[m]) / 2 : Infinity);
  const other = aggregates.find((a) => a.name === state.sort);
  const keys = {
    rank: middle, ranks: (m) => one.high ? one.high[m] : middle(m), value: (m) => -(one.value[m] ?? -Infinity),
    tasks: (m) => -content.counts[m], name: () => 0,
  };
  const key = keys[state.sort] ?? ((m) => other.rank[m] ?? Infinity);
  const sign = state.down ? -1 : 1;
  const names = (a, b) => collator.compare(models[a], models[b]);
  return kept.sort((a, b) => sign * (state.sort === "name" ? names(a, b) : key(a) - key(b) || 0) || middle(a) - middle(b) || a - b);
}

function draw() {
  const one = standing(), others = aggregates.filter((a) => a.name !== state.aggregate);
  const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = models.map((_, m) => m).filter((m) => words.every((word) => models[m].toLowerCase().includes(word)));
  const rows = sorted(one, kept), drawn = state.all ? rows : rows.slice(0, FIRST_ROWS);
  const columns = [...COLUMNS, ...others.map((a) => ({ key: a.name, label: `Rank by ${a.name}`, class: "c-other number" }))];
  columns[3] = { ...columns[3], label: `Value (${one.name})` };
  byId("heads").replaceChildren(...columns.map(headOf));
  byId("rows").replaceChildren(...drawn.map((m) => rowOf(one, others, m)));
  byId("status").textContent = `${drawn.length} of ${kept.length} ${nouns.model}s` + (kept.length < models.length ? ` (${models.length - kept.length} filtered out)` : "");
  byId("more").hidden = drawn.length === rows.length;
  byId("more").textContent = `Show all ${rows.length}`;
  byId("banner").hidden = !state.off.size;
  byId("banner").textContent = `Ranks by ${one.label} over the ${tasks.length - state.off.size} of ${tasks.length} ${nouns.task}s that are switched on. `
    + `Rank sets and the ranks that missing scores allow were computed for all ${nouns.task}s and are not shown; the columns of other aggregates are also for all ${nouns.task}s.`;
  byId("switched").textContent = `${tasks.length - state.off.size} of ${tasks.length}`;
  [...byId("aggregate").options].forEach((option) => { option.disabled = state.off.size > 0 && !RECOMPUTED.includes(option.value); });
  byId("aggregate").value = state.aggregate;
  remember();
}

function headOf(column) {
  const button = element("button", { type: "button" }, column.label);
  const head = element("th", { scope: "col", class: column.class }, button);
  if (column.key === "ranks") head.append(element("div", { class: "axis", "aria-hidden": "true" }, element("span", {}, "1"), element("span", {}, String(models.length))));
  if (state.sort === column.key) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
  button.addEventListener("click", () => {
    [state.down, state.sort] = [state.sort === column.key && !state.down, column.key];
    draw();
    byId("heads").querySelectorAll("button")[[...byId("heads").children].findIndex((one) => one.hasAttribute("aria-sort"))]?.focus();
  });
  return head;
}

function rowOf(one, others, m) {
  const button = element("button", { type: "button", title: models[m].slice(0, 300), "aria-haspopup": "dialog" }, models[m].slice(0, 300));
  button.addEventListener("click", () => openModel(m));
  const cell = (kind, text) => element("td", { class: kind }, text);
  return element("tr", {}, cell("number", rankOrRange(one, m)), element("th", { scope: "row" }, button), element("td", {}, ranksDrawn(one, m)),
    cell("number", shown(one.value[m]) + partly(m)), cell("number tasks", `${content.counts[m]}`), ...others.map((a) => cell("number other", rankOrRange(a, m))));
}

/** A model's strengths: its tasks, those first on which it leaves most of the others behind. */
function openModel(m) {
  state.model = m;
  const rows = tasks.map((task, t) => {
    const score = scores[t][m], present = scores[t].filter((_, k) => !content.filled[t]?.[k] && scores[t][k] !== null);
    const hole = score === null || content.filled[t]?.[m];
    const below = present.filter((other) => other < score).length, ties = present.filter((other) => other === score).length;
    return { task, t, score, hole, rank: present.filter((other) => other > score).length + 1, of: present.length,
      share: hole || present.length < 2 ? -1 : (below + (ties - 1) / 2) / (present.length - 1) };
  }).sort((a, b) => b.share - a.share || collator.compare(a.task.name, b.task.name));
  const line = aggregates.map((one) => `${one.label}: ${rankWords(one, m)}`).map((words) => element("li", {}, words));
  const heads = [capital(nouns.task), "Score", "Rank on it", `Share of ${nouns.model}s that score less`].map((name, at) =>
    element("th", { scope: "col", class: at === 1 || at === 2 ? "number" : undefined }, name));
  byId("model-body").replaceChildren(
    element("h2", { id: "model-name" }, models[m]), element("ul", { class: "more" }, ...line),
    element("div", { class: "scroller" }, element("table", {}, element("caption", {}, `Scores of this ${nouns.model} by ${nouns.task}, its strongest first`),
      element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows.map((row) => taskRow(row, m))))));
  const dialog = byId("model");
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  remember();
}

function taskRow(row, m) {
  const name = row.task.type ? `${row.task.name} (${row.task.type})` : row.task.name;
  const filled = content.filled[row.t]?.[m];
  const said = filled ? `predicted ${shown(row.score)} [${shown(filled[0])}, ${shown(filled[1])}]` : row.hole ? "missing" : shown(row.score);
  const bar = element("div", { class: "share" }), span = element("span");
  span.style.width = `${100 * Math.max(0, row.share)}%`;
  bar.append(span);
  return element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, said),
    element("td", { class: "number" }, row.hole ? "–" : `${row.rank} of ${row.of}`), element("td", {}, row.hole ? "–" : bar));
}

/** Keep what is in view in the address, so that it can be sent. */
function remember() {
  const parts = new URLSearchParams();
  if (state.aggregate !== aggregates[0].name) parts.set("by", state.aggregate);
  if (state.words) parts.set("find", state.words);
  if (state.sort !== "rank" || state.down) parts.set("sort", (state.down ? "-" : "") + state.sort);
  if (state.off.size) parts.set("off", [...state.off].join("."));
  if (state.model >= 0) parts.set("model", models[state.model]);
  const hash = parts.toString();
  try { history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search); } catch { /* some viewers of files allow no history */ }
}

function recall() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (aggregates.some((one) => one.name === parts.get("by"))) state.aggregate = parts.get("by");
  state.words = parts.get("find") ?? "";
  const sort = parts.get("sort") ?? "rank", known = [...COLUMNS.map((one) => one.key), ...aggregates.map((one) => one.name)];
  if (known.includes(sort.replace(/^-/, ""))) [state.sort, state.down] = [sort.replace(/^-/, ""), sort.startsWith("-")];
  (parts.get("off") ?? "").split(".").filter(Boolean).map(Number).filter((t) => t in tasks).forEach((t) => state.off.add(t));
  if (state.off.size && !RECOMPUTED.includes(state.aggregate)) state.aggregate = fallback();
  return models.indexOf(parts.get("model") ?? "");
}

const fallback = () => RECOMPUTED.find((name) => aggregates.some((one) => one.name === name));

function boxesOf(holder) {
  const types = [...new Set(tasks.map((task) => task.type ?? ""))];
  const boxes = tasks.map((task, t) => {
    const box = element("input", { type: "checkbox" });
    box.checked = !state.off.has(t);
    box.addEventListener("change", () => { box.checked ? state.off.delete(t) : state.off.add(t); switched(); });
    return box;
  });
  const set = (wanted, on) => {
    boxes.forEach((box, t) => { if (wanted(tasks[t])) { box.checked = on; on ? state.off.delete(t) : state.off.add(t); } });
    switched();
  };
  for (const type of types) {
    const here = tasks.map((task, t) => [task, t]).filter(([task]) => (task.type ?? "") === type);
    if (type) {
      const only = element("button", { type: "button" }, "Only these");
      only.addEventListener("click", () => { set(() => true, false); set((task) => task.type === type, true); });
      holder.append(element("h3", {}, `${type} `, only));
    }
    holder.append(...here.map(([task, t]) => element("label", {}, boxes[t], task.name)));
  }
  byId("all").addEventListener("click", () => set(() => true, true));
  byId("none").addEventListener("click", () => set(() => true, false));
}

function switched() {
  if (state.off.size && !RECOMPUTED.includes(state.aggregate)) state.aggregate = fallback();
  draw();
}

function boardCsv() {
  const one = standing(), header = ["rank", "model", one.name, "tasks", "rank_set_low", "rank_set_high", "holes_best", "holes_worst"];
  const rows = sorted(one, models.map((_, m) => m));
  const columns = [one.rank, models, one.value, content.counts, one.low, one.high, one.best, one.worst];
  return csvOf([header, ...rows.map((m) => columns.map((column) => column?.[m] ?? null))]);
}

function themeOf(button) {
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.setAttribute("aria-pressed", theme === "dark");
  };
  button.addEventListener("click", () => show(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  show(document.documentElement.dataset.theme);
}

const asked = recall();
themeOf(byId("theme"));
byId("aggregate").append(...aggregates.map((one) => element("option", { value: one.name }, one.label)));
byId("aggregate").addEventListener("change", (event) => { state.aggregate = event.target.value; draw(); });
byId("find").value = state.words;
byId("find").addEventListener("input", (event) => { state.words = event.target.value; draw(); });
byId("more").addEventListener("click", () => { state.all = true; draw(); });
byId("csv").addEventListener("click", () => save(new Blob([boardCsv()], { type: "text/csv" }), "leaderboard.csv"));
byId("close").addEventListener("click", () => byId("model").close());
byId("model").addEventListener("close", () => { state.model = -1; remember(); });
byId("model").addEventListener("click", (event) => { if (event.target === byId("model")) byId("model").close(); });
const panel = byId("switches");
document.addEventListener("click", (event) => { if (!panel.contains(event.target)) panel.open = false; });
panel.addEventListener("keydown", (event) => { if (event.key === "Escape") { panel.open = false; panel.firstElementChild.focus(); } });
if (fallback()) boxesOf(byId("boxes")); else panel.hidden = true;
draw();
if (asked >= 0) openModel(asked);
for (const [name, table] of Object.entries(content.tables)) {
  const box = element("details", { class: "data" }, element("summary", {}, `Table: ${name}`));
  box.addEventListener("toggle", () => { if (box.open && box.children.length === 1) box.append(tableOf(name, table, "leaderboard", new Set()).root); });
  byId("tables").append(box);
}
window.addEventListener("beforeprint", () => { state.all = true; draw(); });
document.body.dataset.ready = performance.now();  // milliseconds since the page was asked for
