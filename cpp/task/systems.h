// Every transition system by its name. A new one is added to the list in this file.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "task/arc_eager.h"
#include "task/arc_hybrid.h"
#include "task/arc_standard.h"
#include "task/easy_first.h"
#include "task/task.h"

namespace arcwise {

struct SystemOptions {
  std::string name = "arc-eager";
  bool root_first = false;  // arc-eager only: the others know one place for ROOT
  bool single_root = true;
};

// Calls visit with the system's task, built for these labels.
template <class F>
decltype(auto) with_system(const SystemOptions& options, const ArcLabels& labels, F&& visit) {
  const auto build = [&]<Task T>() {
    const Moves moves(T::inventory(options.root_first), labels);
    return visit(T(moves, options.root_first, options.single_root));
  };
  if (options.name == "arc-eager") return build.template operator()<ArcEager>();
#ifndef ARCWISE_ONE_SYSTEM  // most of the time that the core takes to compile is for systems: see
                            // CMakeLists.txt
  if (options.name == "arc-standard") return build.template operator()<ArcStandard>();
  if (options.name == "arc-hybrid") return build.template operator()<ArcHybrid>();
  if (options.name == "easy-first") return build.template operator()<EasyFirst>();
#endif
  throw std::invalid_argument("There is no transition system called '" + options.name +
                              "': choose arc-eager, arc-standard, arc-hybrid or easy-first.");
}

}  // namespace arcwise
