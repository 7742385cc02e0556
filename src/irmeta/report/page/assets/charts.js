// Charts of points, lines and bars. Each takes its data, the width it has, what is switched on, and its alternative text.
// A mark says with data-say what stands there, for the pointer and for arrow keys.
const CHARTS = {};

const indicesShown = (rows, hidden) => rows.map((_, i) => i).filter((i) => !hidden.has(rows[i]));

CHARTS.means = ({ data, width, alt, choice, hidden }) => {
  const em = unit(), left = 44 * em, top = 10 * em, few = data.systems.length <= 30;
  const bottom = few ? Math.min(widthOf(data.systems), 130 * em) + 34 * em : 34 * em, height = 296 * em + bottom;
  const metric = choice ?? data.by, one = data.metrics[metric];
  const order = data.systems.map((_, i) => i).sort((a, b) => one.rank[a] - one.rank[b] || a - b);
  const low = Math.min(...one.low.filter((v) => v !== null), 0), high = Math.max(...one.high.filter((v) => v !== null));
  const x = linear(0.5, order.length + 0.5, left, width - 4 * em), y = linear(low, high * 1.03, height - bottom, top);
  const radius = Math.max(1.4 * em, Math.min(4 * em, (x(2) - x(1)) / 2.6));
  const marks = order.map((system, at) => {
    const say = `Rank ${one.rank[system]}: ${data.systems[system]}, mean ${short(one.mean[system], 3)}, interval ` +
      `${short(one.low[system], 3)} to ${short(one.high[system], 3)}; rank anywhere from ${one.rank_low[system]} to ${one.rank_high[system]}`;
    return node("g", { class: "mark point", "data-say": say, "data-low": one.rank_low[system], "data-high": one.rank_high[system], "data-rank": one.rank[system] },
      node("rect", { class: "hit", x: x(at + 0.5), y: top, width: x(2) - x(1), height: height - bottom - top }),
      node("line", { x1: x(at + 1), x2: x(at + 1), y1: y(one.low[system]), y2: y(one.high[system]) }),
      node("circle", { cx: x(at + 1), cy: y(one.mean[system]), r: radius }));
  });
  const names = few ? order.map((system, at) => text(0, 0, data.systems[system], { "text-anchor": "end", class: "tick",
    transform: `translate(${x(at + 1) + 4 * em},${height - bottom + 12 * em}) rotate(-90)` })) : ticks([1, order.length], width > 500 ? 10 : 5).map((rank) =>
    text(x(rank), height - bottom + 16 * em, rank, { "text-anchor": "middle", class: "tick" }));
  const axis = text((left + width) / 2, height - 3 * em, "systems by rank", { "text-anchor": "middle", class: "label" });
  const svg = canvas(width, height, alt, ...horizontalGrid(y, left, width, em), ...marks, ...names, axis);
  svg.addEventListener("say", (event) => {
    const { low: first, high: last } = event.detail?.dataset ?? {};
    marks.forEach((mark) => mark.classList.toggle("near", first !== undefined && +mark.dataset.rank >= +first && +mark.dataset.rank <= +last));
  });
  return { svg, choices: Object.keys(data.metrics).filter((name) => !hidden.has(name)), choice: metric, choose: "Metric" };
};

CHARTS.bars = ({ data, width, alt, hidden }) => {
  const em = unit(), shown = indicesShown(data.rows, hidden).filter((i) => data.values[i] !== null);
  shown.sort((a, b) => data.values[b] - data.values[a]);
  const left = widthOf(data.rows) + 10 * em, row = 21 * em, bottom = 40 * em, height = shown.length * row + bottom;
  const x = linear(Math.min(0, ...data.values.filter((v) => v !== null)), 1, left, width - 40 * em);
  const marks = shown.map((i, at) => node("g", { class: "mark bar", "data-say": `${data.rows[i]}: ${short(data.values[i], 3)}` },
    node("rect", { class: "hit", x: 0, y: at * row, width, height: row }),
    node("rect", { x: Math.min(x(0), x(data.values[i])), y: at * row + 3 * em, width: Math.abs(x(data.values[i]) - x(0)), height: row - 6 * em, rx: 2 }),
    text(left - 8 * em, at * row + 15 * em, data.rows[i], { "text-anchor": "end", class: "name" }),
    text(Math.max(x(0), x(data.values[i])) + 6 * em, at * row + 15 * em, short(data.values[i]), { class: "value" })));
  return { svg: canvas(width, height, alt, ...verticalGrid(x, 0, height - bottom, em), ...reference(data, x, height - bottom), ...marks,
    text((left + width) / 2, height - 4 * em, data.label, { "text-anchor": "middle", class: "label" })) };
};

function reference(data, x, height) {
  if (data.reference === undefined) return [];
  return [node("line", { class: "reference", x1: x(data.reference), x2: x(data.reference), y1: 0, y2: height })];
}

CHARTS.intervals = ({ data, width, alt, hidden }) => {
  const em = unit(), shown = indicesShown(data.rows, hidden);
  const left = widthOf(data.rows) + 12 * em, row = 21 * em, bottom = 40 * em, height = shown.length * row + bottom;
  const ends = [...data.low, ...data.high, ...data.value, data.reference].filter((v) => v !== null && v !== undefined);
  const room = (Math.max(...ends) - Math.min(...ends)) * 0.04;
  const x = linear(Math.min(...ends) - room, Math.max(...ends) + room, left, width - 8 * em);
  const marks = shown.map((i, at) => {
    const [value, low, high] = [data.value[i], data.low[i], data.high[i]], y = (at + 0.5) * row;
    const clear = low !== null && (low > data.reference || high < data.reference);
    const say = `${data.rows[i]}: ${short(value, 3)}` + (low === null ? "" : `, 95% interval ${short(low, 3)} to ${short(high, 3)}`);
    const ends = low === null ? [] : [node("line", { x1: x(low), x2: x(high), y1: y, y2: y })];
    return node("g", { class: `mark point ${clear ? "clear" : ""}`, "data-say": say },
      node("rect", { class: "hit", x: 0, y: at * row, width, height: row }), ...ends,
      node("circle", { cx: x(value), cy: y, r: 4 * em }),
      text(left - 10 * em, y + 4 * em, data.rows[i], { "text-anchor": "end", class: "name" }));
  });
  return { svg: canvas(width, height, alt, ...verticalGrid(x, 0, height - bottom, em), ...reference(data, x, height - bottom), ...marks,
    text((left + width) / 2, height - 4 * em, data.label, { "text-anchor": "middle", class: "label" })) };
};

CHARTS.lines = ({ data, width, alt, hidden }) => {
  const em = unit(), shown = data.series.filter((one) => !hidden.has(one.name));
  const left = 44 * em, right = widthOf(data.series.map((one) => one.name)) + 26 * em, top = 14 * em, bottom = 40 * em;
  const height = Math.max(300 * em, shown.length * 14 * em + top + bottom);
  const values = shown.flatMap((one) => one.y).filter((v) => v !== null);
  const x = linear(Math.min(...data.x), Math.max(...data.x), left, width - right);
  const y = linear(Math.min(...values), Math.max(...values), height - bottom, top);
  const ends = shown.map((one) => ({ one, y: y(one.y.at(-1)) })).sort((a, b) => a.y - b.y);
  ends.forEach((end, i) => { end.label = Math.max(end.y, i ? ends[i - 1].label + 13.5 * em : top); });
  for (let i = ends.length - 1, floor = height - bottom; i >= 0; i--, floor = ends[i + 1].label - 13.5 * em) ends[i].label = Math.min(ends[i].label, floor);
  const marks = ends.map(({ one, y: end, label }) => node("g", { class: "mark line", "data-say":
    `${one.name}: ` + data.x.map((n, i) => `${short(one.y[i])} with ${n}`).join(", ") + ` ${data.xlabel}` },
    node("polyline", { points: one.y.map((v, i) => `${x(data.x[i])},${y(v)}`).join(" ") }),
    node("polyline", { class: "leader", points: `${width - right},${end} ${width - right + 14 * em},${label}` }),
    ...one.y.map((v, i) => node("circle", { cx: x(data.x[i]), cy: y(v), r: 2.4 * em })),
    text(width - right + 18 * em, label + 4 * em, one.name, { class: "name" })));
  let free = -Infinity;
  // a number that would touch the one before it is left out
  const apart = data.x.filter((n) => {
    const half = widthOf([`${n}`]) / 2, clear = x(n) - half > free;
    if (clear) free = x(n) + half + 4 * em;
    return clear;
  });
  const below = apart.map((n) => text(x(n), height - bottom + 16 * em, n, { "text-anchor": "middle", class: "tick" }));
  return { svg: canvas(width, height, alt, ...horizontalGrid(y, left, width - right, em), ...marks, ...below,
    text((left + width - right) / 2, height - 4 * em, data.xlabel, { "text-anchor": "middle", class: "label" })) };
};

CHARTS.scatter = ({ data, width, alt, choice, hidden }) => {
  const em = unit(), choices = data.targets.filter((name) => !hidden.has(name));
  const target = choices.includes(choice) ? choice : choices[0] ?? data.targets[0], t = data.targets.indexOf(target);
  const size = Math.min(width, 460 * em), left = 44 * em, bottom = 40 * em, top = 8 * em;
  const [value, low, high, actual] = [data.value[t], data.low[t], data.high[t], data.actual[t]];
  const all = [...value, ...low, ...high, ...actual].filter((v) => v !== null), most = Math.max(...all);
  const x = linear(0, most, left, size - 6 * em), y = linear(0, most, size - bottom, top);
  const marks = data.systems.map((system, i) => {
    const outside = low[i] !== null && (actual[i] < low[i] || actual[i] > high[i]);
    const say = `${system}: predicted ${short(value[i], 3)}` + (low[i] === null ? "" : ` (${short(low[i], 3)} to ${short(high[i], 3)})`) + `, actual ${short(actual[i], 3)}`;
    const mark = outside ? node("path", { d: `M${x(value[i])} ${y(actual[i]) - 4.5 * em}l${4 * em} ${8 * em}h${-8 * em}z` }) : node("circle", { cx: x(value[i]), cy: y(actual[i]), r: 3 * em });
    return node("g", { class: `mark point ${outside ? "out" : ""}`, "data-say": say + (outside ? ", outside its interval" : "") },
      ...(low[i] === null ? [] : [node("line", { x1: x(low[i]), x2: x(high[i]), y1: y(actual[i]), y2: y(actual[i]) })]), mark);
  });
  return { svg: canvas(size, size, alt, ...horizontalGrid(y, left, size, em), ...verticalGrid(x, top, size - bottom, em),
    node("line", { class: "reference", x1: x(0), y1: y(0), x2: x(most), y2: y(most) }), ...marks,
    text((left + size) / 2, size - 4 * em, `predicted ${target} (up: actual; triangles: outside the interval)`, { "text-anchor": "middle", class: "label" })),
    choices, choice: target, choose: "Metric" };
};

CHARTS.compared = ({ data, width, alt, hidden }) => {
  const em = unit(), shown = indicesShown(data.rows, hidden), kinds = data.kinds.length;
  const left = widthOf([...data.rows, ...data.kinds]) + 14 * em, row = (12 + 15 * kinds) * em, top = 24 * em, bottom = 40 * em;
  const height = top + shown.length * row + bottom, all = [...data.values.flat(), ...data.chance.flat()];
  const x = linear(0, Math.max(...all) * 1.05, left, width - 8 * em);
  const marks = shown.flatMap((i, at) => data.kinds.map((kind, k) => {
    const y = top + at * row + (12 + 15 * k) * em, value = data.values[k][i], chance = data.chance[k][i];
    return node("g", { class: `mark point kind-${k}`, "data-say": `${data.rows[i]}, ${kind}: dRMSE ${short(value, 3)}; ${short(chance, 3)} if topics are dealt at random` },
      node("rect", { class: "hit", x: 0, y: y - 8 * em, width, height: 15 * em }),
      node("line", { x1: x(value), x2: x(chance), y1: y, y2: y }),
      node("line", { class: "chance", x1: x(chance), x2: x(chance), y1: y - 6 * em, y2: y + 6 * em }),
      k === 0 ? node("circle", { cx: x(value), cy: y, r: 4 * em }) : node("rect", { class: "square", x: x(value) - 4 * em, y: y - 4 * em, width: 8 * em, height: 8 * em }),
      text(left - 10 * em, y + 4 * em, k === 0 ? data.rows[i] : kind, { "text-anchor": "end", class: k === 0 ? "name" : "tick" }));
  }));
  const legend = text(left, 13 * em, `● ${data.kinds[0]}  ·  ■ ${data.kinds.slice(1).join(", ")}  ·  | topics dealt at random`, { class: "tick" });
  return { svg: canvas(width, height, alt, legend, ...verticalGrid(x, top, height - bottom, em), ...marks,
    text((left + width) / 2, height - 4 * em, data.label, { "text-anchor": "middle", class: "label" })) };
};
