// Feed mutated run files to the core's reader, and what it finds to its sums: ./fuzz FILES SEED. Sanitizers watch.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "../../src/core/measures.hpp"
#include "../../src/core/run.hpp"

using namespace core;

namespace {

std::mt19937_64 random_bits;

size_t below(size_t end) { return static_cast<size_t>(random_bits() % end); }

template <class Options>
auto one_of(const Options& options) {
  return options[below(std::size(options))];
}

const char* const TOPICS[] = {"1", "topic-of-nine", "002", "other", "\xC3\xA4"};
const char* const SCORES[] = {"1.5",     "-2", "1e3", "nan",  "inf", "0.12345678901234567890123", "16777217", "1e-320",
                              "1e99999", ".",  "+5.", "1e-7", "",    "123456789012345678901234", "-0",       "1.5"};
const char* const ENDS[] = {"\n", "\n", "\n", "\n", "\r\n", " \n", "\n\n", "\n# comment\n", "\r", "\0", ""};
const char ODD[] = "\0\n\r\t #.-+eE019\x7f\xff{";

std::string document() {
  std::string id = "d" + std::to_string(below(30));
  if (below(9) == 0) id.append(below(60), 'x');
  return id;
}

std::string file() {
  std::string text;
  for (size_t lists = below(5); lists-- > 0;) {
    const std::string topic = one_of(TOPICS);
    for (size_t lines = below(40); lines-- > 0;) {
      const std::string score = below(4) ? std::to_string(static_cast<int>(below(20)) - 5) : one_of(SCORES);
      text += topic + " Q0 " + document() + (below(20) ? " " : "\t ") + std::to_string(lines) + " " + score + " tag";
      text += one_of(ENDS);
    }
  }
  for (size_t faults = below(4); faults-- > 0 && !text.empty();) {
    const size_t at = below(text.size());
    switch (below(4)) {
      case 0: text[at] = one_of(ODD); break;
      case 1: text.erase(at, below(30)); break;
      case 2: text.insert(at, below(200), one_of(ODD)); break;
      default: text += text.substr(at, below(100));
    }
  }
  return text;
}

void sum(const Run& run, size_t topics) {
  std::vector<i32> cell(run.topic.begin(), run.topic.end()), rank(run.rank.begin(), run.rank.end()), code;
  for (i64 row : run.judgment) code.push_back(static_cast<i32>(row % 4));
  std::vector<i64> first;
  for (size_t i = 0; i < cell.size(); ++i) {
    if (!i || cell[i] != cell[i - 1]) first.push_back(static_cast<i64>(i));
  }
  first.push_back(static_cast<i64>(cell.size()));
  const Lists lists{first.data(), first.size() - 1, cell.data(), rank.data(), code.data()};
  const std::vector<double> values(64, 0.5);
  const std::vector<i64> most(topics, 3);
  std::vector<double> sums(topics);
  counts(lists, most.data(), static_cast<i64>(topics), 2, sums.data());
  precisions(lists, 10, 2, sums.data());
  firsts(lists, 10, 2, sums.data());
  gains(lists, 64, values.data(), values.data(), sums.data());
  stops(lists, 10, values.data(), sums.data());
  above(lists, 1, 2, most.data(), static_cast<i64>(topics), sums.data());
}

}  // namespace

int main(int, char** arguments) {
  const size_t files = std::strtoull(arguments[1], nullptr, 10);
  random_bits.seed(std::strtoull(arguments[2], nullptr, 10));
  Judgments judgments({random_bits(), random_bits() | 1});
  std::string ids;
  std::vector<i64> start, length, topic;
  for (i64 place = 0; place < 3; ++place) {
    judgments.topic(TOPICS[place], std::strlen(TOPICS[place]));
    for (int i = 0; i < 20; ++i) {
      const std::string id = "d" + std::to_string(i) + (i < 4 ? std::string(static_cast<size_t>(20 * i), 'x') : "");
      start.push_back(static_cast<i64>(ids.size()));
      length.push_back(static_cast<i64>(id.size()));
      topic.push_back(place);
      ids += id;
    }
  }
  if (!judgments.fill(ids.data(), start.data(), length.data(), topic.data(), start.size())) return 1;
  size_t regular = 0;
  for (size_t i = 0; i < files; ++i) {
    const std::string text = file();
    Run run(judgments, below(2), static_cast<i64>(below(5)));
    for (size_t from = 0; from < text.size();) {
      const size_t size = std::min(text.size() - from, below(300));
      const std::vector<char> piece(text.begin() + static_cast<long>(from), text.begin() + static_cast<long>(from + size));
      run.feed(piece.data(), piece.size());  // a copy of its own, so that reading beyond its end is noticed
      from += size;
    }
    run.finish();
    regular += run.regular;
    if (run.regular) sum(run, judgments.topics());
  }
  std::printf("%zu %zu\n", files, regular);
}
