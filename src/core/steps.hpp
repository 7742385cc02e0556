// One test of many differences at once; irmeta.stats.tests.stepdown says what is counted, and why.
#pragma once
#include <algorithm>
#include <vector>

#include "bytes.hpp"

namespace core {

// Pairs of rows, from the least clear to the clearest.
struct Pairs {
  const i64* better;
  const i64* worse;
  const double* unit;   // what makes a statistic of a difference,
  const double* least;  // and what reaches that of the data
  size_t count;
};

// Add for each pair the draws in which a pair that is no clearer, or any that is reversed, reaches it. What is drawn of
// a row lies side by side for ABREAST draws, so that one instruction works on several.
template <size_t ABREAST>
void reached(const double* drawn, const Pairs& pairs, i64* found) {
  const auto each = [&](size_t pair, auto visit) {
    const double* const better = drawn + pairs.better[pair] * ABREAST;
    const double* const worse = drawn + pairs.worse[pair] * ABREAST;
    for (size_t draw = 0; draw < ABREAST; ++draw) visit(draw, (better[draw] - worse[draw]) * pairs.unit[pair]);
  };
  double lowest[ABREAST] = {};
  for (size_t pair = 0; pair < pairs.count; ++pair) {
    each(pair, [&](size_t draw, double ratio) { lowest[draw] = std::min(lowest[draw], ratio); });
  }
  double largest[ABREAST];
  for (size_t draw = 0; draw < ABREAST; ++draw) largest[draw] = -lowest[draw];
  for (size_t pair = 0; pair < pairs.count; ++pair) {
    each(pair, [&](size_t draw, double ratio) { largest[draw] = std::max(largest[draw], ratio); });
    for (size_t draw = 0; draw < ABREAST; ++draw) found[pair] += largest[draw] >= pairs.least[pair];
  }
}

// The same of all draws, of which one lies after the other: (draw, row).
inline void reached(const double* drawn, size_t draws, size_t rows, const Pairs& pairs, i64* found) {
  constexpr size_t ABREAST = 8;
  std::vector<double> beside(rows * ABREAST);
  size_t draw = 0;
  for (; draw + ABREAST <= draws; draw += ABREAST) {
    for (size_t row = 0; row < rows; ++row) {
      for (size_t at = 0; at < ABREAST; ++at) beside[row * ABREAST + at] = drawn[(draw + at) * rows + row];
    }
    reached<ABREAST>(beside.data(), pairs, found);
  }
  for (; draw < draws; ++draw) reached<1>(drawn + draw * rows, pairs, found);
}

}  // namespace core
