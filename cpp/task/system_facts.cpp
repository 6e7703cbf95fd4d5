#include "task/system_facts.h"

#include <type_traits>

#include "task/systems.h"

namespace arcwise {
namespace {

// Those that with_system knows, until it has a list that could be gone through.
constexpr const char* kSystemNames[] = {
    "arc-eager",
#ifndef ARCWISE_ONE_SYSTEM
    "arc-standard",
    "arc-hybrid",
    "easy-first",
#endif
};

template <class T>
constexpr bool is_projective() {
  if constexpr (requires { T::kProjective; })
    return T::kProjective;
  else
    return true;
}

}  // namespace

std::vector<SystemFacts> system_facts() {
  const ArcLabels labels{{0}, {0}, {0}, 0};
  std::vector<SystemFacts> all;
  for (const char* name : kSystemNames) {
    SystemFacts facts;
    Class moves = 0;
    with_system({name, false, true}, labels, [&](const auto& task) {
      using T = std::decay_t<decltype(task)>;
      facts = {name, T::kSingleSite, HasStaticOracle<T>, T::kDynamicOracle, is_projective<T>(), false};
      moves = task.moves().size();
    });
    // A system with two places for ROOT has other moves for the one than for the other.
    with_system({name, true, true}, labels,
                [&](const auto& task) { facts.root_first = task.moves().size() != moves; });
    all.push_back(facts);
  }
  return all;
}

}  // namespace arcwise
