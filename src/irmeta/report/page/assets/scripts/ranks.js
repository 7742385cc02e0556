// Means, Borda counts and ranks of models on some of the tasks, as irmeta.stats.leaderboards has them on all.
import { mean } from "./numbers.js";

// Where a score stands among these: how many are above it, below it and the same.
function counted(score, among) {
  let [above, below, same] = [0, 0, 0];
  for (const other of among) {
    if (other > score) above++;
    else if (other < score) below++;
    else same++;
  }
  return { above, below, same };
}

function isKnown(value) {
  return value !== null;
}

// The mean of a model's scores on these tasks; null where one is missing.
export function meanOf(scores, model, on) {
  const own = on.map((task) => scores[task][model]);
  const whole = own.length > 0 && !own.includes(null);
  return whole ? mean(own) : null;
}

// On each task, a model earns the number of all models less its rank among those that have it; ties share ranks.
// A model without a score on these tasks is none of them, and has null.
export function bordaOf(scores, on) {
  const columns = on.map((task) => scores[task]);
  const votes = scores[0].map((_, model) => {
    const own = columns.map((column) => column[model]);
    return own.some(isKnown) ? 0 : null;
  });
  const models = votes.filter(isKnown).length;
  for (const column of columns) {
    const known = column.filter(isKnown);
    for (const [model, score] of column.entries()) {
      if (!isKnown(score)) continue;
      const { above, same } = counted(score, known);
      const rank = above + (same + 1) / 2;
      votes[model] += models - rank;
    }
  }
  return votes;
}

// Ranks of values, the largest first; what is equal to ten decimals shares the best rank, null has none.
export function ranksOf(values) {
  const settled = (value) => Math.round(value * 1e10);
  const known = values.filter(isKnown).map(settled);
  return values.map((value) => {
    if (!isKnown(value)) return null;
    const { above } = counted(settled(value), known);
    return above + 1;
  });
}

// Where a score stands among those that are known: its rank, and the share of the others that are lower.
export function standingOf(score, known) {
  const { above, below, same } = counted(score, known);
  const rank = above + 1;
  const others = known.length - 1;
  if (!others) return { rank, share: 0 };
  const lower = below + (same - 1) / 2;
  return { rank, share: lower / others };
}
