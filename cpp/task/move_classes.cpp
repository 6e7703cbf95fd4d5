#include "task/move_classes.h"

#include <stdexcept>

namespace arcwise {

// Each group of moves has a class; then they take turns until there are no more, or no more are needed.
MoveClasses::MoveClasses(const Moves& moves) {
  const std::vector<Range> groups = moves.groups();
  std::vector<MoveId> classes(groups.size(), 1);
  size_t left = kMost - groups.size();
  for (bool any = true; any && left > 0;) {
    any = false;
    for (size_t g = 0; g < groups.size() && left > 0; ++g) {
      if (classes[g] == groups[g].size()) continue;
      ++classes[g];
      --left;
      any = true;
    }
  }
  for (size_t g = 0; g < groups.size(); ++g)
    for (MoveId c = 0; c < classes[g]; ++c) begins_.push_back(groups[g].begin + c);
  begins_.push_back(moves.size());
}

MoveClasses::MoveClasses(std::span<const uint16_t> begins, MoveId moves)
    : begins_(begins.begin(), begins.end()) {
  begins_.push_back(moves);
  bool fit = size() >= 1 && size() <= kMost && begins_[0] == 0;
  for (size_t c = 0; c < size(); ++c) fit &= begins_[c] < begins_[c + 1];
  if (!fit) throw std::invalid_argument("The weights are damaged: the classes are not those of moves.");
}

}  // namespace arcwise
