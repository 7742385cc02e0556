// Lines of a run file, piece by piece, to the ranks of its judged documents.
//
// Whatever is not regular ends the reading: topics that stand in several places, repeated documents, lines without six
// fields, infinite scores, control characters. Python reads such a file, and says what is wrong and where.
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "bytes.hpp"
#include "judgments.hpp"
#include "numbers.hpp"

namespace core {

class Run {
 public:
  // of each judged document that is retrieved: its topic, its rank from 0, and the row of its judgment
  std::vector<i64> topic, rank, judgment;
  std::vector<i64> retrieved;  // by topic
  // of each of the first documents of a list, as many as asked for: its topic, its rank, and where its id ends
  std::vector<i64> top_topic, top_rank, top_end;
  std::string top_ids;
  i64 other_topics = 0;
  i64 disagreeing = 0;
  i64 constant = 0;  // lists of several documents, all of one score
  i64 tied = 0;  // documents of judged topics that have the score of another of their list
  i64 rounded = 0;  // lists in which single precision would order judged documents otherwise
  u64 order = 0;
  bool regular = true;
  bool ascii = true;
  bool more_tags = false;
  std::string tag;

  // single : round scores to single precision.  top : how many documents of each list are wanted with their ids.
  Run(const Judgments& judgments, bool single, i64 top)
      : retrieved(judgments.topics()), judgments_(judgments), single_(single), top_(top) {}

  void feed(const char* data, size_t n) {
    if (!regular || !n) return;
    text_.resize(left_ + n + PADDING);
    std::memcpy(&text_[left_], data, n);
    const size_t size = left_ + n;
    std::memset(&text_[size], '\n', PADDING);
    size_t from = 0;
    // so much at a time that the places of blanks stay in the first cache
    for (size_t to; (to = lines_end(from, size)) > from && regular; from = to) {
      find_blanks(from, to);
      take_lines(from);
    }
    left_ = size - from;
    std::memmove(&text_[0], &text_[from], left_);
    regular &= left_ <= LONGEST;
  }

  // Documents of the list that has not ended.
  size_t pending() const { return count_; }

  void finish() {
    if (left_) feed("\n", 1);
    if (regular) close();
  }

 private:
  struct Document {
    double score;
    u64 key;
    u64 column;  // the rank column, as bytes in their order
    u32 begin;  // of the id
    u32 length;
    i32 judgment;
  };
  static constexpr size_t CHUNK = 1 << 15;
  static constexpr size_t LONGEST = 1 << 20;  // bytes of a line
  static constexpr size_t AHEAD = 12;
  static constexpr i64 NONE = -2, NOT_JUDGED = -1;

  const Judgments& judgments_;
  const bool single_;
  const i64 top_;

  std::vector<char> text_;  // what has not been taken, and so much behind it
  size_t left_ = 0;
  std::vector<u32> blanks_;  // where bytes up to the blank stand, behind the beginning of the chunk
  bool begun_ = false;

  std::string name_;  // of the topic whose lines are read
  size_t name_length_ = 0;
  i64 current_ = NONE;
  std::set<std::string> others_;
  std::vector<Document> documents_;
  std::vector<char> ids_;
  size_t used_ = 0;
  std::vector<u32> slots_ = std::vector<u32>(64);  // by hash the number of a document, from 1
  size_t count_ = 0;  // of documents
  double before_ = INFINITY;
  bool falls_ = true, ties_ = false;
  std::vector<std::pair<double, size_t>> sorted_;
  std::vector<size_t> order_;
  std::string padded_tag_;

  // Return where the last line ends that fits a chunk; where a longer line ends; or `from`, if no line ends.
  size_t lines_end(size_t from, size_t size) const {
    size_t to = std::min(size, from + CHUNK);
    while (to > from && text_[to - 1] != '\n') --to;
    if (to > from || size - from <= CHUNK) return to;
    const void* found = std::memchr(&text_[from + CHUNK], '\n', size - from - CHUNK);
    if (!found) return from;
    return static_cast<size_t>(static_cast<const char*>(found) - text_.data()) + 1;
  }

  void find_blanks(size_t from, size_t to) {
    blanks_.resize(to - from + 64);
    u32* out = blanks_.data();
    const char* p = &text_[from];
    const size_t n = to - from;
#if defined(__SSE2__)
    const __m128i blank = _mm_set1_epi8(' ');
    int high = 0;
    for (size_t i = 0; i < n; i += 64) {
      u64 found = 0;
      for (unsigned part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i + 16 * part));
        const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes);
        found |= static_cast<u64>(static_cast<unsigned>(_mm_movemask_epi8(low))) << (16 * part);
        high |= _mm_movemask_epi8(bytes);
      }
      if (n - i < 64) found &= (u64(1) << (n - i)) - 1;
      for (; found; found &= found - 1) *out++ = static_cast<u32>(i) + lowest_bit(found);
    }
    ascii &= high == 0;
#else
    unsigned char high = 0;
    for (size_t i = 0; i < n; ++i) {
      const unsigned char byte = static_cast<unsigned char>(p[i]);
      high |= byte;
      *out = static_cast<u32>(i);
      out += byte <= ' ';
    }
    ascii &= high < 128;
#endif
    blanks_.resize(static_cast<size_t>(out - blanks_.data()));
  }

#if defined(__SSE2__)
  static u32 lowest_bit(u64 word) {
#if defined(_MSC_VER)
    unsigned long bit;
    _BitScanForward64(&bit, word);
    return bit;
#else
    return static_cast<u32>(__builtin_ctzll(word));
#endif
  }
#endif

  void take_lines(size_t from) {
    const char* const p = &text_[from];
    size_t begin = 0;
    for (size_t next = 0; next < blanks_.size() && regular;) {
      const char* field[6];
      size_t length[6];
      size_t count = 0;
      const bool comment = p[begin] == '#';
      for (bool ends = false; !ends; ++next) {
        const size_t at = blanks_[next];
        if (at > begin) {
          if (count < 6) {
            field[count] = p + begin;
            length[count] = at - begin;
          }
          ++count;
        }
        begin = at + 1;
        ends = p[at] == '\n';
        if (!ends && p[at] != ' ' && p[at] != '\t' && !(p[at] == '\r' && p[at + 1] == '\n')) {
          regular = false;
          return;
        }
      }
      if (count && !comment) regular = count == 6 && take(field, length);
    }
  }

  bool take(const char* const* field, const size_t* length) {
    if (!begun_) {
      begun_ = true;
      // a byte order mark, and what may be JSON
      if (*field[0] == '\xEF' || *field[0] == '{') return false;
      tag.assign(field[5], length[5]);
      padded_tag_ = tag + std::string(PADDING, '\n');
    }
    more_tags |= length[5] != tag.size() || !same(field[5], padded_tag_.data(), length[5]);
    const bool goes_on = current_ != NONE && length[0] == name_length_ && same(field[0], name_.data(), length[0]);
    if (!goes_on) {
      close();
      if (!open(field[0], length[0])) return false;
    }
    double score;
    if (!number(field[4], field[4] + length[4], score)) return false;
    if (single_) score = static_cast<float>(score);
    return add(field[2], length[2], score, ordered(field[3], length[3]) >> (64 - 8 * std::min<size_t>(length[3], 8)));
  }

  // Begin the list of a topic; false if it had one before.
  bool open(const char* name, size_t n) {
    name_.assign(name, n);
    current_ = judgments_.place(name_);
    const bool is_new = current_ == NOT_JUDGED ? others_.insert(name_).second : retrieved[static_cast<size_t>(current_)] == 0;
    other_topics += current_ == NOT_JUDGED;
    name_length_ = n;
    name_.append(PADDING, '\n');
    return is_new;
  }

  // Take a document; false if the list has it already, or if too many hashes collide.
  bool add(const char* id, size_t n, double score, u64 column) {
    const u64 key = judgments_.hash(id, n);
    const size_t mask = slots_.size() - 1;
    size_t at = (key >> 32) & mask;
    for (u32 steps = 0; slots_[at]; ++steps) {
      const Document& other = documents_[slots_[at] - 1];
      if (other.key == key && other.length == n && same(&ids_[other.begin], id, n)) return false;
      if (steps == STEPS) return false;
      at = (at + 1) & mask;
    }
    if (used_ + n > UINT32_MAX) return false;
    falls_ &= score <= before_;
    ties_ |= score == before_;
    before_ = score;
    if (ids_.size() < used_ + n + PADDING) ids_.resize(2 * ids_.size() + n + 4096);
    // both can be read and written beyond their ends, and so many bytes at once are quicker than few
    if (n <= 16) std::memcpy(&ids_[used_], id, 16);
    else std::memcpy(&ids_[used_], id, n);
    if (count_ == documents_.size()) documents_.resize(2 * count_ + 1024);
    Document& document = documents_[count_++];
    document.score = score;
    document.key = key;
    document.column = column;
    document.begin = static_cast<u32>(used_);
    document.length = static_cast<u32>(n);
    used_ += n;
    slots_[at] = static_cast<u32>(count_);
    if (4 * count_ > slots_.size()) grow();
    return true;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    const size_t mask = slots_.size() - 1;
    for (size_t i = 0; i < count_; ++i) {
      size_t at = (documents_[i].key >> 32) & mask;
      while (slots_[at]) at = (at + 1) & mask;
      slots_[at] = static_cast<u32>(i + 1);
    }
  }

  // End a list: rank it, and keep where its judged documents stand.
  void close() {
    if (current_ >= 0) {
      judge();
      retrieved[static_cast<size_t>(current_)] = static_cast<i64>(count_);
      sort();
      constant += count_ > 1 && documents_[order_.front()].score == documents_[order_.back()].score;
      rounded += !single_ && moves_if_rounded();
      look();
    }
    current_ = NONE;
    // short lists must not pay for a long one
    if (slots_.size() > 64 && 32 * count_ < slots_.size()) slots_.resize(64);
    std::fill(slots_.begin(), slots_.end(), 0);
    count_ = used_ = 0;
    before_ = INFINITY;
    falls_ = true;
    ties_ = false;
  }

  // Look up the judgments of the list's documents. Those of all topics are larger than the first caches: what a topic
  // has is fetched as a whole for a list that is long enough to need much of it, else for a few documents ahead.
  void judge() {
    const Judged& judged = judgments_.of(current_);
    const bool all = judged.bytes() <= 2 * CACHE_LINE * count_;
    if (all) judged.fetch_all();
    for (size_t i = 0; i < count_; ++i) {
      if (!all && i + AHEAD < count_) judged.fetch(documents_[i + AHEAD].key);
      Document& document = documents_[i];
      document.judgment = judged.find(document.key, &ids_[document.begin], document.length);
    }
  }

  // Order the documents by score, the highest first; ties by id, the last in the order of bytes first.
  void sort() {
    const size_t n = count_;
    order_.resize(n);
    for (size_t i = 0; i < n; ++i) order_[i] = i;
    if (!falls_) {
      sorted_.clear();
      for (size_t i = 0; i < n; ++i) sorted_.emplace_back(-documents_[i].score, i);
      std::sort(sorted_.begin(), sorted_.end());
      for (size_t i = 0; i < n; ++i) order_[i] = sorted_[i].second;
    }
    if (falls_ && !ties_) return;
    each_tie([&](size_t from, size_t to) {
      if (to - from == 1) return;
      tied += static_cast<i64>(to - from);
      std::sort(&order_[from], &order_[from] + (to - from), [&](size_t one, size_t other) {
        const Document &a = documents_[one], &b = documents_[other];
        return behind(&ids_[a.begin], a.length, &ids_[b.begin], b.length);
      });
    });
  }

  // Call `visit` with the beginning and the end of each group of documents of equal scores.
  template <class Visit>
  void each_tie(Visit visit) {
    for (size_t from = 0, to; from < order_.size(); from = to) {
      const double score = documents_[order_[from]].score;
      for (to = from + 1; to < order_.size() && documents_[order_[to]].score == score;) ++to;
      visit(from, to);
    }
  }

  // Whether documents that only double precision tells apart, a judged one among them, stand otherwise than by id.
  bool moves_if_rounded() const {
    bool moves = false, judged = false;
    for (size_t place = 0; place < order_.size(); ++place) {
      const Document& document = documents_[order_[place]];
      const Document& before = documents_[order_[place ? place - 1 : 0]];
      if (place && static_cast<float>(document.score) == static_cast<float>(before.score)) {
        moves |= document.score < before.score &&
                 behind(&ids_[document.begin], document.length, &ids_[before.begin], before.length);
      } else {
        moves = judged = false;
      }
      judged |= document.judgment >= 0;
      if (moves && judged) return true;
    }
    return false;
  }

  void look() {
    const u64 of_topic = (static_cast<u64>(current_) + 1) * 0xD6E8FEB86659FD93ull;
    const bool plain = falls_ && !ties_;
    bool wrong = false;
    u64 before = 0;
    for (size_t place = 0; place < order_.size(); ++place) {
      const Document& document = documents_[order_[place]];
      wrong |= place && document.column <= before;
      before = document.column;
      const char* const id = &ids_[document.begin];
      const i64 at = static_cast<i64>(place);
      const u64 pair = fixed_hash(id, document.length) ^ of_topic;
      order += scrambled(scrambled(pair + place * MIX));
      if (document.judgment >= 0) {
        topic.push_back(current_);
        rank.push_back(at);
        judgment.push_back(document.judgment);
      }
      if (at < top_) {
        top_topic.push_back(current_);
        top_rank.push_back(at);
        top_ids.append(id, document.length);
        top_end.push_back(static_cast<i64>(top_ids.size()));
      }
    }
    disagreeing += plain ? wrong : disagrees();
  }

  // Whether the rank column contradicts the order by score where there are ties, which may be in any order.
  bool disagrees() {
    bool wrong = false, first = true;
    u64 before = 0;
    each_tie([&](size_t from, size_t to) {
      u64 least = ~u64(0), most = 0;
      for (size_t i = from; i < to; ++i) {
        const u64 column = documents_[order_[i]].column;
        least = std::min(least, column);
        most = std::max(most, column);
      }
      wrong |= !first && least <= before;
      before = most;
      first = false;
    });
    return wrong;
  }
};

}  // namespace core
