#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "base/hash.h"
#include "bindings.h"
#include "feature/templates.h"
#include "network/state_inputs.h"
#include "sequences.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

std::vector<std::string> names_of(const std::vector<Slot>& slots) {
  std::vector<std::string> names;
  for (Slot s : slots) names.emplace_back(kSlotNames[static_cast<size_t>(s)]);
  return names;
}

}  // namespace

void bind_features(nb::module_& m) {
  m.def(
      "hash_bytes",
      [](nb::bytes bytes, uint64_t seed) { return hash_bytes({bytes.c_str(), bytes.size()}, seed); },
      "bytes"_a, "seed"_a, "The hash of features, which is part of the model format.");
  m.def(
      "attribute",
      [](const std::string& name, const std::string& form) {
        std::string buffer;
        for (int a = 0; a < kTokenAttributes; ++a)
          if (kAttributeNames[a] == name)
            return std::string(attribute_text(static_cast<Attribute>(a), form, buffer));
        throw nb::value_error("There is no such attribute of a form.");
      },
      "name"_a, "form"_a,
      "What an attribute reads off a form: its shape, a prefix, a suffix, its lower case.");
  m.def(
      "check_templates",
      [](const std::vector<std::string>& lines) { return names_of(Templates(lines).slots()); }, "lines"_a,
      "Reads feature templates, raising ValueError if one is wrong; returns the slots they look at.");
  m.def(
      "check_states",
      [](const std::vector<std::string>& inputs) { return names_of(StateInputs(inputs, 0).slots()); },
      "inputs"_a,
      "Reads a network's inputs of states, raising ValueError if one is wrong; returns the slots they look "
      "at.");
}
