// What the bindings demand of arguments before the core sees them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "constraint/constraint.h"

// Of a sentence that is made up, and not read.
inline void demand_words(int32_t words) {
  constexpr int32_t kMost = 10'000'000;
  if (words < 0 || words > kMost) throw nanobind::value_error("A sentence has from 0 to 10,000,000 words.");
}

inline void demand(bool holds, const char* otherwise) {
  if (!holds) throw nanobind::value_error(otherwise);
}

// Of a sentence of so many words; the labels are those of the caller.
inline void demand_constraint(const arcwise::Constraint& c, int32_t words, size_t labels) {
  using Kind = arcwise::Constraint::Kind;
  const bool head = c.kind == Kind::Head || c.kind == Kind::NotHead;
  const bool in_range = c.kind == Kind::Label ? c.value >= 0 && c.value < int64_t(labels)
                                              : c.value >= (head ? 0 : c.word) && c.value <= words;
  demand(c.word >= 1 && c.word <= words && in_range && !(head && c.value == c.word),
         "A constraint names a word, a head or a label that the sentence does not have.");
}
inline std::vector<arcwise::Constraint> demand_constraints(
    const std::vector<std::tuple<arcwise::Constraint::Kind, int32_t, int32_t>>& constraints, int32_t words,
    size_t labels) {
  demand_words(words);
  std::vector<arcwise::Constraint> given;
  for (const auto& [kind, word, value] : constraints) {
    given.push_back({kind, word, value});
    demand_constraint(given.back(), words, labels);
  }
  return given;
}
