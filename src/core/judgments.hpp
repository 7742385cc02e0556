// Which documents are judged: for each topic a table of their hashes.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "bytes.hpp"

namespace core {

// So many steps in a table of hashes are never needed, but by ids chosen to collide; then others have to do the work.
constexpr u32 STEPS = 1024;

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

  // Take the judged documents, row by row: where each begins in `bytes`, its length, and its topic. False if too many
  // hashes collide.
  bool fill(const char* bytes, const i64* start, const i64* length, const i64* topic, size_t rows) {
    if (rows >= INT32_MAX) return false;
    std::vector<size_t> count(topics());
    for (size_t i = 0; i < rows; ++i) {
      begin_.push_back(ids_.size());
      ids_.append(bytes + start[i], static_cast<size_t>(length[i]));
      ++count[static_cast<size_t>(topic[i])];
    }
    begin_.push_back(ids_.size());
    ids_.append(PADDING, '\n');
    // at most half of each table is full
    size_t slots = 0;
    for (size_t documents : count) {
      size_t size = 16;
      while (size < 2 * documents) size *= 2;
      tables_.push_back({slots, size - 1});
      slots += size;
    }
    slots_.assign(slots, Slot());
    filter_.assign(slots / 4, 0);
    for (size_t i = 0; i < rows; ++i) {
      if (!insert(tables_[static_cast<size_t>(topic[i])], i)) return false;
    }
    return true;
  }

  // Have the memory at hand that `find` will look at.
  void fetch(i64 topic, u64 key) const {
    const Table& table = tables_[static_cast<size_t>(topic)];
    fetched(&filter_[table.first / 4 + (filter_bit(table, key) >> 6)]);
    fetched(&slots_[table.first + (key & table.mask)]);
  }

  // The row of a document's judgment, -1 if it has none.
  i64 find(i64 topic, u64 key, const char* id, size_t n) const {
    const Table& table = tables_[static_cast<size_t>(topic)];
    const u64 bit = filter_bit(table, key);
    if (!(filter_[table.first / 4 + (bit >> 6)] >> (bit & 63) & 1)) return -1;
    for (size_t at = key & table.mask;; at = (at + 1) & table.mask) {
      const Slot& slot = slots_[table.first + at];
      if (!slot.place) return -1;
      if (slot.high != static_cast<u32>(key >> 32)) continue;
      // equal hashes may be of different documents
      const size_t row = slot.place - 1;
      const size_t begin = begin_[row];
      if (begin_[row + 1] - begin == n && same(&ids_[begin], id, n)) return static_cast<i64>(row);
    }
  }

 private:
  struct Table {
    size_t first;
    size_t mask;
  };
  struct Slot {
    u32 high;   // half of the hash
    u32 place;  // the row from 1 on; 0 in a slot that is free
  };

  std::map<std::string, i64> place_;
  std::string ids_;
  std::vector<size_t> begin_;  // of each row's id, and the end of the last
  std::vector<Table> tables_;
  std::vector<Slot> slots_;
  // sixteen bits a slot: most documents of a run are not judged, and these say so without a look at the table
  std::vector<u64> filter_;

  static u64 filter_bit(const Table& table, u64 key) {
    return (key >> 40) & (static_cast<u64>(table.mask) * 16 + 15);
  }

  bool insert(const Table& table, size_t row) {
    const u64 key = hash(&ids_[begin_[row]], begin_[row + 1] - begin_[row]);
    const u64 bit = filter_bit(table, key);
    filter_[table.first / 4 + (bit >> 6)] |= u64(1) << (bit & 63);
    size_t at = key & table.mask;
    for (u32 steps = 0; slots_[table.first + at].place; ++steps) {
      if (steps == STEPS) return false;
      at = (at + 1) & table.mask;
    }
    slots_[table.first + at] = {static_cast<u32>(key >> 32), static_cast<u32>(row + 1)};
    return true;
  }
};

}  // namespace core
