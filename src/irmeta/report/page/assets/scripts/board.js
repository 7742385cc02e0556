// The leaderboard of a report: a table like others, in which one system or two are chosen and shown topic by topic.
import { recalled, remember } from "./address.js";
import { element, shape, short } from "./elements.js";
import { figureOf } from "./figures.js";
import { mean, median, paired } from "./paired.js";

const [WIDE, TALL] = [720, 220];
const SAME = 1e-4; // scores are packed in 16 bits: what differs less is equal

// Scores of a metric, packed as 16 bits each: a function of system and topic.
function unpacked({ low, step, codes }, topics) {
  const bytes = Uint8Array.from(atob(codes), (char) => char.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return (system, topic) =>
    low + step * view.getUint16(2 * (system * topics + topic), true);
}

// Bars of differences, the largest first, with a line at their mean.
function bars(values, names, title) {
  const order = [...values.keys()];
  order.sort((a, b) => values[b] - values[a]);
  const most = Math.max(0, ...values);
  const span = most - Math.min(0, ...values) || 1;
  const y = (value) => ((most - value) / span) * (TALL - 20) + 10;
  const wide = WIDE / values.length;
  const rects = order.map((topic, at) => {
    const value = values[topic];
    const height = Math.abs(y(value) - y(0));
    const kind = value < 0 ? "loss" : "gain";
    const place = { x: (at + 0.1) * wide, y: Math.min(y(0), y(value)) };
    return shape("rect", { class: kind, ...place, width: 0.8 * wide, height });
  });
  const line = (value, kind) =>
    shape("line", { class: kind, x1: 0, x2: WIDE, y1: y(value), y2: y(value) });
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

const quoted = (text) =>
  /^[\w.@%+:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

// The command that tests the difference; by: the metric.
function commandOf(board, chosen, by) {
  const against = chosen[1] === undefined ? "median" : quoted(chosen[1]);
  const options = `--system ${quoted(chosen[0])} --against ${against}`;
  return `${board.command} ${options} -m ${quoted(by)}`;
}

export function boardOf(root, board, key) {
  const { systems, topics, scores } = board;
  const detail = root.querySelector(".versus");
  const wide = root.querySelector(".widen");
  const picks = [...root.querySelectorAll(".pick")];
  let chosen = (recalled(`${key}-chosen`).systems ?? board.marked[0] ?? "")
    .split("\n")
    .filter((name) => systems.includes(name));

  // The metric that the table is sorted by, if its scores are here.
  function metric() {
    const by = root.querySelector("[aria-sort]")?.textContent;
    return by in scores ? by : board.by;
  }

  function follow() {
    for (const pick of picks) {
      pick.setAttribute("aria-pressed", chosen.includes(pick.textContent));
    }
    const kept = chosen.length ? chosen.join("\n") : "";
    remember(`${key}-chosen`, { systems: kept });
    if (chosen.length) detail.replaceChildren(...compared());
    else
      detail.replaceChildren(
        "Choose a system to see its topics, another to compare them.",
      );
  }

  // One system beside the median of the others, or two beside each other.
  function compared() {
    const by = metric();
    const score = unpacked(scores[by], topics.length);
    const [one, other] = chosen.map((name) => systems.indexOf(name));
    const all = [...systems.keys()];
    const rest = all.filter((at) => at !== one);
    const theirs = (topic) =>
      other === undefined
        ? median(rest.map((at) => score(at, topic)))
        : score(other, topic);
    const values = topics.map((_, topic) => score(one, topic) - theirs(topic));
    const settle = (value) => (Math.abs(value) < SAME ? 0 : value);
    const settled = values.map(settle);
    const name = chosen[1] ?? "the median of the others";
    const title = `${chosen[0]} less ${name} by ${by}, topic by topic`;
    const { svg, marks } = bars(settled, topics, title);
    const figure = element(
      "figure",
      { class: "chart" },
      element("figcaption", {}, title),
      element("div", { class: "canvas" }, svg),
      element(
        "p",
        { class: "readout", role: "status" },
        "Point at a bar for its topic.",
      ),
    );
    figureOf(figure, [marks]);
    const found = sentence(by, name, paired(settled, board.t));
    const command = element("code", {}, commandOf(board, chosen, by));
    return [
      element("p", { class: "said" }, found),
      element("p", {}, command),
      figure,
    ];
  }

  function sentence(by, name, { mean: middle, low, high, p, better, worse }) {
    const [sign, ends] =
      middle < 0 ? ["less", [-high, -low]] : ["more", [low, high]];
    const chance = p < 0.0001 ? "p < .0001" : `p = ${short(p, 4)}`;
    const interval = ends.map((end) => short(end, 3)).join(" to ");
    const equal = topics.length - better - worse;
    return (
      `By ${by}, ${chosen[0]} scores ${short(Math.abs(middle), 3)} ${sign} than ${name} ` +
      `(95% interval ${interval}; ${chance}, paired t test): ` +
      `better on ${better} topics, equal on ${equal}, worse on ${worse}.`
    );
  }

  for (const pick of picks) {
    pick.addEventListener("click", () => {
      const name = pick.textContent;
      const without = chosen.filter((one) => one !== name);
      chosen =
        without.length < chosen.length ? without : [...chosen.slice(-1), name];
      follow();
    });
  }
  root.querySelector("thead").addEventListener("click", follow);
  wide?.addEventListener("click", () => {
    const on = root.classList.toggle("wide");
    wide.setAttribute("aria-pressed", on);
  });
  follow();
}
