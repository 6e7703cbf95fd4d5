// Tries out which ways to known lemmas can be trusted (task/lemma_reach.h): each form of the treebank is
// looked at as if it had not been seen.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "task/lemma_reach.h"

namespace arcwise {

// A form of the treebank, with a value of the first column, and the rule to its lemma.
struct SeenForm {
  int32_t value;
  std::string_view form, lemma;
  int32_t rule;

  auto operator<=>(const SeenForm&) const = default;
};

// Rules that `least_forms` ask for with a value are chosen from. The same form may be there several times,
// with other values or lemmas.
LemmaReachParts try_reach(std::span<const SeenForm> seen, std::span<const LemmaRule> rules,
                          int32_t least_forms);

}  // namespace arcwise
