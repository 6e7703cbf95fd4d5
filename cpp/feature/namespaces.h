// What a decision of any task may look at: features in named groups (namespaces), each a key and a value.
// How they combine, and where their weights are, is the learner's business.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace arcwise {

// The names of groups and the features that are text; both are part of the model format. A feature that is
// a number is its own key.
inline uint64_t namespace_key(std::string_view name) { return hash_bytes(name, 0x6e616d6573706163ULL); }
inline uint64_t feature_key(std::string_view text) { return hash_bytes(text, 0x66656174757265ULL); }

class Features {
 public:
  struct Group {
    uint64_t name = 0;
    uint32_t begin = 0, end = 0;
  };

  // Memory is kept: a decision that is no larger than one before it allocates nothing.
  void clear() {
    groups_.clear();
    keys_.clear();
    values_.clear();
  }
  // Starts a group. A name may come again: its features are then those of all its groups.
  void group(uint64_t name) { groups_.push_back({name, size(), size()}); }
  // Adds to the last group; where there is none yet, to the one without a name.
  void add(uint64_t key, float value = 1) {
    if (groups_.empty()) group(namespace_key(""));
    keys_.push_back(key);
    values_.push_back(value);
    ++groups_.back().end;
  }

  std::span<const Group> groups() const { return groups_; }
  std::span<const uint64_t> keys(const Group& g) const { return {keys_.data() + g.begin, g.end - g.begin}; }
  std::span<const float> values(const Group& g) const { return {values_.data() + g.begin, g.end - g.begin}; }
  uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }

 private:
  std::vector<Group> groups_;
  std::vector<uint64_t> keys_;
  std::vector<float> values_;
};

}  // namespace arcwise
