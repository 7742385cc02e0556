// Tables come whole in the page; here a reader sorts them by a column, keeps the rows that have some words, and saves them.
import { recalled, remember } from "./address.js";
import { csvOf, hasWords, latexOf, save } from "./elements.js";

const { compare } = new Intl.Collator("en", { numeric: true });

const ascii = (text) => text.replace("−", "-");

// The number that a cell begins with; NaN where it has none.
export function numberIn(text) {
  return Number.parseFloat(ascii(text));
}

const AMOUNT = /^[~≈]?\s*([\d.]+)\s*([kmbgt]?)i?b?$/i;
const UNITS = { k: 1e3, m: 1e6, b: 1e9, g: 1e9, t: 1e12 };

// The amount that a text is, as 0.6B parameters or 512 MB; NaN where it is not one.
export function amountIn(text) {
  const found = text.trim().match(AMOUNT);
  const [, number, unit = ""] = found ?? [];
  const factor = UNITS[unit.toLowerCase()] ?? 1;
  return Number(number) * factor;
}

// Order two texts of a column, what is missing last whichever way.
export function inOrder(one, other, { number, down }) {
  const sign = down ? -1 : 1;
  if (!number) return sign * compare(one, other);
  const a = numberIn(one);
  const b = numberIn(other);
  const missing = Number.isNaN(a) - Number.isNaN(b);
  return missing || sign * (a - b) || 0;
}

// Let a table be sorted, searched and saved; name is that of its files, and of its settings in the address.
export function tableOf(root, name) {
  const table = root.querySelector("table");
  const head = table.tHead.rows[0];
  const heads = [...head.cells];
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const find = root.querySelector("input[type=search]");
  const status = root.querySelector(".status");
  const before = recalled(name);
  const state = {
    by: before.by ?? "",
    down: !before.up,
  };
  find.value = before.find ?? "";

  // a row is found by all its words; one of the leaderboard by its system
  function isFound(row) {
    const part = root.dataset.find;
    const searched = part ? row.querySelector(part) : row;
    return hasWords(searched.textContent, find.value);
  }

  function kept() {
    const found = rows.filter(isFound);
    const at = heads.findIndex((cell) => cell.textContent === state.by);
    if (at < 0) return found;
    const number = heads[at].classList.contains("number");
    const order = { number, down: state.down };
    const text = (row) => row.cells[at].textContent;
    const compared = (a, b) => inOrder(text(a), text(b), order);
    return found.sort(compared);
  }

  function follow() {
    const direction = state.down ? "descending" : "ascending";
    for (const cell of heads) {
      const sorted = cell.textContent === state.by;
      if (sorted) cell.setAttribute("aria-sort", direction);
      else cell.removeAttribute("aria-sort");
    }
    const shown = kept();
    body.replaceChildren(...shown);
    status.textContent = `${shown.length} of ${rows.length} rows`;
    remember(name, {
      by: state.by,
      up: state.down ? "" : "1",
      find: find.value,
    });
  }

  // What is shown, as texts, the names of columns first.
  function shown() {
    const wide = root.classList.contains("wide");
    const isSeen = (cell) => wide || !cell.classList.contains("rest");
    const textOf = (cell) => ascii(cell.textContent.trim());
    const all = [head, ...kept()];
    return all.map((row) => {
      const seen = [...row.cells].filter(isSeen);
      return seen.map(textOf);
    });
  }

  // The same column again turns the order; a column of numbers begins with the largest.
  function sortBy(cell) {
    const again = state.by === cell.textContent;
    const number = cell.classList.contains("number");
    state.down = again ? !state.down : number;
    state.by = cell.textContent;
    follow();
  }

  for (const cell of heads) {
    const button = cell.querySelector("button");
    button.addEventListener("click", () => sortBy(cell));
  }
  find.addEventListener("input", follow);
  const csv = root.querySelector(".csv");
  csv.addEventListener("click", () =>
    save(csvOf(shown()), "text/csv", `${name}.csv`),
  );
  const latex = root.querySelector(".latex");
  latex.addEventListener("click", () =>
    save(latexOf(shown()), "text/x-tex", `${name}.tex`),
  );
  follow();
}
