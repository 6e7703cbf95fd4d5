#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace arcwise {

inline constexpr size_t kMostTagColumns = 3;

// What a treebank says of a word; -1 where it says nothing that the tagset knows.
struct TaggedWord {
  std::array<int32_t, kMostTagColumns> values{-1, -1, -1};
  int32_t rule = -1;
};

}  // namespace arcwise
