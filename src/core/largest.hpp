// The largest of the differences of all pairs in each draw; irmeta.stats.rankings.ranksets says what is drawn, and why.
#pragma once
#include <cmath>
#include <cstring>
#include <vector>

#include "bytes.hpp"

namespace core {

// Systems, each with a number for each topic, and whether it has a score there; or none, where means of systems were
// drawn: a system is then its own topic.
struct Systems {
  const float* value;
  const bool* known;
  const float* open;  // what makes a statistic of the difference of one from another, 0 where it is claimed
  size_t count, topics;
};

// The topics that a system shares with each later one, and its differences there, one pair after the other.
struct Shared {
  std::vector<size_t> first;
  std::vector<unsigned> topic;
  std::vector<float> difference;

  explicit Shared(const Systems& systems)
      : topic(systems.count * (systems.topics + 2)), difference(topic.size()), mine(systems.topics) {}

  void look(const Systems& systems, size_t system) {
    end = 0;
    first.assign(1, end);
    size_t count = 0;
    for (size_t at = 0; systems.value && at < systems.topics; ++at) {
      if (systems.known[system * systems.topics + at]) mine[count++] = static_cast<unsigned>(at);
    }
    for (size_t other = system + 1; other < systems.count; ++other) {
      if (systems.value) {
        with(systems, system, other, count);
      } else {
        topic[end] = static_cast<unsigned>(system);
        difference[end++] = 1;
        topic[end] = static_cast<unsigned>(other);
        difference[end++] = -1;
      }
      first.push_back(end);
    }
  }

 private:
  size_t end = 0;
  std::vector<unsigned> mine;

  // Without a branch, which a processor would guess wrong: the next topic overwrites one that is not shared.
  void with(const Systems& systems, size_t system, size_t other, size_t count) {
    const float* const here = systems.value + system * systems.topics;
    const float* const there = systems.value + other * systems.topics;
    const bool* const known = systems.known + other * systems.topics;
    for (size_t i = 0; i < count; ++i) {
      topic[end] = mine[i];
      difference[end] = here[mine[i]] - there[mine[i]];
      end += known[mine[i]];
    }
  }
};

// Draws, one row of weights of the topics each, those of signs first.
struct Drawn {
  const float* weight;
  size_t signs, count;
};

// What lies side by side, as a register holds it.
template <class Register, class Of>
void load(const Of* from, Register& value) {
  std::memcpy(&value, from, sizeof(Register));
}

template <class Register, class Of>
void store(const Register& value, Of* to) {
  std::memcpy(to, &value, sizeof(Register));
}

// Draws that are worked on together, a few registers of them, so that their weights stay near the processor. One
// instruction works on all that a register holds.
template <class Floats, class Ints>
class Abreast {
  static constexpr size_t REGISTERS = 4, LANES = sizeof(Floats) / sizeof(float), ALL = REGISTERS * LANES;
  size_t start, draws;
  bool signs;
  std::vector<float> weight;  // (topic, draw)
  float most[ALL] = {};
  int pair[ALL] = {};  // of systems: number of the better times their count, and that of the worse

 public:
  // The draws from a first one to the last of its law or of the block, whichever is earlier.
  Abreast(const Drawn& drawn, size_t first, size_t topics)
      : start(first), signs(first < drawn.signs), weight(topics * ALL) {
    const size_t law = signs ? drawn.signs : drawn.count;
    draws = law - start < ALL ? law - start : ALL;
    const float* const given = drawn.weight + start * topics;
    for (size_t draw = 0; draw < draws; ++draw) {
      for (size_t topic = 0; topic < topics; ++topic) weight[topic * ALL + draw] = given[draw * topics + topic];
    }
  }

  size_t stop() const { return start + draws; }

  // Compare a system with all later ones.
  void compare(const Systems& systems, size_t system, const Shared& shared) {
    signs ? compared<true>(systems, system, shared) : compared<false>(systems, system, shared);
  }

  void tell(size_t systems, float* largest, i64* pairs) const {
    for (size_t draw = 0; draw < draws; ++draw) {
      const i64 both = pair[draw], count = static_cast<i64>(systems);
      largest[start + draw] = most[draw];
      pairs[2 * (start + draw)] = both / count;
      pairs[2 * (start + draw) + 1] = both % count;
    }
  }

 private:
  // Weights that are no signs get a mean square of 1 over the topics that two systems share.
  template <bool SIGNS>
  void compared(const Systems& systems, size_t system, const Shared& shared) {
    for (size_t at = 0; at + 1 < shared.first.size(); ++at) {
      const size_t begin = shared.first[at], end = shared.first[at + 1];
      if (begin == end) continue;
      Floats sum[REGISTERS] = {}, square[REGISTERS] = {};
      for (size_t i = begin; i < end; ++i) {
        const float* const weights = weight.data() + shared.topic[i] * ALL;
        for (size_t r = 0; r < REGISTERS; ++r) {
          Floats w;
          load(weights + r * LANES, w);
          sum[r] += shared.difference[i] * w;
          if (!SIGNS) square[r] += w * w;
        }
      }
      if (!SIGNS) {
        const float topics = static_cast<float>(end - begin);
        for (size_t r = 0; r < REGISTERS; ++r) {
          square[r] /= topics;
          root(square[r]);
          sum[r] /= square[r];
        }
      }
      const size_t other = system + 1 + at;
      const size_t above = system * systems.count + other, below = other * systems.count + system;
      for (size_t r = 0; r < REGISTERS; ++r) {
        keep(r, sum[r] * systems.open[above], static_cast<int>(above));
        keep(r, sum[r] * -systems.open[below], static_cast<int>(below));
      }
    }
  }

  void keep(size_t r, const Floats& value, int of) {
    Floats before;
    Ints pairs;
    load(most + r * LANES, before);
    load(pair + r * LANES, pairs);
    const auto more = value > before;
    store(more ? value : before, most + r * LANES);
    store(more ? Ints{} + of : pairs, pair + r * LANES);
  }

  // The root; of 0, where nothing is drawn, 1.
  static void root(Floats& of) {
    float lane[LANES];
    store(of, lane);
    for (float& one : lane) one = one == 0 ? 1 : std::sqrt(one);
    load(lane, of);
  }
};

// Find the largest statistic of some systems and the later ones: (draw,), and the better and the worse system of it.
template <class Floats, class Ints>
void largest(const Systems& systems, const Drawn& drawn, size_t from, size_t to, float* most, i64* pairs) {
  std::vector<Abreast<Floats, Ints>> blocks;
  for (size_t start = 0; start < drawn.count; start = blocks.back().stop()) {
    blocks.emplace_back(drawn, start, systems.topics);
  }
  Shared shared(systems);
  for (size_t system = from; system < to; ++system) {
    shared.look(systems, system);
    for (auto& block : blocks) block.compare(systems, system, shared);
  }
  for (const auto& block : blocks) block.tell(systems.count, most, pairs);
}

#ifdef __GNUC__
typedef float Floats4 __attribute__((vector_size(16)));
typedef int Ints4 __attribute__((vector_size(16)));
#else
typedef float Floats4;
typedef int Ints4;
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define WIDER 1
typedef float Floats8 __attribute__((vector_size(32)));
typedef int Ints8 __attribute__((vector_size(32)));

// The same by registers of twice the size, which nearly all processors have.
__attribute__((target("avx2"), flatten)) inline void largest_by_eight(const Systems& systems, const Drawn& drawn,
                                                                      size_t from, size_t to, float* most, i64* pairs) {
  largest<Floats8, Ints8>(systems, drawn, from, to, most, pairs);
}
#endif

inline void largest(const Systems& systems, const Drawn& drawn, size_t from, size_t to, float* most, i64* pairs) {
#ifdef WIDER
  if (__builtin_cpu_supports("avx2")) return largest_by_eight(systems, drawn, from, to, most, pairs);
#endif
  largest<Floats4, Ints4>(systems, drawn, from, to, most, pairs);
}

}  // namespace core
