// Figures are drawn in Python; here a reader points at a mark, or moves through the marks by keys, and reads its words.
import { save, shape } from "./elements.js";

const WEIGHTS = { x: [1, 0.001], y: [0.001, 1], xy: [1, 1] };
const STEPS = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
};

// The marks of a figure one by one; a matrix has one for each row and column.
export function marksOf(groups) {
  return groups.flatMap((group) =>
    group.words.map((words, at) => {
      if (!group.rows) return markOf(group, words, at, at, group.names[at]);
      const row = Math.floor(at / group.columns.length);
      const column = at % group.columns.length;
      return markOf(
        group,
        words,
        column,
        row,
        `${group.rows[row]}, ${group.columns[column]}`,
      );
    }),
  );
}

function markOf(group, words, column, row, name) {
  const weights = WEIGHTS[group.nearest ?? "xy"];
  return { x: group.x[column], y: group.y[row], weights, name, words };
}

// The place among the marks of the one that is nearest to a point; -1 where there is none.
export function nearest(marks, x, y) {
  let best = -1;
  let least = Infinity;
  marks.forEach(({ x: across, y: down, weights: [wide, tall] }, at) => {
    const distance = wide * (across - x) ** 2 + tall * (down - y) ** 2;
    if (distance < least) [best, least] = [at, distance];
  });
  return best;
}

// Let a reader point at the marks of a figure: what it is stands below it.
export function figureOf(root, groups) {
  const svg = root.querySelector("svg");
  const readout = root.querySelector(".readout");
  const marks = marksOf(groups);
  const columns = groups[0]?.columns?.length ?? 1;
  const ring = shape("circle", { class: "ring", r: 5, visibility: "hidden" });
  let at = -1;
  svg.append(ring);

  function show(next) {
    if (!marks[next]) return;
    at = next;
    ring.setAttribute("cx", marks[at].x);
    ring.setAttribute("cy", marks[at].y);
    ring.setAttribute("visibility", "visible");
    readout.textContent = `${marks[at].name}: ${marks[at].words}`;
  }

  function point(event) {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    show(nearest(marks, x, y));
  }

  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point); // a finger taps, it does not move
  svg.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    show(at < 0 ? 0 : at + step[0] * columns + step[1]);
  });
  root.querySelector(".save")?.addEventListener("click", () => {
    ring.setAttribute("visibility", "hidden");
    save(svg.outerHTML, "image/svg+xml", `${root.id}.svg`);
  });
}
