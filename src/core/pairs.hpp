// Rankings of the same items, compared pair by pair, 64 pairs a word; irmeta.stats.rankings.rank says what for.
#pragma once
#include <algorithm>
#include <vector>

#include "bytes.hpp"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace core {

// An item, and at most 64 later ones that it makes pairs with.
struct Word {
  size_t item, first, count;
};

// Of each ranking and word: which pairs rise, and which are not tied.
struct Compared {
  std::vector<u64> rising, untied;

  void compare(const double* rankings, size_t count, size_t items, const std::vector<Word>& words) {
    rising.clear();
    untied.clear();
    for (size_t i = 0; i < count; ++i) {
      for (const Word& word : words) add(rankings + i * items, word);
    }
  }

  void add(const double* ranking, const Word& word) {
    const double* const later = ranking + word.first;
    const double item = ranking[word.item];
    u64 up = 0, down = 0;
    size_t i = 0;
#if defined(__SSE2__)
    const __m128d same = _mm_set1_pd(item);
    for (; i + 2 <= word.count; i += 2) {
      const __m128d two = _mm_loadu_pd(later + i);
      up |= static_cast<u64>(_mm_movemask_pd(_mm_cmpgt_pd(two, same))) << i;
      down |= static_cast<u64>(_mm_movemask_pd(_mm_cmplt_pd(two, same))) << i;
    }
#endif
    for (; i < word.count; ++i) {
      up |= static_cast<u64>(later[i] > item) << i;
      down |= static_cast<u64>(later[i] < item) << i;
    }
    rising.push_back(up);
    untied.push_back(up | down);
  }
};

#if defined(__GNUC__)
#define INLINED inline __attribute__((always_inline))
#else
#define INLINED inline
#endif

INLINED i64 ones(u64 word) {
#if defined(_MSC_VER)
  return static_cast<i64>(__popcnt64(word));
#else
  return __builtin_popcountll(word);
#endif
}

// Add the pairs in the same order less those in the other one, of each two rankings.
INLINED void add_all(const Compared& x, const Compared& y, size_t words, double* counts) {
  for (size_t a = 0; a < x.rising.size(); a += words) {
    for (size_t b = 0; b < y.rising.size(); b += words) {
      i64 sum = 0;
      for (size_t i = 0; i < words; ++i) {
        const u64 both = x.untied[a + i] & y.untied[b + i];
        sum += ones(both) - 2 * ones(both & (x.rising[a + i] ^ y.rising[b + i]));
      }
      *counts++ += static_cast<double>(sum);
    }
  }
}

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("popcnt"))) inline void add_by_instruction(const Compared& x, const Compared& y, size_t words,
                                                                 double* counts) {
  add_all(x, y, words, counts);
}

inline void add(const Compared& x, const Compared& y, size_t words, double* counts) {
  __builtin_cpu_supports("popcnt") ? add_by_instruction(x, y, words, counts) : add_all(x, y, words, counts);
}
#else
inline void add(const Compared& x, const Compared& y, size_t words, double* counts) { add_all(x, y, words, counts); }
#endif

// Count concordant less discordant pairs of items: x (a, item) and y (b, item) to counts (a, b), which begin at 0.
inline void concordance(const double* x, size_t a, const double* y, size_t b, size_t items, double* counts) {
  constexpr size_t AT_ONCE = 32;  // words of a ranking that stay near the processor
  Compared of_x, of_y;
  std::vector<Word> words;
  const auto count = [&] {
    of_x.compare(x, a, items, words);
    of_y.compare(y, b, items, words);
    add(of_x, of_y, words.size(), counts);
    words.clear();
  };
  for (size_t item = 0; item + 1 < items; ++item) {
    for (size_t first = item + 1; first < items; first += 64) {
      words.push_back({item, first, std::min<size_t>(64, items - first)});
      if (words.size() == AT_ONCE) count();
    }
  }
  if (!words.empty()) count();
}

}  // namespace core
