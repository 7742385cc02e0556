// Sums over the ranks of judged documents, from the first rank on; irmeta.evaluation.grades.measures makes measures of them.
#pragma once
#include <algorithm>

#include "bytes.hpp"

namespace core {

// The judged documents of some lists, list after list, by rank.
struct Lists {
  const i64* first;  // where each list begins, and where the last one ends
  size_t count;
  const i32* cell;  // of each document its list, as system x topics + topic,
  const i32* rank;  // its rank from 0,
  const i32* code;  // and the code of its grade
};

// Call `visit` for each list with its cell, and where its documents above a rank begin and end; `end` is the rank.
template <class End, class Visit>
void each(const Lists& lists, End end, Visit visit) {
  for (size_t list = 0; list < lists.count; ++list) {
    const i64 from = lists.first[list], to = lists.first[list + 1];
    const i32 cell = lists.cell[from];
    const i32* const stop = std::lower_bound(lists.rank + from, lists.rank + to, end(cell));
    visit(cell, from, stop - lists.rank);
  }
}

template <class Visit>
void each(const Lists& lists, i64 k, Visit visit) {
  each(lists, [k](i32) { return k; }, visit);
}

// Count the documents from a code on above a rank of each topic.
inline void counts(const Lists& lists, const i64* end, i64 topics, i32 relevant, double* found) {
  each(lists, [&](i32 cell) { return end[cell % topics]; }, [&](i32 cell, i64 from, i64 to) {
    i32 seen = 0;
    for (i64 i = from; i < to; ++i) seen += lists.code[i] >= relevant;
    found[cell] = seen;
  });
}

// Sum the precisions at relevant documents.
inline void precisions(const Lists& lists, i64 k, i32 relevant, double* sums) {
  each(lists, k, [&](i32 cell, i64 from, i64 to) {
    double found = 0, sum = 0;
    for (i64 i = from; i < to; ++i) {
      if (lists.code[i] >= relevant) sum += ++found / (lists.rank[i] + 1.0);
    }
    sums[cell] = sum;
  });
}

// The reciprocal rank of the first relevant document.
inline void firsts(const Lists& lists, i64 k, i32 relevant, double* reciprocal) {
  each(lists, k, [&](i32 cell, i64 from, i64 to) {
    while (from < to && lists.code[from] < relevant) ++from;
    if (from < to) reciprocal[cell] = 1 / (lists.rank[from] + 1.0);
  });
}

// Sum gain x weight: gains by code, weights by rank.
inline void gains(const Lists& lists, i64 k, const double* gain, const double* weight, double* sums) {
  each(lists, k, [&](i32 cell, i64 from, i64 to) {
    double sum = 0;
    for (i64 i = from; i < to; ++i) sum += gain[lists.code[i]] * weight[lists.rank[i]];
    sums[cell] = sum;
  });
}

// Sum the chances that a user stops at a rank over the rank: by code the chance to stop for who comes there.
inline void stops(const Lists& lists, i64 k, const double* stop, double* sums) {
  each(lists, k, [&](i32 cell, i64 from, i64 to) {
    double reached = 1, sum = 0;
    for (i64 i = from; i < to; ++i) {
      const double chance = stop[lists.code[i]];
      sum += chance * reached / (lists.rank[i] + 1.0);
      reached *= 1 - chance;
    }
    sums[cell] = sum;
  });
}

// Sum over relevant documents how many judged non-relevant ones stand above, at most `most` of the topic.
inline void above(const Lists& lists, i32 judged, i32 relevant, const i64* most, i64 topics, double* sums) {
  each(lists, INT64_MAX, [&](i32 cell, i64 from, i64 to) {
    const i64 limit = most[cell % topics];
    i64 passed = 0, sum = 0;
    for (i64 i = from; i < to; ++i) {
      if (lists.code[i] >= relevant) sum += std::min(passed, limit);
      else passed += lists.code[i] >= judged;
    }
    sums[cell] = static_cast<double>(sum);
  });
}

}  // namespace core
