// What all parts of a page share: elements, figures as papers print them, files to save, light and dark.

// Make an element; an attribute that is undefined is left out.
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

// Make an element of a drawing.
export function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  return filled(made, attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// Half of the tenth decimal, up to which sums of the same scores agree: a half goes away from 0.
const HALF = 5e-11;

// 0.97 as ".97": figures between -1 and 1 as papers print them; none has a sign and only zeros.
export function short(value, digits = 2) {
  if (value === null || value === undefined) return "–";
  const text = (Math.abs(value) + HALF).toFixed(digits);
  const sign = value < 0 && Number(text) > 0 ? "−" : "";
  return sign + (text.startsWith("0.") ? text.slice(1) : text);
}

// "1 to 4", or "4" of one rank.
export function span(low, high) {
  return low === high ? String(low) : `${low} to ${high}`;
}

// Whether a text has all the words that somebody typed.
export function hasWords(text, typed) {
  const words = typed.toLowerCase().split(/\s+/);
  return words.every((word) => text.toLowerCase().includes(word));
}

// Save a text as a file.
export function save(text, type, name) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Rows of texts as CSV; spreadsheets would compute what begins as a formula.
export function csvOf(rows) {
  const quoted = (value) => {
    const text =
      /^'*[=+\-@\t\r]/.test(value) && !isNumber(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(quoted).join(",")}\n`).join("");
}

const isNumber = (text) => text.trim() !== "" && !Number.isNaN(Number(text));

const SPECIAL = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "$<$",
  ">": "$>$",
};

// Rows of texts, the first of names, as a LaTeX table in booktabs style.
export function latexOf([names, ...rows]) {
  const escaped = (text) =>
    text
      .replace(/[\\~^<>&%$#_{}]/g, (char) => SPECIAL[char] ?? `\\${char}`)
      .replace(/^[[*]/, "{}$&");
  const cell = (text) =>
    isNumber(text) ? text.replace("-", "$-$") : escaped(text);
  const kinds = names.map((_, at) =>
    rows.every((row) => isNumber(row[at])) ? "r" : "l",
  );
  const line = (cells) => `${cells.join(" & ")} \\\\`;
  const lines = [
    "% \\usepackage{booktabs}",
    `\\begin{tabular}{${kinds.join("")}}`,
    "\\toprule",
    line(names.map(escaped)),
    "\\midrule",
    ...rows.map((row) => line(row.map(cell))),
    "\\bottomrule",
    "\\end{tabular}",
  ];
  return `${lines.join("\n")}\n`;
}

// Light or dark, as the reader's system has it until the button is pressed.
export function themeOf(button, chosen = undefined, changed = () => {}) {
  const root = document.documentElement;
  const show = (theme) => {
    root.dataset.theme = theme;
    button.setAttribute("aria-pressed", theme === "dark");
  };
  button.addEventListener("click", () => {
    show(root.dataset.theme === "dark" ? "light" : "dark");
    changed(root.dataset.theme);
  });
  show(chosen ?? root.dataset.theme);
}
