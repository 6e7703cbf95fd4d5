// Oracles, policies and linear learners by the names that options have for them.
#pragma once

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "learn/adagrad_rda.h"
#include "learn/perceptron.h"
#include "learn/policy.h"

namespace arcwise {

template <class T>
struct Named {
  std::string_view name;
  T value;
};

inline constexpr std::array<Named<Oracle>, 3> kOracles{{{"static", Oracle::Static},
                                                        {"nondeterministic", Oracle::NonDeterministic},
                                                        {"dynamic", Oracle::Dynamic}}};

inline constexpr std::array<Named<Policy::Kind>, 4> kPolicies{{{"static", Policy::Kind::Static},
                                                               {"ambiguity", Policy::Kind::Ambiguity},
                                                               {"explore", Policy::Kind::Explore},
                                                               {"sample", Policy::Kind::Sample}}};

struct LinearLearnerFacts {
  bool probabilistic;  // its scores are log-odds
  bool trains_beams;
};
inline constexpr std::array<Named<LinearLearnerFacts>, 2> kLinearLearners{
    {{"perceptron", {Perceptron::kProbabilistic, true}}, {"adagrad", {AdagradRda::kProbabilistic, false}}}};

// Throws std::invalid_argument, which names all that there are.
template <class T, size_t N>
T from_name(const std::array<Named<T>, N>& all, std::string_view what, std::string_view name) {
  std::string known;
  for (size_t i = 0; i < N; ++i) {
    if (all[i].name == name) return all[i].value;
    if (i > 0) known += i + 1 < N ? ", " : " or ";
    known += all[i].name;
  }
  throw std::invalid_argument("There is no " + std::string(what) + " called '" + std::string(name) +
                              "': choose " + known + ".");
}

}  // namespace arcwise
