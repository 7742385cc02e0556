// What all charts share: SVG elements, scales, colours, the readout, saving. A chart computes positions, nothing else.
const SVG = "http://www.w3.org/2000/svg";

function node(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Pixels per CSS rem over 16: charts grow with the page's type. */
const unit = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** 0.97 as ".97": figures between -1 and 1 as papers print them. */
function short(value, digits = 2) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(digits).replace("-", "−");
  return Math.abs(value) < 1 ? text.replace("0.", ".") : text;
}

function linear(from, to, start, end) {
  const slope = to === from ? 0 : (end - start) / (to - from);
  const scale = (value) => start + (value - from) * slope;
  scale.domain = [from, to];
  return scale;
}

/** Round numbers that cover a domain, about as many as asked. */
function ticks([from, to], count) {
  const raw = (to - from || 1) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= raw);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => +((first + i) * step).toPrecision(12));
}

function text(x, y, content, options = {}) {
  return node("text", { x, y, ...options }, content);
}

const ruler = document.createElement("canvas").getContext("2d");

/** How wide the widest label is: charts are laid out before they are in the page. */
function widthOf(labels) {
  ruler.font = `${12 * unit()}px ${style("--sans")}`;
  return Math.max(0, ...labels.map((label) => ruler.measureText(label).width));
}

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** A colour between stops (hex), at share 0 to 1. */
function between(stops, share) {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  const [a, b] = [channels(stops[i]), channels(stops[i + 1])];
  return `rgb(${a.map((value, c) => Math.round(value + (b[c] - value) * (at - i))).join(",")})`;
}

/** Black or white, whichever reads better on a colour rgb(r,g,b). */
function onColour(colour) {
  const [r, g, b] = colour.match(/[\d.]+/g).map((v) => (v / 255 <= 0.04 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? "#0b1016" : "#ffffff";
}

const stops = (name) => style(name).split(/\s+/);

/** Lines across at round values of a vertical scale, with their labels left of x0. */
function horizontalGrid(scale, x0, x1, em, count = 5) {
  return ticks(scale.domain, count).map((value) =>
    node("g", { class: "grid" }, node("line", { x1: x0, x2: x1, y1: scale(value), y2: scale(value) }),
      text(x0 - 6 * em, scale(value) + 4 * em, short(value, 2), { "text-anchor": "end" })));
}

/** Lines up at round values of a horizontal scale, with their labels below y1. */
function verticalGrid(scale, y0, y1, em, count = 5, digits = 2) {
  return ticks(scale.domain, count).map((value) =>
    node("g", { class: "grid" }, node("line", { x1: scale(value), x2: scale(value), y1: y0, y2: y1 }),
      text(scale(value), y1 + 15 * em, short(value, digits), { "text-anchor": "middle" })));
}

function canvas(width, height, alt, ...children) {
  return node("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": alt, tabindex: "0" }, ...children);
}

/** Save what is drawn as an SVG file of its own: styles that come from the page are written into it. */
function saveSvg(svg, name) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((source, i) => {
    const computed = getComputedStyle(source);
    for (const key of ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight"]) {
      to[i].style.setProperty(key, computed.getPropertyValue(key));
    }
  });
  copy.setAttribute("xmlns", SVG);
  copy.style.background = style("--paper");
  save(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), `${name}.svg`);
}

function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
