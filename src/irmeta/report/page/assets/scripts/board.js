// The leaderboard of a report: a table like others, in which one system or two are chosen and shown topic by topic.
import { recalled, remember } from "./address.js";
import { element, shape, short } from "./elements.js";
import { figureOf } from "./figures.js";
import { mean } from "./numbers.js";
import { median, paired } from "./paired.js";

const WIDE = 720;
const TALL = 220;
const MARGIN = 10;

// Scores of a metric, packed as 32 bits each: a function of system and topic.
function unpacked({ low, step, codes }, topics) {
  const bytes = Uint8Array.from(atob(codes), (char) => char.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return (system, topic) => {
    const place = 4 * (system * topics + topic);
    const code = view.getUint32(place, true);
    return low + step * code;
  };
}

// Bars of differences, the largest first, with a line at their mean.
function bars(values, names, title) {
  const order = [...values.keys()];
  order.sort((a, b) => values[b] - values[a]);
  const most = Math.max(0, ...values);
  const least = Math.min(0, ...values);
  const span = most - least || 1;
  const inner = TALL - 2 * MARGIN;
  const y = (value) => ((most - value) / span) * inner + MARGIN;
  const wide = WIDE / values.length;
  const rects = order.map((topic, at) => {
    const value = values[topic];
    const ends = [y(0), y(value)];
    return shape("rect", {
      class: value < 0 ? "loss" : "gain",
      x: (at + 0.1) * wide,
      y: Math.min(...ends),
      width: 0.8 * wide,
      height: Math.abs(ends[1] - ends[0]),
    });
  });
  function line(value, kind) {
    const height = y(value);
    const ends = { x1: 0, x2: WIDE, y1: height, y2: height };
    return shape("line", { class: kind, ...ends });
  }
  const frame = {
    viewBox: `0 0 ${WIDE} ${TALL}`,
    role: "img",
    "aria-label": title,
    tabindex: "0",
  };
  const marks = {
    x: order.map((_, at) => (at + 0.5) * wide),
    y: order.map((topic) => y(values[topic])),
    names: order.map((topic) => names[topic]),
    words: order.map((topic) => `difference ${short(values[topic], 3)}`),
    nearest: "x",
  };
  const lines = [line(0, "rule"), line(mean(values), "mean")];
  return { svg: shape("svg", frame, ...rects, ...lines), marks };
}

// The smallest and the largest value.
function reach(values) {
  const ends = [Math.min(...values), Math.max(...values)];
  return ends.map((end) => short(end, 3)).join(" to ");
}

// A word of a shell's command.
function quoted(text) {
  if (/^[\w.@%+:/-]+$/.test(text)) return text;
  const inside = text.replaceAll("'", "'\\''");
  return `'${inside}'`;
}

// The command that tests the difference; by: the metric.
function commandOf(board, chosen, by) {
  const [one, other] = chosen;
  const against = other === undefined ? "median" : quoted(other);
  const options = `--system ${quoted(one)} --against ${against}`;
  return `${board.command} ${options} -m ${quoted(by)}`;
}

// Topics of estimated scores are what each adds to the mean: nothing is said of them.
function asking({ estimated }) {
  return estimated
    ? "Choose a system, and another to compare them."
    : "Choose a system to see its topics, another to compare them.";
}

// What a click does next, where one system is chosen.
function next([one, other]) {
  const text = `${one} is selected: choose another to compare them.`;
  return other === undefined ? [element("p", {}, text)] : [];
}

// Of two systems that differ by themselves and share a letter: what the tests of all pairs say.
function among(letters, chosen) {
  const [one, other] = chosen.map((name) => letters[name] ?? "");
  const same = [...one].find((letter) => other?.includes(letter));
  return same
    ? `; not significant among all pairs: both have letter ${same}`
    : "";
}

function wins({ better, worse }, topics) {
  const ties = topics - better - worse;
  const equal = ties ? `, equal on ${ties}` : "";
  return `: better on ${better} topics${equal}, worse on ${worse}`;
}

// How two chosen systems differ, or one from the median of the others.
function sentence(board, chosen, name, found) {
  const { by, mean: middle, low, high, p } = found;
  const sign = middle < 0 ? "less" : "more";
  const chance = p < 0.0001 ? "p < .0001" : `p = ${short(p, 4)}`;
  const interval = [low, high].map((end) => short(end, 3)).join(" to ");
  const sure = by === board.by && p < 0.05;
  const all = sure ? among(board.letters, chosen) : "";
  const clear = p < 0.05 ? "" : ", no significant difference";
  const size = short(Math.abs(middle), 3);
  return (
    `By ${by}, ${chosen[0]} scores ${size} ${sign} than ${name}${clear} ` +
    `(95% interval ${interval}; ${chance}, paired t test of these two alone${all})` +
    `${board.estimated ? "" : wins(found, board.topics.length)}.`
  );
}

export function boardOf(root, board, key) {
  const { systems, topics, scores } = board;
  const detail = root.querySelector(".versus");
  const wide = root.querySelector(".widen");
  const picks = [...root.querySelectorAll(".pick")];
  const kept = `${key}-chosen`;
  const before = recalled(kept).systems?.split("\n");
  const named = before ?? board.marked.slice(0, 2);
  let chosen = named.filter((name) => systems.includes(name));

  // The metric that the table is sorted by, if its scores are here.
  function metric() {
    const by = root.querySelector("[aria-sort] button")?.dataset.metric;
    return by in scores ? by : board.by;
  }

  function follow() {
    for (const pick of picks) {
      const pressed = chosen.includes(pick.textContent);
      pick.setAttribute("aria-pressed", pressed);
    }
    remember(kept, { systems: chosen.join("\n") });
    const shown = chosen.length ? compared() : [asking(board)];
    detail.replaceChildren(...shown);
  }

  // By topic, the score of the chosen system less the other's, or less the median of all others.
  function differences(by) {
    const score = unpacked(scores[by], topics.length);
    const [one, other] = chosen.map((name) => systems.indexOf(name));
    const all = [...systems.keys()];
    const rest = all.filter((at) => at !== one);
    const against = other === undefined ? rest : [other];
    return topics.map((_, topic) => {
      const theirs = against.map((at) => score(at, topic));
      const value = score(one, topic) - median(theirs);
      // what differs by the rounding of packed scores is equal
      return Math.abs(value) < 2 * scores[by].step ? 0 : value;
    });
  }

  function compared() {
    const by = metric();
    const values = differences(by);
    const name = chosen[1] ?? "the median of the others";
    const title = `${chosen[0]} less ${name} by ${by}, topic by topic (${reach(values)})`;
    const right = board.right_or_wrong.includes(by);
    const found = { by, ...paired(values, board.t, right) };
    const command = element("code", {}, commandOf(board, chosen, by));
    return [
      element("p", { class: "said" }, sentence(board, chosen, name, found)),
      ...next(chosen),
      element("p", {}, command),
      ...(board.estimated ? [] : [chart(values, title)]),
    ];
  }

  function chart(values, title) {
    const { svg, marks } = bars(values, topics, title);
    const readout = { class: "readout", role: "status" };
    const figure = element(
      "figure",
      { class: "chart" },
      element("figcaption", {}, title),
      element("div", { class: "canvas" }, svg),
      element("p", readout, "Point at a bar for its topic."),
    );
    figureOf(figure, [marks]);
    return figure;
  }

  // A system that was chosen is so no longer; of two chosen before, the first gives way.
  function choose(name) {
    const others = chosen.filter((one) => one !== name);
    const again = others.length < chosen.length;
    chosen = again ? others : [...chosen.slice(-1), name];
    follow();
  }

  for (const pick of picks) {
    pick.addEventListener("click", () => choose(pick.textContent));
  }
  root.querySelector("thead").addEventListener("click", follow);
  wide.addEventListener("click", () => {
    const on = root.classList.toggle("wide");
    wide.setAttribute("aria-pressed", on);
  });
  follow();
}
