// Things by the names that options have for them, and names in messages.
#pragma once

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace arcwise {

// «a, b or c».
inline std::string one_of(std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

template <class T>
struct Named {
  std::string_view name;
  T value;
};

// Throws std::invalid_argument, which names all that there are.
template <class T, size_t N>
T from_name(const std::array<Named<T>, N>& all, std::string_view what, std::string_view name) {
  std::array<std::string_view, N> names;
  for (size_t i = 0; i < N; ++i) {
    if (all[i].name == name) return all[i].value;
    names[i] = all[i].name;
  }
  throw std::invalid_argument("There is no " + std::string(what) + " called '" + std::string(name) +
                              "': choose " + one_of(names) + ".");
}

}  // namespace arcwise
