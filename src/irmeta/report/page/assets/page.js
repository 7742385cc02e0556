// The page itself: tabs, metric switches, theme; panels are filled one after the other, hidden ones when their tab is chosen.
const content = JSON.parse(document.getElementById("content").textContent);
// `hidden`: metrics that are switched off. `redraw`: functions to call when they, the theme or the width change.
const hidden = new Set(), redraw = new Set();

/** A chart with its title, readout and buttons. Charts compute positions; what a mark says stands in its data-say. */
function chartOf(chart, file) {
  const holder = element("div", { class: "canvas" }), readout = element("p", { class: "readout", role: "status" });
  const label = element("span"), select = element("select"), chooser = element("label", { class: "chooser" }, label, select);
  const download = element("button", { type: "button", "aria-label": `Save the figure ${chart.title} as SVG` }, "SVG");
  // width drawn for; what is chosen where a chart shows one of several; what the chart made; the mark that is read out
  const state = { width: 0, choice: undefined, drawn: null, at: -1, marked: null };

  /** Draw anew for the width there is; nothing is drawn while the tab is hidden, and has no width. */
  function draw() {
    state.width = holder.clientWidth;
    if (!state.width) return;
    state.drawn = CHARTS[chart.kind]({ data: chart.data, width: state.width, alt: chart.alt, choice: state.choice, hidden });
    [state.at, state.marked] = [-1, null];
    holder.replaceChildren(state.drawn.svg);
    chooser.hidden = !state.drawn.choices;
    if (state.drawn.choices) {
      label.textContent = `${state.drawn.choose} `;
      select.replaceChildren(...state.drawn.choices.map((name) => element("option", {}, name)));
      select.value = state.drawn.choice;
    }
    readout.textContent = "";
  }

  /** Read a mark out, and light it up; null for none. */
  function say(mark) {
    state.marked?.classList.remove("on");
    state.marked = mark;
    mark?.classList.add("on");
    if (mark) readout.textContent = mark.dataset.say;
    state.drawn.svg.dispatchEvent(new CustomEvent("say", { detail: mark }));
  }

  // a matrix is one image, which finds its cell by position (`point`, `move`); other charts have an element for each mark
  const at = (event) => {
    if (state.drawn.point) readout.textContent = state.drawn.point(event) ?? readout.textContent;
    else say(event.target.closest("[data-say]"));
  };
  for (const kind of ["pointermove", "pointerdown"]) holder.addEventListener(kind, at);  // a finger taps, it does not move
  holder.addEventListener("pointerleave", (event) => { if (!state.drawn.point && event.pointerType !== "touch") say(null); });
  holder.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];  // rows, columns
    if (!step || event.target !== state.drawn.svg) return;
    event.preventDefault();
    if (state.drawn.move) { readout.textContent = state.drawn.move(...step); return; }
    const marks = state.drawn.svg.querySelectorAll("[data-say]"), columns = +(state.drawn.svg.dataset.columns ?? 1);
    const next = state.at < 0 ? 0 : state.at + step[0] * columns + step[1];
    if (next >= 0 && next < marks.length) { state.at = next; say(marks[next]); }
  });
  select.addEventListener("change", () => { state.choice = select.value; draw(); });
  download.addEventListener("click", () => saveSvg(state.drawn.svg, file));
  new ResizeObserver(() => { if (holder.clientWidth !== state.width) draw(); }).observe(holder);
  redraw.add(draw);
  const title = element("figcaption", {}, element("span", { class: "title" }, chart.title), chooser, download);
  return element("figure", { class: `chart ${chart.kind}` }, title, holder, readout);
}

/** Draw a panel's charts and tables, once. */
function fill(panel) {
  if (panel.dataset.filled) return;
  panel.dataset.filled = "yes";
  const { charts, tables, board } = content.sections[panel.dataset.section][+panel.dataset.panel];
  if (board) {
    const made = boardOf(board, panel.id, hidden);
    redraw.add(made.follow);
    panel.querySelector(".charts").append(made.root);
  }
  panel.querySelector(".charts").append(...charts.map((chart, at) => chartOf(chart, `${panel.id}-${at + 1}`)));
  const made = Object.entries(tables).map(([name, table]) => [name, tableOf(name, table, panel.id, hidden)]);
  made.forEach(([, table]) => redraw.add(table.follow));
  panel.querySelector(".tables").append(...made.map(([name, table], at) => {
    const box = element("details", { class: "data" }, element("summary", {}, `Table: ${name.replaceAll("_", " ")}`), table.root);
    box.open = at === 0;
    return box;
  }));
}

/** Let a list of tabs show one panel at a time; the choice is remembered in the address. */
function tabsOf(list) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const section = list.parentElement.id;
  const choose = (chosen) => {
    tabs.forEach((tab) => {
      const on = tab === chosen, panel = document.getElementById(tab.getAttribute("aria-controls"));
      tab.setAttribute("aria-selected", on);
      tab.tabIndex = on ? 0 : -1;
      panel.hidden = !on;
      if (on) fill(panel);
    });
    remember(section, { tab: chosen === tabs[0] ? "" : chosen.textContent });
  };
  const before = tabs.find((tab) => tab.textContent === recalled(section).tab);
  if (before) choose(before);
  list.addEventListener("click", (event) => { const tab = event.target.closest("[role=tab]"); if (tab) choose(tab); });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
}

/** A box for each metric: charts and tables leave out those that are switched off. */
function switchesOf(boxes, counter) {
  const off = new Set((recalled("metrics").off ?? "").split("\n"));
  const made = content.metrics.map((name) => {
    const box = element("input", { type: "checkbox", value: name });
    box.checked = !off.has(name);
    return [box, element("label", {}, box, name)];
  });
  const apply = () => {
    hidden.clear();
    made.forEach(([box]) => { if (!box.checked) hidden.add(box.value); });
    counter.textContent = `${content.metrics.length - hidden.size} of ${content.metrics.length}`;
    remember("metrics", { off: [...hidden].join("\n") });
    // notes that figures of all metrics stand beside what is shown of some
    document.querySelectorAll(".partial").forEach((line) => { line.hidden = hidden.size === 0; });
    redraw.forEach((draw) => draw());
  };
  boxes.append(...made.map(([, label]) => label));
  boxes.addEventListener("change", apply);
  document.querySelectorAll("[data-switch]").forEach((button) => button.addEventListener("click", () => {
    made.forEach(([box]) => { box.checked = button.dataset.switch === "all"; });
    apply();
  }));
  const panel = document.getElementById("switches");
  document.addEventListener("click", (event) => { if (!panel.contains(event.target)) panel.open = false; });
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") { panel.open = false; panel.firstElementChild.focus(); } });
  apply();
}

/** Light or dark, as the system has it until the button is pressed. */
function themeOf(button) {
  const root = document.documentElement;
  const show = (theme) => {
    root.dataset.theme = theme;
    button.setAttribute("aria-pressed", theme === "dark");
    redraw.forEach((draw) => draw());
  };
  button.addEventListener("click", () => {
    show(root.dataset.theme === "dark" ? "light" : "dark");
    remember("page", { theme: root.dataset.theme });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => show(event.matches ? "dark" : "light"));
  show(recalled("page").theme ?? root.dataset.theme);
}

switchesOf(document.getElementById("boxes"), document.getElementById("switched"));
themeOf(document.getElementById("theme"));
document.querySelectorAll("[role=tablist]").forEach(tabsOf);
calculatorOf(content.calculator, document.getElementById("calculation"), document.getElementById("calculator-command"));
// the link of the section that is in the middle of the window is marked
const links = new Map([...document.querySelectorAll(".top nav a")].map((link) => [link.hash.slice(1), link]));
const here = new IntersectionObserver((entries) => entries.forEach((entry) => {
  if (entry.isIntersecting) links.forEach((link, key) => key === entry.target.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
}), { rootMargin: "-30% 0px -65%" });
links.forEach((_, key) => here.observe(document.getElementById(key)));
// panels in view are filled one at a time, so that the page answers meanwhile
const waiting = [...document.querySelectorAll(".panel:not([hidden])")];
const next = () => {
  const panel = waiting.shift();
  if (panel) fill(panel);
  if (waiting.length) setTimeout(next);
  else document.body.dataset.ready = performance.now();  // milliseconds since the page was asked for
};
next();
