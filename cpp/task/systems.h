// Every transition system by its name. A new one is added to the list in this file, and instantiated in a
// file of its own in system/.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/names.h"
#include "task/arc_eager.h"
#include "task/arc_hybrid.h"
#include "task/arc_hybrid_swap.h"
#include "task/arc_standard.h"
#include "task/covington.h"
#include "task/easy_first.h"
#include "task/foreign.h"
#include "task/task.h"

namespace arcwise {

template <class... T>
struct TypeList {};

#ifdef ARCWISE_ONE_SYSTEM  // most of the time that the core takes to compile is for systems: see
                           // CMakeLists.txt
using Systems = TypeList<ArcEager>;
#else
using Systems = TypeList<ArcEager, ArcStandard, ArcHybrid, EasyFirst, ArcHybridSwap, Covington>;
#endif

struct SystemOptions {
  std::string name = "arc-eager";
  bool root_first = false;  // arc-eager only: the others know one place for ROOT
  bool single_root = true;
  std::shared_ptr<const ForeignSystem> foreign = nullptr;  // in place of one of the list
};

// visit.template operator()<T>() for every system.
template <class Visit, class... T>
void each_system(Visit&& visit, TypeList<T...>) {
  (visit.template operator()<T>(), ...);
}
template <class Visit>
void each_system(Visit&& visit) {
  each_system(visit, Systems{});
}

// Calls visit with the system's task, built for these labels.
template <class Visit>
auto with_system(const SystemOptions& options, const ArcLabels& labels, Visit&& visit) {
#ifndef ARCWISE_ONE_SYSTEM
  if (options.foreign) return visit(Foreign(options.foreign, labels, options.single_root));
#endif
  return [&]<class... T>(TypeList<T...>) {
    using Result = decltype(visit(std::declval<const ArcEager&>()));
    std::conditional_t<std::is_void_v<Result>, bool, Result> result{};
    const auto build = [&]<BuildsTrees S>() {
      if (options.name != S::kName) return false;
      const S task(labels, options.root_first, options.single_root);
      if constexpr (std::is_void_v<Result>)
        visit(task);
      else
        result = visit(task);
      return true;
    };
    if (!(build.template operator()<T>() || ...)) {
      const std::string_view names[] = {T::kName...};
      throw std::invalid_argument("There is no transition system called '" + options.name + "': choose " +
                                  one_of(names) + ".");
    }
    if constexpr (!std::is_void_v<Result>) return result;
  }(Systems{});
}

}  // namespace arcwise
