// The page of a report: everything is in it already; here its parts begin to answer.
import { recalled, remember } from "./address.js";
import { boardOf } from "./board.js";
import { calculatorOf } from "./calculator.js";
import { themeOf } from "./elements.js";
import { figureOf } from "./figures.js";
import { tableOf } from "./tables.js";

const content = JSON.parse(document.getElementById("content").textContent);
const all = (selector) => [...document.querySelectorAll(selector)];

// Let a list of tabs show one panel at a time; the choice is remembered in the address.
function tabsOf(list) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const key = list.dataset.section;

  function choose(chosen) {
    for (const tab of tabs) {
      const on = tab === chosen;
      tab.setAttribute("aria-selected", on);
      tab.tabIndex = on ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
    }
    remember(key, { tab: chosen === tabs[0] ? "" : chosen.textContent });
  }

  const asked = recalled(key).tab;
  const before = tabs.find((tab) => tab.textContent === asked);
  if (before) choose(before);
  for (const tab of tabs) {
    tab.addEventListener("click", () => choose(tab));
  }
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.indexOf(document.activeElement) + step + tabs.length;
    choose(tabs[at % tabs.length]);
    tabs[at % tabs.length].focus();
  });
}

// Open the section that a link leads to.
function unfold() {
  const section = document.getElementById(location.hash.slice(1));
  const folded = section?.querySelector("details.section");
  if (folded) folded.open = true;
}

for (const figure of all("figure[id]"))
  figureOf(figure, content.marks[figure.id]);
for (const table of all(".table")) tableOf(table, table.dataset.name);
for (const [key, board] of Object.entries(content.boards)) {
  boardOf(document.querySelector(`#${key} .board`), board, key);
}
all("[role=tablist]").forEach(tabsOf);
themeOf(document.getElementById("theme"), recalled("page").theme, (theme) => {
  remember("page", { theme });
});
const command = document.getElementById("calculator-command");
calculatorOf(
  content.calculator,
  document.getElementById("calculation"),
  command,
);
window.addEventListener("hashchange", unfold);
unfold();
// the link of the section that is in the middle of the window is marked
const links = new Map(
  all(".top nav a").map((link) => [link.hash.slice(1), link]),
);
const middle = new IntersectionObserver(
  (entries) => {
    const seen = entries.find((entry) => entry.isIntersecting);
    if (!seen) return;
    for (const link of links.values()) link.removeAttribute("aria-current");
    links.get(seen.target.id)?.setAttribute("aria-current", "true");
  },
  { rootMargin: "-30% 0px -65%" },
);
all("main > section").forEach((section) => middle.observe(section));
// milliseconds since the page was asked for
document.body.dataset.ready = performance.now();
