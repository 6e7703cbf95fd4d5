#include "feature/places.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace arcwise {

std::string listed(std::span<const std::string_view> names) {
  std::string list;
  for (std::string_view name : names) (list += list.empty() ? "" : ", ") += name;
  return list;
}

int Places::add(const std::string& text) {
  const auto known = std::find(names_.begin(), names_.end(), text);
  if (known != names_.end()) return static_cast<int>(known - names_.begin());

  Place place;
  const auto slot = std::find(kSlotNames.begin(), kSlotNames.end(), text);
  if (slot != kSlotNames.end()) {
    place.slot = static_cast<Slot>(slot - kSlotNames.begin());
  } else {
    static const std::vector<std::pair<std::string, Step>> kSteps = {
        {"l2", Step::Left2}, {"r2", Step::Right2}, {"h", Step::Head}, {"l", Step::Left}, {"r", Step::Right}};
    const auto step =
        std::find_if(kSteps.begin(), kSteps.end(), [&](const auto& s) { return text.ends_with(s.first); });
    if (step == kSteps.end() || text.size() < 3)
      throw std::invalid_argument("'" + text + "' is no place in a state; places are " + listed(kSlotNames) +
                                  ", each followed by any of h, l, r, l2, r2.");
    place.parent = add(text.substr(0, text.size() - step->first.size()));
    place.step = step->second;
  }
  if (places_.size() == kMost) throw std::invalid_argument("there are more than 64 different places.");
  places_.push_back(place);
  names_.push_back(text);
  return static_cast<int>(places_.size()) - 1;
}

std::vector<Slot> Places::slots() const {
  std::vector<Slot> slots;
  for (const Place& place : places_)
    if (place.parent < 0) slots.push_back(place.slot);
  return slots;
}

}  // namespace arcwise
