#include "rank/parts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "text/case.h"

namespace arcwise {

LabelRole role_of_label(std::string_view name) {
  static constexpr std::pair<std::string_view, LabelRole> kRoles[] = {
      {"conj", LabelRole::Conjunct},
      {"cc", LabelRole::Coordinator},
      {"case", LabelRole::Case},
      {"adpobj", LabelRole::AdpositionObject},
      {"pobj", LabelRole::AdpositionObject},
      {"pmod", LabelRole::AdpositionObject},
  };
  std::string lower;
  to_lower(name.substr(0, name.find(':')), lower);
  const auto found =
      std::find_if(std::begin(kRoles), std::end(kRoles), [&](const auto& r) { return r.first == lower; });
  return found == std::end(kRoles) ? LabelRole::Any : found->second;
}

}  // namespace arcwise
