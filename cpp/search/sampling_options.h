// How trees are drawn, and what one is once it is drawn.
#pragma once

#include <cstdint>
#include <span>

namespace arcwise {

struct SamplingOptions {
  int32_t samples = 100;
  uint64_t seed = 1;
};

// A tree as far as it is of interest once it is drawn.
struct DrawnTree {
  struct Arc {
    int32_t head, label;
  };
  std::span<const Arc> arcs;
  int32_t draws;  // that ended in it, by one derivation

  int32_t output_head(int32_t word) const { return arcs[word - 1].head; }
  int32_t label(int32_t word) const { return arcs[word - 1].label; }
};

}  // namespace arcwise
