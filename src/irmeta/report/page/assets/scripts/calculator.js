// The calculator: a row for each metric, with what was typed or what is predicted from it.
import { element, short } from "./elements.js";
import { predictOne } from "./regression.js";

function rowOf({ name, highest }) {
  const id = `score-${name}`;
  const limits = {
    type: "number",
    step: "any",
    min: 0,
    max: highest ?? undefined,
  };
  const input = element("input", {
    ...limits,
    inputmode: "decimal",
    id,
    "data-metric": name,
  });
  const output = element("output", { for: id });
  const band = element("span", { class: "band" });
  const dot = element("span", { class: "dot" });
  const track = element(
    "span",
    { class: "track", "aria-hidden": "true" },
    band,
    dot,
  );
  const label = element("label", { for: id }, name);
  const root = element("div", { class: "row" }, label, input, track, output);
  return { name, highest, input, output, band, dot, root };
}

// Show what was reported or predicted in a row.
function draw(row, found, given) {
  row.root.classList.toggle("given", given);
  row.output.textContent = given ? "reported" : inWords(found);
  row.output.dataset.value = JSON.stringify(given ? null : found);
  const [low, high] = [found?.low ?? 0, found?.high ?? 0];
  row.band.style.left = `${low * 100}%`;
  row.band.style.width = `${(high - low) * 100}%`;
  row.dot.style.left = `${(found?.value ?? 0) * 100}%`;
  row.dot.hidden = !found;
}

function inWords(found) {
  if (!found) return "";
  const [value, low, high] = [found.value, found.low, found.high].map((one) =>
    one === undefined ? one : short(one, 3),
  );
  return low === undefined ? value : `${value}  [${low}, ${high}]`;
}

const FAR =
  "These scores are far from those that the model was fitted on: do not trust the predictions.";

// Offer the systems of the page, by collection; return the scores of each in the order of the options.
function offer(systems, choice) {
  const offered = [{}];
  for (const [collection, scores] of Object.entries(systems)) {
    const options = Object.keys(scores)
      .sort()
      .map((name) => {
        offered.push(scores[name]);
        return element("option", { value: offered.length - 1 }, name);
      });
    choice.append(element("optgroup", { label: collection }, ...options));
  }
  return offered;
}

export function calculatorOf(model, root, command) {
  const choice = root.querySelector("#calculator-system");
  const level = root.querySelector("#calculator-level");
  const status = root.querySelector(".status");
  const rows = model.metrics.map(rowOf);

  const offered = offer(model.systems, choice);

  function fill(scores) {
    choice.value = Math.max(0, offered.indexOf(scores)) || "";
    for (const row of rows) row.input.value = scores[row.name] ?? "";
    update();
  }

  // Read what was typed: scores by metric, and the rows that hold none.
  function read() {
    const scores = {};
    const wrong = rows.filter(({ name, highest, input }) => {
      const score = input.valueAsNumber;
      const bad =
        input.validity.badInput || score < 0 || score > (highest ?? Infinity);
      input.setAttribute("aria-invalid", bad);
      if (!bad && !Number.isNaN(score)) scores[name] = score;
      return bad;
    });
    return { scores, wrong };
  }

  function update() {
    const { scores, wrong } = read();
    let outside = false;
    for (const row of rows) {
      const given = row.name in scores;
      const free = !given && !wrong.includes(row);
      const found = free
        ? predictOne(model, scores, row.name, Number(level.value))
        : null;
      outside ||= Boolean(found?.outside);
      const reported = { value: scores[row.name], low: null, high: null };
      draw(row, given ? reported : found, given);
    }
    const typed = Object.entries(scores).map(
      ([name, score]) => `${name}=${score}`,
    );
    status.textContent = said(wrong, typed.length, outside);
    status.classList.toggle("warning", wrong.length > 0 || outside);
    const scoresGiven = typed.join(" ") || "P@10=0.43";
    command.textContent = `irmeta predict apply --given '${scoresGiven}' --level ${level.value}`;
  }

  function said(wrong, typed, outside) {
    if (wrong.length) {
      const names = wrong.map((row) => row.name).join(", ");
      return `${names}: a score lies between 0 and 1; is it a percentage?`;
    }
    if (!typed) return "No score yet.";
    return outside
      ? FAR
      : `${rows.length - typed} metrics predicted from ${typed}.`;
  }

  // what is typed is of no system any more
  const typing = () => {
    choice.value = "";
    update();
  };
  for (const row of rows) row.input.addEventListener("input", typing);
  choice.addEventListener("change", () => fill(offered[Number(choice.value)]));
  level.addEventListener("change", update);
  const on = (name, scores) =>
    root.querySelector(name).addEventListener("click", () => fill(scores));
  on("#calculator-example", { "P@10": 0.43, RR: 0.61 });
  on("#calculator-clear", {});
  root.querySelector(".rows").append(...rows.map((row) => row.root));
  fill(offered[1] ?? { "P@10": 0.43, RR: 0.61 });
}
