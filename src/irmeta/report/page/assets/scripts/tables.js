// Tables come whole in the page; here a reader sorts them by a column, keeps the rows that have some words, and saves them.
import { recalled, remember } from "./address.js";
import { csvOf, hasWords, latexOf, save } from "./elements.js";

const { compare } = new Intl.Collator("en", { numeric: true });

// The number that a cell begins with; NaN where it has none.
export function numberIn(text) {
  return Number.parseFloat(text.replace("−", "-"));
}

// Order two texts of a column, what is missing last whichever way.
export function inOrder(one, other, { number, down }) {
  const sign = down ? -1 : 1;
  if (!number) return sign * compare(one, other);
  const [a, b] = [numberIn(one), numberIn(other)];
  if (Number.isNaN(a) || Number.isNaN(b))
    return Number.isNaN(a) - Number.isNaN(b);
  return sign * (a - b);
}

// Let a table be sorted, searched and saved; name is that of its files, and of its settings in the address.
export function tableOf(root, name) {
  const table = root.querySelector("table");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows];
  const find = root.querySelector("input[type=search]");
  const before = recalled(name);
  const state = { by: before.by ?? "", down: !before.up };
  // a row is found by all its words; one of the leaderboard by its system
  const part = root.dataset.find;
  const searched = (row) => (part ? row.querySelector(part) : row).textContent;
  find.value = before.find ?? "";

  function kept() {
    const at = heads.findIndex((head) => head.textContent === state.by);
    const words = find.value;
    const found = rows.filter((row) => hasWords(searched(row), words));
    if (at < 0) return found;
    const order = {
      number: heads[at].classList.contains("number"),
      down: state.down,
    };
    const text = (row) => row.cells[at].textContent;
    const compared = (a, b) => inOrder(text(a), text(b), order);
    return found.sort(compared);
  }

  function follow() {
    for (const head of heads) {
      head.removeAttribute("aria-sort");
      if (head.textContent !== state.by) continue;
      head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    }
    const shown = kept();
    body.replaceChildren(...shown);
    root.querySelector(".status").textContent =
      `${shown.length} of ${rows.length} rows`;
    remember(name, {
      by: state.by,
      up: state.down ? "" : "1",
      find: find.value,
    });
  }

  // What is shown, as texts, the names of columns first.
  function shown() {
    const wide = root.classList.contains("wide");
    const seen = (cell) => wide || !cell.classList.contains("rest");
    const texts = (row) =>
      [...row.cells].filter(seen).map((cell) => cell.textContent.trim());
    const head = table.tHead.rows[0];
    const all = [head, ...kept()].map(texts);
    return all.map(plain);
  }

  for (const head of heads) {
    head.querySelector("button").addEventListener("click", () => {
      const again = state.by === head.textContent;
      state.down = again ? !state.down : head.classList.contains("number");
      state.by = head.textContent;
      follow();
    });
  }
  find.addEventListener("input", follow);
  const on = (kind, saved) =>
    root.querySelector(kind).addEventListener("click", saved);
  on(".csv", () => save(csvOf(shown()), "text/csv", `${name}.csv`));
  on(".latex", () => save(latexOf(shown()), "text/x-tex", `${name}.tex`));
  follow();
}

const ascii = (text) => text.replace("−", "-");
const plain = (texts) => texts.map(ascii);
