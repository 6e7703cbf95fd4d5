// A small generator of our own, so that a seed means the same on every platform.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "base/hash.h"

namespace arcwise {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  uint64_t below(uint64_t bound) { return static_cast<uint64_t>(uniform() * static_cast<double>(bound)); }

  template <class V>
  void shuffle(std::span<V> values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

  uint64_t state() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace arcwise
