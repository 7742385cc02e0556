// Which documents are judged.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "bytes.hpp"

namespace core {

// So many steps in a table of hashes are never needed, but by ids chosen to collide; then others have to do the work.
constexpr u32 STEPS = 1024;
constexpr size_t CACHE_LINE = 64;

// The judged documents of a topic: a table of their hashes, and their ids.
class Judged {
 public:
  explicit Judged(size_t documents) {
    // at most two thirds of the table are full
    size_t size = 16;
    while (2 * size < 3 * documents) size *= 2;
    mask_ = size - 1;
    slots_.assign(size, Slot());
    filter_.assign(size / 4, 0);
    begin_.reserve(documents + 1);
    begin_.push_back(0);
  }

  // Take a document, the row of whose judgment is given; false if too many hashes collide, or ids are too long.
  bool take(u64 key, const char* id, size_t n, i32 row) {
    if (ids_.size() + n > UINT32_MAX) return false;
    row_.push_back(row);
    ids_.append(id, n);
    begin_.push_back(static_cast<u32>(ids_.size()));
    const u64 bit = filter_bit(key);
    filter_[bit >> 6] |= u64(1) << (bit & 63);
    size_t at = key & mask_;
    for (u32 steps = 0; slots_[at].place; ++steps) {
      if (steps == STEPS) return false;
      at = (at + 1) & mask_;
    }
    slots_[at] = {static_cast<u32>(key >> 32), static_cast<u32>(row_.size())};
    return true;
  }

  // All documents are there.
  void end() { ids_.append(PADDING, '\n'); }

  // The bytes that `fetch_all` brings.
  size_t bytes() const {
    return slots_.size() * (sizeof(Slot) + 2) + row_.size() * (sizeof(u32) + sizeof(i32)) + ids_.size();
  }

  // Have all at hand that `find` looks at: in order, memory comes faster than piece by piece.
  void fetch_all() const {
    touch(filter_);
    touch(slots_);
    touch(begin_);
    touch(row_);
    touch(ids_);
  }

  // Have what `find` looks at first on its way.
  void fetch(u64 key) const {
    fetched(&filter_[filter_bit(key) >> 6]);
    fetched(&slots_[key & mask_]);
  }

  // The row of a document's judgment, -1 if it has none.
  i32 find(u64 key, const char* id, size_t n) const {
    const u64 bit = filter_bit(key);
    if (!(filter_[bit >> 6] >> (bit & 63) & 1)) return -1;
    for (size_t at = key & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (!slot.place) return -1;
      if (slot.high != static_cast<u32>(key >> 32)) continue;
      // equal hashes may be of different documents
      const u32 begin = begin_[slot.place - 1];
      if (begin_[slot.place] - begin == n && same(&ids_[begin], id, n)) return row_[slot.place - 1];
    }
  }

 private:
  struct Slot {
    u32 high;  // half of the hash
    u32 place;  // among the topic's documents from 1 on; 0 in a slot that is free
  };

  size_t mask_;
  std::vector<Slot> slots_;
  // sixteen bits a slot: most documents of a run are not judged, and these say so without a look at the table
  std::vector<u64> filter_;
  std::vector<u32> begin_;  // of each document's id, and the end of the last
  std::vector<i32> row_;
  std::string ids_;

  u64 filter_bit(u64 key) const { return (key >> 40) & (static_cast<u64>(mask_) * 16 + 15); }

  template <class Items>
  static void touch(const Items& items) {
    const volatile char* const bytes = reinterpret_cast<const char*>(items.data());
    for (size_t i = 0; i < items.size() * sizeof(items[0]); i += CACHE_LINE) static_cast<void>(bytes[i]);
  }
};

class Judgments {
 public:
  const Hash hash;

  explicit Judgments(Hash keys) : hash(keys) {}

  void topic(const char* name, size_t n) {
    place_.emplace(std::string(name, n), static_cast<i64>(place_.size()));
  }

  // The place of a topic among the judged ones, -1 if it is not judged.
  i64 place(const std::string& name) const {
    auto found = place_.find(name);
    return found == place_.end() ? -1 : found->second;
  }

  size_t topics() const { return place_.size(); }

  const Judged& of(i64 topic) const { return judged_[static_cast<size_t>(topic)]; }

  // Take the judged documents, row by row: where each begins in `bytes`, its length, and its topic. False if they are
  // none for these tables.
  bool fill(const char* bytes, const i64* start, const i64* length, const i64* topic, size_t rows) {
    if (rows >= INT32_MAX) return false;
    std::vector<size_t> count(topics());
    for (size_t i = 0; i < rows; ++i) ++count[static_cast<size_t>(topic[i])];
    for (size_t documents : count) judged_.emplace_back(documents);
    std::string id;
    for (size_t i = 0; i < rows; ++i) {
      const size_t n = static_cast<size_t>(length[i]);
      id.assign(bytes + start[i], n);
      id.append(PADDING, '\n');
      const u64 key = hash(id.data(), n);
      if (!judged_[static_cast<size_t>(topic[i])].take(key, id.data(), n, static_cast<i32>(i))) return false;
    }
    for (Judged& judged : judged_) judged.end();
    return true;
  }

 private:
  std::map<std::string, i64> place_;
  std::vector<Judged> judged_;
};

}  // namespace core
