// Sums over the ranks of judged documents, from the first rank on; irmeta.evaluation.measures makes measures of them.
//
// A list is a cell of (system, topic). Its documents stand one after the other, by rank.
#pragma once
#include <algorithm>

#include "bytes.hpp"

namespace core {

using i32 = std::int32_t;

// The judged documents of some lists: the cell of each, its rank from 0, and the code of its grade.
struct Documents {
  const i32* cell;
  const i32* rank;
  const i32* code;
  size_t count;
};

// Call `visit` with the cell, the rank and the code of every document above rank k, and `begin` before each list.
template <class Begin, class Visit>
void each(const Documents& documents, i64 k, Begin begin, Visit visit) {
  i32 before = -1;
  for (size_t i = 0; i < documents.count; ++i) {
    if (documents.cell[i] != before) {
      before = documents.cell[i];
      begin();
    }
    if (documents.rank[i] < k) visit(before, documents.rank[i], documents.code[i]);
  }
}

// Count the documents from a code on.
inline void counts(const Documents& documents, i64 k, i64 relevant, double* found) {
  each(documents, k, [] {}, [&](i32 cell, i32, i32 code) { found[cell] += code >= relevant; });
}

// Sum the precisions at relevant documents.
inline void precisions(const Documents& documents, i64 k, i64 relevant, double* sums) {
  double found = 0;
  each(documents, k, [&] { found = 0; }, [&](i32 cell, i32 rank, i32 code) {
    if (code >= relevant) sums[cell] += ++found / (rank + 1.0);
  });
}

// The reciprocal rank of the first relevant document.
inline void firsts(const Documents& documents, i64 k, i64 relevant, double* reciprocal) {
  each(documents, k, [] {}, [&](i32 cell, i32 rank, i32 code) {
    if (code >= relevant && reciprocal[cell] == 0) reciprocal[cell] = 1 / (rank + 1.0);
  });
}

// Sum gain x weight: gains by code, weights by rank.
inline void gains(const Documents& documents, i64 k, const double* gain, const double* weight, double* sums) {
  each(documents, k, [] {}, [&](i32 cell, i32 rank, i32 code) { sums[cell] += gain[code] * weight[rank]; });
}

// Sum the chances to stop at a rank over the rank: chances to stop for who reaches it, by code.
inline void stops(const Documents& documents, i64 k, const double* stop, double* sums) {
  double reached = 1;
  each(documents, k, [&] { reached = 1; }, [&](i32 cell, i32 rank, i32 code) {
    sums[cell] += stop[code] * reached / (rank + 1.0);
    reached *= 1 - stop[code];
  });
}

// Sum over relevant documents how many judged non-relevant ones stand above, at most as many as are relevant in all.
inline void above(const Documents& documents, i64 judged, i64 relevant, const i64* most, i64 topics, double* sums) {
  i64 passed = 0;
  each(documents, INT64_MAX, [&] { passed = 0; }, [&](i32 cell, i32, i32 code) {
    if (code >= relevant) {
      sums[cell] += static_cast<double>(std::min(passed, most[cell % topics]));
    } else {
      passed += code >= judged;
    }
  });
}

}  // namespace core
