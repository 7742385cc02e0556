// Charts that are grids: correlations and other pairs of metrics, every score, the best subsets.

/** Colours of a matrix: two-sided about 0 where some value is negative, else from a round low to a round high. */
function shading(values) {
  const all = values.flat().filter((v) => v !== null), least = Math.min(...all), most = Math.max(...all);
  const [low, high] = least < 0 ? [-1, 1] : [Math.floor(least * 10) / 10, Math.ceil(most * 10 - 1e-9) / 10];
  const colours = least < 0 ? [...stops("--less").reverse(), ...stops("--more").slice(1)] : stops("--more");
  return { low, high, of: (value) => value === null ? style("--void") : between(colours, (value - low) / (high - low || 1)) };
}

function legend(shade, x, y, width, em) {
  const steps = 24;
  const parts = Array.from({ length: steps }, (_, i) => node("rect", { x: x + (i * width) / steps, y, width: width / steps + 0.5, height: 9 * em,
    style: `fill:${shade.of(shade.low + ((i + 0.5) / steps) * (shade.high - shade.low))}` }));
  return node("g", {}, ...parts, text(x, y + 23 * em, short(shade.low, 1), { class: "tick" }),
    text(x + width, y + 23 * em, short(shade.high, 1), { class: "tick", "text-anchor": "end" }));
}

CHARTS.matrix = ({ data, width, alt, hidden, choice }) => {
  const em = unit(), inGroups = choice !== "as given";
  const order = (inGroups ? data.order : data.rows.map((_, i) => i)).filter((i) => !hidden.has(data.rows[i])), n = order.length;
  const left = widthOf(data.rows) + 12 * em, top = left, foot = 50 * em;
  const cell = Math.max(11 * em, Math.min(38 * em, (width - left - 4) / Math.max(n, 1)));
  const shade = shading(data.values), side = n * cell;
  const cells = order.flatMap((i, r) => order.map((j, c) => {
    const value = data.values[i][j], colour = shade.of(value);
    const range = data.low?.[i][j] != null && i !== j ? `, 95% interval ${short(data.low[i][j])} to ${short(data.high[i][j])}` : "";
    const say = `${data.rows[i]} and ${data.rows[j]}: ${data.symbol} ${short(value, 3)}${range}`;
    const inside = cell > 25 * em ? [text(left + (c + 0.5) * cell, top + (r + 0.5) * cell + 3.6 * em, short(value), { "text-anchor": "middle", class: "inside", style: `fill:${onColour(colour)}` })] : [];
    return node("g", { class: "mark cell", "data-say": say, "data-row": r, "data-column": c },
      node("rect", { x: left + c * cell, y: top + r * cell, width: cell, height: cell, style: `fill:${colour}` }), ...inside);
  }));
  const small = cell < 14 * em ? `font-size:${cell * 0.86}px` : undefined;
  const labels = order.flatMap((i, at) => [
    text(left - 7 * em, top + (at + 0.5) * cell + 4 * em, data.rows[i], { "text-anchor": "end", class: "name", "data-label": at, style: small }),
    text(0, 0, data.rows[i], { class: "name", "data-label": at, style: small, transform: `translate(${left + (at + 0.5) * cell + 4 * em},${top - 7 * em}) rotate(-90)` })]);
  const outlines = data.group && inGroups ? groupsOf(order, data.group).map(([from, to]) =>
    node("rect", { class: "group", x: left + from * cell, y: top + from * cell, width: (to - from) * cell, height: (to - from) * cell })) : [];
  const svg = canvas(Math.max(left + side + 4, 200), top + side + foot, alt, ...cells, ...outlines, ...labels, legend(shade, left, top + side + 14 * em, Math.min(180 * em, side), em));
  svg.dataset.columns = n;
  svg.addEventListener("say", (event) => {
    const { row, column } = event.detail?.dataset ?? {};
    labels.forEach((label) => label.classList.toggle("near", label.dataset.label === row || label.dataset.label === column));
  });
  return { svg, choices: ["similar side by side", "as given"], choice: inGroups ? "similar side by side" : "as given", choose: "Order" };
};

/** Runs of neighbours that are in the same group, as [from, to). */
function groupsOf(order, group) {
  const runs = [];
  order.forEach((metric, at) => {
    const last = runs.at(-1);
    if (last && group[metric] === last[2]) last[1] = at + 1;
    else runs.push([at, at + 1, group[metric]]);
  });
  return runs.filter(([from, to]) => to - from > 1);
}

CHARTS.shades = ({ data, width, alt }) => {
  const em = unit(), rows = data.systems.length, columns = data.topics.length;
  const left = 26 * em, bottom = 46 * em, side = width - left - 4 * em, tall = Math.min(420 * em, Math.max(140 * em, rows * 6 * em));
  const image = element("canvas", { width: columns, height: rows }), context = image.getContext("2d");
  const codes = atob(data.codes), colours = stops("--more");
  for (let i = 0; i < codes.length; i++) {
    const code = codes.charCodeAt(i);
    context.fillStyle = code === 255 ? style("--missing") : between(colours, code / 254);
    context.fillRect(i % columns, Math.floor(i / columns), 1, 1);
  }
  const drawn = node("image", { href: image.toDataURL(), x: left, y: 0, width: side, height: tall, preserveAspectRatio: "none", style: "image-rendering:pixelated" });
  const cursor = node("rect", { class: "cursor", width: side / columns, height: tall / rows, visibility: "hidden" });
  const svg = canvas(width, tall + bottom, alt, drawn, cursor,
    text((left + width) / 2, tall + 16 * em, `${columns} topics, easiest first`, { "text-anchor": "middle", class: "label" }),
    node("text", { class: "label", "text-anchor": "middle", transform: `translate(${15 * em},${tall / 2}) rotate(-90)` }, `${rows} systems, best first`),
    legend({ low: 0, high: data.top, of: (value) => between(colours, value / data.top) }, left, tall + 20 * em, Math.min(160 * em, side / 3), em));
  const at = { row: 0, column: 0 };
  const show = () => {
    cursor.setAttribute("x", left + (at.column * side) / columns);
    cursor.setAttribute("y", (at.row * tall) / rows);
    cursor.setAttribute("visibility", "visible");
    const code = codes.charCodeAt(at.row * columns + at.column);
    const score = code === 255 ? "missing" : `about ${short((code / 254) * data.top)}`;
    return `${data.systems[at.row]} on topic ${data.topics[at.column]}: ${data.metric} ${score}`;
  };
  const point = (event) => {
    const box = svg.getBoundingClientRect(), x = event.clientX - box.left - left, y = event.clientY - box.top;
    if (x < 0 || y < 0 || x >= side || y >= tall) return null;
    [at.row, at.column] = [Math.floor((y / tall) * rows), Math.floor((x / side) * columns)];
    return show();
  };
  const move = (down, across) => {
    at.row = Math.min(Math.max(at.row + down, 0), rows - 1);
    at.column = Math.min(Math.max(at.column + across, 0), columns - 1);
    return show();
  };
  return { svg, point, move };
};

CHARTS.subsets = ({ data, width, alt, hidden }) => {
  const em = unit(), shown = indicesShown(data.rows, hidden), left = widthOf(data.rows) + 12 * em;
  const row = 20 * em, top = 22 * em, foot = 76 * em, height = top + shown.length * row + foot;
  const column = Math.min(72 * em, (width - left) / data.k.length), bottom = top + shown.length * row;
  const x = (k) => left + (k + 0.5) * column, reach = Math.min(row, column) / 2 - 1.5 * em;
  const marks = shown.flatMap((i, r) => data.k.map((k, c) => {
    const chosen = data.chosen[c][i], again = data.again[c]?.[i] ?? null, y = top + (r + 0.5) * row;
    const say = `${data.rows[i]} ${chosen ? "is" : "is not"} among the best ${k}` + (again === null ? "" : `; ${Math.round(again * 100)}% of resampled topic sets choose it`);
    const size = again === null ? (chosen ? 0.75 : 0) : Math.sqrt(again);
    return node("g", { class: `mark dot ${chosen ? "chosen" : ""}`, "data-say": say },
      node("rect", { class: "hit", x: x(c) - column / 2, y: y - row / 2, width: column, height: row }),
      node("circle", { cx: x(c), cy: y, r: Math.max(size * reach, chosen ? 1.5 * em : 0.6 * em) }));
  }));
  const names = shown.map((i, r) => text(left - 8 * em, top + (r + 0.5) * row + 4 * em, data.rows[i], { "text-anchor": "end", class: data.chosen.some((one) => one[i]) ? "name" : "name faint" }));
  const heads = data.k.map((k, c) => text(x(c), 14 * em, k, { "text-anchor": "middle", class: "name" }));
  const deep = (c) => Math.max(1, (data.unexplained[c] / Math.max(...data.unexplained)) * 34 * em);
  const bars = data.k.map((k, c) => node("g", { class: "bar" },
    node("rect", { x: x(c) - column * 0.3, y: bottom + 8 * em, width: column * 0.6, height: deep(c) }),
    text(x(c), bottom + 21 * em + deep(c), `${Math.round(data.unexplained[c] * 100)}%`, { "text-anchor": "middle", class: "tick" })));
  const labels = [text(left - 8 * em, 14 * em, "reported", { "text-anchor": "end", class: "label" }), text(left - 8 * em, bottom + 18 * em, "unexplained", { "text-anchor": "end", class: "label" })];
  const svg = canvas(Math.max(width, 0), height, alt, ...shown.map((_, r) => node("line", { class: "rule", x1: left, x2: left + column * data.k.length, y1: top + (r + 0.5) * row, y2: top + (r + 0.5) * row })), ...marks, ...names, ...heads, ...bars, ...labels);
  svg.dataset.columns = data.k.length;
  return { svg };
};
