// The parts of the pages' scripts that compute, on inputs worked by hand; tests/report/test_browser.py uses them in Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";

const room = "../../../src/irmeta/report/page/assets/scripts";
const { csvOf, hasWords, latexOf, short, span } = await import(
  `${room}/elements.js`
);
const { marksOf, nearest } = await import(`${room}/figures.js`);
const { median, paired, twoSided } = await import(`${room}/paired.js`);
const { bordaOf, meanOf, ranksOf, standingOf } = await import(
  `${room}/ranks.js`
);
const { directions } = await import(`${room}/regression.js`);
const { amountIn, inOrder, numberIn } = await import(`${room}/tables.js`);

const near = (found, expected, within = 1e-9) =>
  assert.ok(Math.abs(found - expected) < within, `${found} is not ${expected}`);

test("figures are written as papers print them, and none is -.00", () => {
  assert.deepEqual(
    [0.97, -0.1, 1, -0.001, -1.5, null].map((value) => short(value)),
    [".97", "−.10", "1.00", ".00", "−1.50", "–"],
  );
});

test("a range of one rank is that rank", () => {
  assert.deepEqual([span(4, 4), span(1, 4)], ["4", "1 to 4"]);
});

test("p of Student's t is that of printed tables, and of arctangent with one degree of freedom", () => {
  near(twoSided(2.228139, 10), 0.05, 1e-6);
  near(twoSided(63.656741, 1), 0.01, 1e-8);
  near(twoSided(-1, 1), 0.5);
  near(twoSided(0, 30), 1);
  near(twoSided(8, 49) / 1.912e-10, 1, 1e-2);
});

test("a paired t test has the mean, interval and counts of its differences", () => {
  // differences 1, 2, 3: mean 2, standard error 1 / sqrt(3), t = 3.4641 with 2 degrees of freedom
  const found = paired([1, 2, 3], 4.302653);
  near(found.mean, 2);
  near(found.high - found.low, (2 * 4.302653) / Math.sqrt(3));
  near(found.p, 0.0741799, 1e-6);
  assert.deepEqual([found.better, found.worse], [3, 0]);
  assert.equal(paired([0, 0], 12.7).p, 1);
  // of scores of 0 and 1: p = 3.5 / 6, q = .5 / 6, 1/2 -/+ 1.96 sqrt((4/6 - 1/4) / 6)
  const right = paired([1, 1, 1, 0, 0], 2.776, true);
  near(right.low, 0.5 - 1.959964 * Math.sqrt(5 / 72));
  near(right.high, 1); // 1.02, cut to what can be
  assert.equal(paired([0.5, 1], 12.7, true).high, paired([0.5, 1], 12.7).high);
  assert.equal(median([3, 1, 2, 10]), 2.5);
});

test("a matrix has a mark for each row and column, a line one for each point", () => {
  const matrix = {
    x: [10, 20],
    y: [5],
    rows: ["AP"],
    columns: ["RR", "P@10"],
    words: [".5", ".6"],
  };
  const line = {
    x: [1],
    y: [2],
    names: ["bm25"],
    words: ["mean .3"],
    nearest: "y",
  };
  const marks = marksOf([matrix, line]);
  assert.deepEqual(
    marks.map(({ x, y, name, words }) => [x, y, name, words]),
    [
      [10, 5, "AP, RR", ".5"],
      [20, 5, "AP, P@10", ".6"],
      [1, 2, "bm25", "mean .3"],
    ],
  );
});

test("a row is found by its height, however far to the side the pointer is", () => {
  const rows = {
    x: [100, 10],
    y: [10, 20],
    names: ["a", "b"],
    words: ["", ""],
  };
  assert.equal(nearest(marksOf([{ ...rows, nearest: "y" }]), 5, 11), 0);
  assert.equal(nearest(marksOf([{ ...rows, nearest: "xy" }]), 5, 11), 1);
  assert.equal(nearest([], 5, 11), -1);
});

test("columns of numbers are sorted as numbers, texts as people do, what is missing last", () => {
  const sorted = (texts, order) =>
    [...texts].sort((a, b) => inOrder(a, b, order));
  const numbers = ["2 to 3", "–", "−.5", "10"];
  assert.deepEqual(sorted(numbers, { number: true, down: true }), [
    "10",
    "2 to 3",
    "−.5",
    "–",
  ]);
  assert.deepEqual(sorted(numbers, { number: true, down: false }), [
    "−.5",
    "2 to 3",
    "10",
    "–",
  ]);
  assert.deepEqual(sorted(["s10", "s9"], { number: false, down: false }), [
    "s9",
    "s10",
  ]);
  assert.equal(numberIn("−1.5e-05"), -1.5e-5);
});

test("amounts have their unit, and dates and names are none", () => {
  const amounts = ["33M", "0.6B", "7 B", "512 MB", "~1.5k", "12"];
  assert.deepEqual(amounts.map(amountIn), [33e6, 6e8, 7e9, 512e6, 1500, 12]);
  const others = ["2024-05-01", "7B-instruct", "MIT", ""];
  assert.ok(others.map(amountIn).every(Number.isNaN));
});

test("files cannot be computed by a spreadsheet, nor break a table of LaTeX", () => {
  assert.equal(
    csvOf([["=1+1", "-.5", 'a "b", c']]),
    '\'=1+1,-.5,"a ""b"", c"\n',
  );
  const latex = latexOf([
    ["name", "value"],
    ["[a]_b < c & d", "-.5"],
  ]);
  assert.ok(latex.includes("\\begin{tabular}{lr}"));
  assert.ok(latex.includes("{}[a]\\_b $<$ c \\& d & $-$.5 \\\\"));
});

test("a row is found by all the words typed, whatever their order", () => {
  assert.ok(hasWords("nDCG@10 and RR", "rr ndcg"));
  assert.ok(hasWords("anything", ""));
  assert.ok(!hasWords("nDCG@10", "rr ndcg"));
});

test("Borda counts share ties, means miss what is missing, equal values share the best rank", () => {
  const scores = [
    [0.5, 0.5, 0.1],
    [0.2, null, 0.3],
  ];
  assert.deepEqual(bordaOf(scores, [0, 1]), [1.5 + 1, 1.5, 0 + 2]);
  assert.deepEqual(bordaOf(scores, [1]), [0, null, 1]);
  assert.deepEqual(
    [0, 1].map((model) => meanOf(scores, model, [0, 1])),
    [0.35, null],
  );
  assert.equal(meanOf(scores, 0, []), null);
  assert.deepEqual(ranksOf([0.3, null, 0.1 + 0.2, 0.5]), [2, null, 2, 1]);
  assert.deepEqual(standingOf(2, [1, 2, 2, 4]), { rank: 2, share: 0.5 });
});

test("eigenvalues are those worked by hand, and directions without variance are left out", () => {
  const found = directions([
    [2, 1],
    [1, 2],
  ]).map(({ value }) => value);
  assert.deepEqual(found.map((value) => value.toFixed(9)).sort(), [
    "1.000000000",
    "3.000000000",
  ]);
  const flat = directions([
    [1, 1],
    [1, 1],
  ]);
  assert.equal(flat.length, 1);
  near(flat[0].value, 2);
});
