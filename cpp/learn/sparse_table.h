// The weights of a learner in training: for each feature a row of entries, one for each class it has met.
// Open addressing over 64-bit keys; rows live in blocks that never move, in sizes of powers of two.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/huge_pages.h"

namespace arcwise {

template <class Entry>
class SparseTable {
 public:
  static constexpr int32_t kMissing = -1;

  SparseTable() : slots_(1 << 16) {}

  size_t rows() const { return rows_; }
  size_t entries() const { return entries_; }

  // The slot of each key, or kMissing. All are prefetched before any is read, and then their rows.
  void find(const uint64_t* keys, int32_t count, int32_t* found) const {
    for (int32_t i = 0; i < count; ++i) __builtin_prefetch(&slots_[home(keys[i])]);
    for (int32_t i = 0; i < count; ++i) {
      found[i] = find(keys[i]);
      if (found[i] != kMissing) __builtin_prefetch(entries_at(slots_[found[i]].offset));
    }
  }

  std::span<const Entry> row(int32_t slot) const {
    const Slot& s = slots_[slot];
    return {entries_at(s.offset), s.size};
  }
  std::span<Entry> row(int32_t slot) {
    const Slot& s = slots_[slot];
    return {entries_at(s.offset), s.size};
  }

  // The slot of a key that may be new. `hint` is where it was found before, if it was; slots move when the
  // table grows.
  int32_t insert(uint64_t key, int32_t hint = kMissing) {
    key = nonzero(key);
    if (hint != kMissing && slots_[hint].key == key) return hint;
    size_t i = place(key);
    if (slots_[i].key == key) return static_cast<int32_t>(i);
    if (too_full(rows_ + 1)) {
      grow();
      i = place(key);
    }
    slots_[i].key = key;
    ++rows_;
    return static_cast<int32_t>(i);
  }

  // A new entry at the end of a row.
  Entry& append(int32_t slot, const Entry& entry) {
    Slot& s = slots_[slot];
    if (s.size == s.capacity) {
      if (s.capacity > UINT16_MAX / 2)
        throw std::length_error("A feature has more classes than the learner can hold.");
      const uint16_t capacity = s.capacity == 0 ? 1 : s.capacity * 2;
      const uint32_t offset = allocate(capacity);
      std::copy_n(entries_at(s.offset), s.size, entries_at(offset));
      if (s.capacity > 0) free_[std::bit_width(s.capacity) - 1u].push_back(s.offset);
      s.offset = offset;
      s.capacity = capacity;
    }
    ++entries_;
    Entry& e = entries_at(s.offset)[s.size++];
    e = entry;
    return e;
  }

  // visit(key, row) for each feature, in the order of the slots.
  template <class F>
  void each(F&& visit) const {
    for (const Slot& s : slots_)
      if (s.key != 0) visit(s.key, std::span<const Entry>(entries_at(s.offset), s.size));
  }

  // What stands in the table, to be stored; and back, each row in the slot where it was: `each` visits a
  // restored table in the order of the old one. The size of a table follows from the number of its rows,
  // and in a table of that size, filled from the start of a run of used slots on, a row finds all slots
  // between its home and its old place taken.
  void dump(std::vector<uint64_t>& keys, std::vector<uint16_t>& sizes, std::vector<Entry>& all) const {
    keys.reserve(rows_);
    sizes.reserve(rows_);
    all.reserve(entries_);
    size_t start = 0;
    while (slots_[start].key != 0) ++start;
    for (size_t i = 0; i < slots_.size(); ++i) {
      const Slot& s = slots_[(start + i) & mask()];
      if (s.key == 0) continue;
      keys.push_back(s.key);
      sizes.push_back(s.size);
      all.insert(all.end(), entries_at(s.offset), entries_at(s.offset) + s.size);
    }
  }
  void restore(std::span<const uint64_t> keys, std::span<const uint16_t> sizes, std::span<const Entry> all) {
    *this = SparseTable();
    while (too_full(keys.size())) grow();
    size_t at = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const int32_t slot = insert(keys[i]);
      if (at + sizes[i] > all.size()) throw std::invalid_argument("A learner's table is damaged.");
      for (size_t j = 0; j < sizes[i]; ++j) append(slot, all[at++]);
    }
  }

 private:
  static constexpr uint32_t kBlock = 1 << 18;  // entries

  struct Slot {
    uint64_t key = 0;
    uint32_t offset = 0;
    uint16_t size = 0;
    uint16_t capacity = 0;
  };

  static uint64_t nonzero(uint64_t key) { return key == 0 ? 1 : key; }
  size_t mask() const { return slots_.size() - 1; }
  size_t home(uint64_t key) const { return (key >> 20) & mask(); }
  bool too_full(size_t rows) const { return rows * 10 > slots_.size() * 7; }
  // The slot that has the key, or the empty one that it would get.
  size_t place(uint64_t key) const {
    size_t i = home(key);
    while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & mask();
    return i;
  }
  int32_t find(uint64_t key) const {
    key = nonzero(key);
    const size_t i = place(key);
    return slots_[i].key == key ? static_cast<int32_t>(i) : kMissing;
  }
  Entry* entries_at(uint32_t offset) const {
    return blocks_.empty() ? nullptr : const_cast<Entry*>(blocks_[offset / kBlock].data()) + offset % kBlock;
  }

  uint32_t allocate(uint16_t capacity) {
    auto& free = free_[std::bit_width(capacity) - 1u];
    if (!free.empty()) {
      const uint32_t offset = free.back();
      free.pop_back();
      return offset;
    }
    if (blocks_.empty() || used_ + capacity > kBlock) {
      if (blocks_.size() == UINT32_MAX / kBlock) throw std::length_error("The learner's table is full.");
      blocks_.emplace_back(kBlock);
      used_ = 0;
    }
    const auto offset = static_cast<uint32_t>((blocks_.size() - 1) * kBlock + used_);
    used_ += capacity;
    return offset;
  }

  void grow() {
    decltype(slots_) old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.key == 0) continue;
      slots_[place(s.key)] = s;
    }
  }

  std::vector<Slot, HugePageAllocator<Slot>> slots_;
  std::vector<std::vector<Entry, HugePageAllocator<Entry>>> blocks_;
  uint32_t used_ = 0;
  std::vector<uint32_t> free_[16];
  size_t rows_ = 0, entries_ = 0;
};

}  // namespace arcwise
