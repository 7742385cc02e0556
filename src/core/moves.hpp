// How tau between two halves moves when one score is left out; irmeta.stats.halves.jackknife says what for.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "bytes.hpp"

namespace core {

// A partition of the topics: rankings (metric, system) on the half with the score, and on the other one.
struct Partition {
  const double* here;
  const i64* order;  // (metric, system): the systems from the lowest to the highest of `here`
  const double* there;
  const double* counts;  // (metric here, metric there), concordant less discordant pairs
  const double* pairs;   // (metric here), which tau divides by
  const double* beside;  // (metric there), 1 / root of the pairs there
};

inline double inverse_root(double pairs) { return pairs > 0 ? 1 / std::sqrt(pairs) : 0; }

// The systems with a value: from `low` to before `high`, in the order of a ranking.
struct Place {
  size_t low, high;
};

class Moves {
 public:
  Moves(size_t metrics, size_t systems, bool untied) : metrics_(metrics), systems_(systems), untied_(untied) {}

  // Add to moves (topic, metric here, metric there) how far tau moves as the system's means become after (member,
  // metric here), without each of the topics of `member`.
  void add(const Partition& one, size_t system, const double* after, const i64* member, size_t members, double* moves) {
    compare(one.there, system);
    places_.resize(members);
    for (size_t metric = 0; metric < metrics_; ++metric) {
      sort(one.here + metric * systems_, one.order + metric * systems_);
      const double before = one.here[metric * systems_ + system];
      const Place old = place(before);
      for (size_t i = 0; i < members; ++i) places_[i] = place(after[i * metrics_ + metric]);
      sum(old, one.order + metric * systems_);
      const double* const counts = one.counts + metric * metrics_;
      const double root = inverse_root(one.pairs[metric]);
      for (size_t i = 0; i < members; ++i) {
        const Place now = places_[i];
        double pairs = one.pairs[metric];
        if (untied_) {
          // the system itself is among those with its old mean
          pairs += static_cast<double>(old.high - old.low) - static_cast<double>(now.high - now.low);
          pairs -= after[i * metrics_ + metric] != before;
        }
        const double root_after = inverse_root(pairs);
        const i32* const low = sums_of(now.low);
        const i32* const high = sums_of(now.high);
        const i32* const old_low = sums_of(old.low);
        const i32* const old_high = sums_of(old.high);
        double* const out = moves + (static_cast<size_t>(member[i]) * metrics_ + metric) * metrics_;
        for (size_t other = 0; other < metrics_; ++other) {
          const i32 change = low[other] + high[other] - old_low[other] - old_high[other];
          const double tau = (change + counts[other]) * root_after * one.beside[other];
          out[other] += tau - counts[other] * root * one.beside[other];
        }
      }
    }
  }

 private:
  // Sign of the system less each one on the other half: (system, metric there).
  void compare(const double* there, size_t system) {
    signs_.resize(systems_ * metrics_);
    for (size_t metric = 0; metric < metrics_; ++metric) {
      const double* const ranking = there + metric * systems_;
      const double own = ranking[system];
      for (size_t j = 0; j < systems_; ++j) signs_[j * metrics_ + metric] = (own > ranking[j]) - (own < ranking[j]);
    }
  }

  void sort(const double* ranking, const i64* order) {
    sorted_.resize(systems_);
    for (size_t i = 0; i < systems_; ++i) sorted_[i] = ranking[order[i]];
  }

  Place place(double value) const {
    const auto low = std::lower_bound(sorted_.begin(), sorted_.end(), value);
    const auto high = std::upper_bound(low, sorted_.end(), value);
    return {static_cast<size_t>(low - sorted_.begin()), static_cast<size_t>(high - sorted_.begin())};
  }

  // Add up the signs in the order of a ranking, from the lowest to the highest place that is needed.
  void sum(Place old, const i64* order) {
    first_ = old.low;
    size_t last = old.high;
    for (const Place& now : places_) {
      first_ = std::min(first_, now.low);
      last = std::max(last, now.high);
    }
    sums_.assign((last - first_ + 1) * metrics_, 0);
    for (size_t at = first_; at < last; ++at) {
      const i32* const before = sums_of(at);
      const i32* const sign = signs_.data() + static_cast<size_t>(order[at]) * metrics_;
      i32* const next = sums_.data() + (at + 1 - first_) * metrics_;
      for (size_t metric = 0; metric < metrics_; ++metric) next[metric] = before[metric] + sign[metric];
    }
  }

  const i32* sums_of(size_t at) const { return sums_.data() + (at - first_) * metrics_; }

  size_t metrics_, systems_, first_ = 0;
  bool untied_;
  std::vector<i32> signs_, sums_;
  std::vector<double> sorted_;
  std::vector<Place> places_;
};

}  // namespace core
