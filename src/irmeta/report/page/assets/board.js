// The leaderboard: systems by metrics, sorted, searched, marked; one system or two topic by topic.
const NARROW = 6;  // metrics that are shown at first

/** Scores of a metric, packed as 16 bits each: a function of system and topic. */
function unpacked({ low, step, codes }, topics) {
  const bytes = Uint8Array.from(atob(codes), (char) => char.charCodeAt(0)), view = new DataView(bytes.buffer);
  return (system, topic) => low + step * view.getUint16(2 * (system * topics + topic), true);
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Bars of differences by topic, most gained first. */
CHARTS.differences = ({ data, width, alt }) => {
  const em = unit(), left = 44 * em, top = 8 * em, bottom = 34 * em, height = 260 * em;
  const order = data.values.map((_, i) => i).sort((a, b) => data.values[b] - data.values[a]);
  const y = linear(Math.min(0, ...data.values), Math.max(0, ...data.values), height - bottom, top);
  const x = linear(0, order.length, left, width - 4 * em), wide = x(1) - x(0);
  const marks = order.map((topic, at) => node("g", { class: "mark bar", "data-say": data.says[topic] },
    node("rect", { class: "hit", x: x(at), y: top, width: wide, height: height - bottom - top }),
    node("rect", { x: x(at) + wide * 0.1, y: Math.min(y(0), y(data.values[topic])), width: wide * 0.8, height: Math.abs(y(0) - y(data.values[topic])) })));
  return { svg: canvas(width, height, alt, ...horizontalGrid(y, left, width, em), ...marks,
    node("line", { class: "rule", x1: left, x2: width, y1: y(0), y2: y(0) }),
    text((left + width) / 2, height - 6 * em, data.label, { "text-anchor": "middle", class: "label" })) };
};

function boardOf(board, file, hidden) {
  const state = { by: board.by, down: true, words: "", wide: false, chosen: [] };
  const { systems, topics } = board, marked = new Set(board.marked);
  const search = element("input", { type: "search", placeholder: "Find systems", "aria-label": "Find systems" });
  const status = element("p", { class: "status", role: "status" }), wide = element("button", { type: "button", "aria-pressed": "false" });
  const csvButton = element("button", { type: "button" }, "CSV"), latexButton = element("button", { type: "button" }, "LaTeX");
  const table = element("table"), detail = element("div", { class: "versus", "aria-live": "polite" });
  const metrics = () => {
    const on = Object.keys(board.metrics).filter((name) => !hidden.has(name));
    const first = [board.by, ...on.filter((name) => name !== board.by)].filter((name) => on.includes(name));
    return state.wide ? first : [...new Set([...first.slice(0, NARROW), ...(on.includes(state.by) ? [state.by] : [])])];
  };

  function rows() {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean), sign = state.down ? 1 : -1;
    const kept = systems.map((_, i) => i).filter((i) => words.every((word) => systems[i].toLowerCase().includes(word)));
    if (state.by === null) return kept.sort((a, b) => sign * systems[a].localeCompare(systems[b], "en", { numeric: true }));
    const { mean } = board.metrics[state.by];
    return kept.sort((a, b) => sign * (mean[b] - mean[a]) || a - b);
  }

  function head(name, sorts, kind) {
    const button = element("button", { type: "button" }, name);
    const cell = element("th", { scope: "col", class: kind, "aria-sort": state.by === sorts ? (state.down ? "descending" : "ascending") : undefined }, button);
    button.addEventListener("click", () => {
      [state.down, state.by] = [state.by === sorts ? !state.down : true, sorts];
      follow();
      table.querySelector("[aria-sort] button").focus();
    });
    return cell;
  }

  /** What is shown as rows of texts, for files: what is saved is what is shown. */
  function shown() {
    const by = board.metrics[state.by ?? board.by], named = metrics();
    const spans = (i) => (by.rank_low[i] === by.rank_high[i] ? `${by.rank_low[i]}` : `${by.rank_low[i]} to ${by.rank_high[i]}`);
    return { named, lines: rows().map((i) => ({ i, rank: by.rank[i], span: spans(i), letters: board.letters[i] })) };
  }

  function follow() {
    const { named, lines } = shown(), by = state.by ?? board.by;
    const top = Object.fromEntries(named.map((name) => [name, Math.max(...lines.map(({ i }) => board.metrics[name].mean[i]))]));
    const heads = [element("th", { scope: "col", class: "number", title: `by ${by}` }, "Rank"), head("System", null), element("th", { scope: "col", title: `by ${by}` }, "Possible ranks"),
      element("th", { scope: "col", title: `the best systems by ${board.by}` }, "Letters"), ...named.map((name) => head(name, name, "number"))];
    const body = lines.map(({ i, rank, span, letters }) => {
      const pick = element("button", { type: "button", class: "pick", "aria-pressed": state.chosen.includes(i) }, systems[i]);
      pick.addEventListener("click", () => choose(i));
      return element("tr", { class: [marked.has(systems[i]) ? "marked" : "", state.chosen.includes(i) ? "chosen" : ""].join(" ").trim() || undefined },
        element("td", { class: "number" }, rank), element("th", { scope: "row" }, pick), element("td", {}, span), element("td", {}, letters || "–"),
        ...named.map((name) => element("td", { class: board.metrics[name].mean[i] === top[name] ? "number best" : "number" }, short(board.metrics[name].mean[i], 3))));
    });
    table.replaceChildren(element("caption", {}, `Systems by ${by}`), element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...body));
    const all = Object.keys(board.metrics).length - hidden.size;
    status.textContent = `${lines.length} of ${systems.length} systems, ${named.length} of ${Object.keys(board.metrics).length} metrics; ranks by ${by}`;
    wide.textContent = state.wide ? "Fewer metrics" : `All ${all} metrics`;
    wide.hidden = all <= NARROW;
    compare();
    remember(file, { by: state.by === board.by ? "" : state.by ?? "System", up: state.down ? "" : "1", find: state.words, wide: state.wide ? "1" : "", systems: state.chosen.map((i) => systems[i]).join("\n") });
  }

  function choose(i) {
    state.chosen = state.chosen.includes(i) ? state.chosen.filter((one) => one !== i) : [...state.chosen.slice(-1), i];
    follow();
    [...table.querySelectorAll(".pick")].find((one) => one.textContent === systems[i])?.focus();
  }

  /** One system beside the median of the others, or two beside each other, topic by topic. */
  function compare() {
    const metric = board.scores[state.by ?? board.by] ? state.by ?? board.by : board.by, [one, other] = state.chosen;
    if (one === undefined) { detail.replaceChildren(element("p", { class: "readout" }, "Choose a system to see its topics, and another to see their difference.")); return; }
    const score = unpacked(board.scores[metric], topics.length);
    const rest = systems.map((_, i) => i).filter((i) => i !== one);
    const against = topics.map((_, t) => (other === undefined ? median(rest.map((i) => score(i, t))) : score(other, t)));
    const own = topics.map((_, t) => score(one, t)), values = own.map((value, t) => (Math.abs(value - against[t]) < 1e-4 ? 0 : value - against[t]));
    const name = other === undefined ? "the median of the others" : systems[other], count = (test) => values.filter(test).length;
    const says = topics.map((topic, t) => `Topic ${topic}: ${systems[one]} ${short(own[t], 3)}, ${name} ${short(against[t], 3)}, difference ${short(values[t], 3)}`);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const sentence = `By ${metric}, ${systems[one]} scores ${short(Math.abs(mean), 3)} ${mean < 0 ? "less" : "more"} than ${name} on average: ` +
      `better on ${count((v) => v > 0)} topics, equal on ${count((v) => v === 0)}, worse on ${count((v) => v < 0)}.`;
    const quoted = (text) => (/^[\w.@%+:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
    const command = `${board.command} --system ${quoted(systems[one])} --against ${other === undefined ? "median" : quoted(systems[other])} -m ${quoted(metric)}`;
    const title = `${systems[one]} less ${name} by ${metric}, topic by topic`;
    detail.replaceChildren(element("p", { class: "said" }, sentence),
      element("p", { class: "reading" }, "To test the difference and get its interval: ", element("code", {}, command)),
      chartOf({ kind: "differences", title, alt: title, data: { values, says, label: "topics, from most gained to most lost" } }, `${file}-difference`));
  }

  search.addEventListener("input", () => { state.words = search.value; follow(); });
  wide.addEventListener("click", () => { state.wide = !state.wide; wide.setAttribute("aria-pressed", state.wide); follow(); });
  const cells = ({ named, lines }) => [["rank", "system", "possible ranks", "letters", ...named],
    ...lines.map(({ i, rank, span, letters }) => [rank, systems[i], span, letters, ...named.map((name) => board.metrics[name].mean[i])])];
  csvButton.addEventListener("click", () => save(new Blob([csvOf(cells(shown()))], { type: "text/csv" }), `${file}.csv`));
  latexButton.addEventListener("click", () => save(new Blob([latexOf(cells(shown()).map((row) => [...row.slice(1, 2), ...row.slice(4), row[2], row[3]]))], { type: "text/x-tex" }), `${file}.tex`));

  const before = recalled(file);
  if (before.by) state.by = before.by === "System" ? null : (before.by in board.metrics ? before.by : board.by);
  [state.down, state.wide, search.value] = [!before.up, !!before.wide, before.find ?? ""];
  state.words = search.value;
  state.chosen = (before.systems ?? "").split("\n").map((name) => systems.indexOf(name)).filter((i) => i >= 0);
  if (!before.systems && marked.size) state.chosen = [systems.indexOf([...marked][0])];
  follow();
  const scroller = element("div", { class: "scroller tall", tabindex: "0", role: "region", "aria-label": "Leaderboard" }, table);
  return { follow, root: element("div", { class: "board" }, element("div", { class: "controls" }, search, status, wide, csvButton, latexButton), scroller, detail) };
}
