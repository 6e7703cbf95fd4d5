// Every learner of linear models. A new one is added to the list in this file.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "learn/adagrad_rda.h"
#include "learn/perceptron.h"

namespace arcwise {

template <class... L>
struct LearnerList {
  using Pointer = std::variant<L*...>;

  static std::vector<std::string_view> names() { return {L::kName...}; }
  // visit.template operator()<L>() for the learner of this name; false if there is none.
  template <class Visit>
  static bool with(std::string_view name, Visit&& visit) {
    return ((L::kName == name && (visit.template operator()<L>(), true)) || ...);
  }
};

using LinearLearners = LearnerList<Perceptron, AdagradRda>;

}  // namespace arcwise
