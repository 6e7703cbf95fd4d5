// What can be said of each transition system, for whoever chooses among them: options, their checks and their
// defaults.
#pragma once

#include <string>
#include <vector>

#include "task/systems.h"

namespace arcwise {

struct SystemFacts {
  std::string name;
  bool left_to_right = false;  // a stack and a buffer; otherwise arcs between neighbours in any order
  bool static_oracle = false, dynamic_oracle = false;
  bool projective = true;    // it builds no other trees, so that the others are made projective for training
  bool root_first = false;   // whether ROOT may be kept before the first word as well as after the last
  bool constraints = false;  // whether it can say which moves constraints leave
};

template <BuildsTrees T>
SystemFacts facts_of() {
  return {std::string(T::kName), LeftToRight<T>, HasStaticOracle<T>,
          T::kDynamicOracle,     T::kProjective, requires { requires T::kRootFirst; },
          KnowsReachable<T>};
}

template <BuildsTrees T>
SystemFacts facts_of(const T&) {
  return facts_of<T>();
}
inline SystemFacts facts_of(const Foreign& task) {
  const ForeignSystem& system = task.system();
  return {system.name(), true, system.has_static_oracle(), system.has_costs(), system.projective(), false};
}

// In the order of the list in task/systems.h.
inline std::vector<SystemFacts> system_facts() {
  std::vector<SystemFacts> all;
  each_system([&]<class T>() { all.push_back(facts_of<T>()); });
  return all;
}

}  // namespace arcwise
