// Tables that sort by any column, filter by text, follow the metric switches, and can be saved.
const METRIC_COLUMNS = new Set(["metric", "metric_a", "metric_b", "predictor", "target"]);
const STEP = 100, FIRST = 12;

function number(value) {
  if (value === null) return "–";
  if (Number.isInteger(value)) return String(value);
  return (Math.abs(value) >= 1e-4 || value === 0 ? value.toFixed(4) : value.toExponential(2)).replace("-", "−");
}

function shownAs(value, column) {
  if (column.number) return number(value);
  return value === null ? "–" : String(value);
}

/** A table with its controls; `follow` is called again when metrics are switched. */
function tableOf(name, table, file, hidden) {
  const state = { column: null, down: true, words: "", rows: FIRST };
  const size = table.data[0]?.length ?? 0;
  const body = element("tbody"), status = element("p", { class: "status", role: "status" });
  const more = element("button", { type: "button" }, "Show more");
  const heads = table.columns.map((column, at) => {
    const button = element("button", { type: "button" }, column.name.replaceAll("_", " "));
    const head = element("th", { scope: "col", class: column.number ? "number" : undefined }, button);
    button.addEventListener("click", () => {
      [state.down, state.column] = [state.column === at ? !state.down : column.number, at];
      heads.forEach((one, i) => i === at ? one.setAttribute("aria-sort", state.down ? "descending" : "ascending") : one.removeAttribute("aria-sort"));
      follow();
    });
    return head;
  });
  const metricColumns = table.columns.flatMap((column, at) => (METRIC_COLUMNS.has(column.name) ? [at] : []));

  function rows() {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = [];
    for (let row = 0; row < size; row++) {
      if (metricColumns.some((at) => hidden.has(table.data[at][row]))) continue;
      const line = table.data.map((column) => String(column[row] ?? "").toLowerCase()).join(" ");
      if (words.every((word) => line.includes(word))) kept.push(row);
    }
    if (state.column !== null) {
      const values = table.data[state.column], sign = state.down ? -1 : 1;
      const compare = new Intl.Collator("en", { numeric: true }).compare;
      kept.sort((a, b) => (values[a] === null) - (values[b] === null) ||
        sign * (table.columns[state.column].number ? values[a] - values[b] : compare(values[a], values[b])) || a - b);
    }
    return kept;
  }

  function follow() {
    const kept = rows(), drawn = kept.slice(0, state.rows);
    body.replaceChildren(...drawn.map((row) => element("tr", {}, ...table.columns.map((column, at) => {
      const first = at === 0 ? { scope: "row" } : {};
      return element(at === 0 ? "th" : "td", { ...first, class: column.number ? "number" : undefined }, shownAs(table.data[at][row], column));
    }))));
    status.textContent = `${drawn.length} of ${kept.length} rows` + (kept.length < size ? ` (${size - kept.length} filtered out)` : "");
    more.hidden = drawn.length === kept.length;
  }

  const filter = element("input", { type: "search", placeholder: "Filter rows", "aria-label": `Filter the rows of table ${name}` });
  filter.addEventListener("input", () => { state.words = filter.value; follow(); });
  more.addEventListener("click", () => { state.rows += STEP; follow(); });
  const download = element("button", { type: "button" }, "CSV");
  download.setAttribute("aria-label", `Save table ${name} as CSV`);
  download.addEventListener("click", () => save(new Blob([csv(table)], { type: "text/csv" }), `${file}-${name}.csv`));
  const caption = element("caption", {}, `Table: ${name.replaceAll("_", " ")}`);
  const drawn = element("table", {}, caption, element("thead", {}, element("tr", {}, ...heads)), body);
  const scroller = element("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": `Table ${name}` }, drawn);
  follow();
  return { follow, root: element("div", { class: "table" }, element("div", { class: "controls" }, filter, status, download), scroller, more) };
}

function csv(table) {
  const quoted = (value, number) => {
    let text = value === null ? "" : String(value);
    if (!number && /^'*[=+\-@\t\r]/.test(text)) text = `'${text}`;  // spreadsheets would compute it
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [table.columns.map((column) => quoted(column.name, false))];
  for (let row = 0; row < (table.data[0]?.length ?? 0); row++) lines.push(table.data.map((column, at) => quoted(column[row], table.columns[at].number)));
  return lines.map((line) => line.join(",")).join("\n") + "\n";
}
