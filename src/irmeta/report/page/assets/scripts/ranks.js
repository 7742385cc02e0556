// Means, Borda counts and ranks of models on some of the tasks, as irmeta.stats.leaderboards has them on all.

// The mean of a model's scores on these tasks; null where one is missing.
export function meanOf(scores, model, on) {
  const own = on.map((task) => scores[task][model]);
  if (!own.length || own.includes(null)) return null;
  const total = own.reduce((sum, score) => sum + score, 0);
  return total / own.length;
}

// On each task, a model earns the number of all models less its rank among those that have it; ties share ranks.
export function bordaOf(scores, models, on) {
  const votes = Array(models).fill(0);
  for (const task of on) {
    const column = scores[task];
    const known = column.filter((score) => score !== null);
    column.forEach((score, model) => {
      if (score === null) return;
      const above = known.filter((other) => other > score).length;
      const same = known.filter((other) => other === score).length;
      votes[model] += models - above - (same + 1) / 2;
    });
  }
  return votes;
}

// Ranks of values, the largest first; what is equal to ten decimals shares the best rank, null has none.
export function ranksOf(values) {
  const settled = values.map((value) =>
    value === null ? null : Math.round(value * 1e10),
  );
  const rank = (value) =>
    1 + settled.filter((other) => other !== null && other > value).length;
  const ranked = (value) => (value === null ? null : rank(value));
  return settled.map(ranked);
}

// Where a score stands among those that are known: its rank, and the share of the others that are lower.
export function standingOf(score, known) {
  const above = known.filter((other) => other > score).length;
  const below = known.filter((other) => other < score).length;
  const same = known.length - above - below;
  const others = known.length - 1;
  return {
    rank: above + 1,
    share: others ? (below + (same - 1) / 2) / others : 0,
  };
}
