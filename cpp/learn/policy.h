// Which state training visits next. A policy knows neither the task nor the learner: it is shown a decision
// and names a move, or none, which is to stay and try again. A new one is written here and added to the list
// at the end, by which it is known everywhere.
#pragma once

#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/names.h"
#include "base/random.h"
#include "learn/decision.h"

namespace arcwise {

enum class Oracle : uint8_t { Static, NonDeterministic, Dynamic };
inline constexpr std::array<Named<Oracle>, 3> kOracles{{{"static", Oracle::Static},
                                                        {"nondeterministic", Oracle::NonDeterministic},
                                                        {"dynamic", Oracle::Dynamic}}};

// Where a policy is asked.
struct PolicyContext {
  int epoch = 1;       // from 1
  bool stays = false;  // easy-first: a wrong prediction that is not followed leads nowhere
  Random& random;
};

template <class P>
concept Policy = requires(const P& policy, const Decision& decision, PolicyContext context) {
  { policy.next(decision, context) } -> std::same_as<std::optional<DecidedMove>>;
};

// One that options can name.
template <class P>
concept NamedPolicy = Policy<P> && requires {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::kLeavesGoldPath } -> std::convertible_to<bool>;       // needs an oracle that is right everywhere
  { P::kNeedsProbabilities } -> std::convertible_to<bool>;   // and a learner that gives them
  { P::kNeedsSeveralCorrect } -> std::convertible_to<bool>;  // and an oracle that knows more than one
};

// What policies may be made with; each takes what it needs.
struct PolicyOptions {
  int k = 1;       // epochs before training leaves the gold path
  double p = 0.9;  // as in Goldberg & Nivre 2013; in their paper of 2012 this would be 1 - p
};

// Always the best-scored correct move.
struct StaticPolicy {
  static constexpr std::string_view kName = "static";
  static constexpr bool kLeavesGoldPath = false, kNeedsProbabilities = false, kNeedsSeveralCorrect = false;
  explicit StaticPolicy(const PolicyOptions&) {}

  std::optional<DecidedMove> next(const Decision& d, PolicyContext context) const {
    if (context.stays && !d.is_correct(d.predicted)) return std::nullopt;
    return d.best_correct;
  }
};

// The predicted move if it is correct, else any correct one: CHOOSE_NEXT_AMB.
struct AmbiguityPolicy {
  static constexpr std::string_view kName = "ambiguity";
  static constexpr bool kLeavesGoldPath = false, kNeedsProbabilities = false, kNeedsSeveralCorrect = true;
  explicit AmbiguityPolicy(const PolicyOptions&) {}

  std::optional<DecidedMove> next(const Decision& d, PolicyContext context) const {
    if (d.is_correct(d.predicted)) return d.predicted;
    if (context.stays) return std::nullopt;
    uint64_t seen = 0;
    DecidedMove chosen = d.best_correct;
    d.each([&](const DecidedMove& c) {
      if (d.is_correct(c) && context.random.below(++seen) == 0) chosen = c;
    });
    return chosen;
  }
};

// After k epochs, the predicted move with probability p even if it is wrong.
struct ExplorePolicy {
  static constexpr std::string_view kName = "explore";
  static constexpr bool kLeavesGoldPath = true, kNeedsProbabilities = false, kNeedsSeveralCorrect = false;
  explicit ExplorePolicy(const PolicyOptions& options) : options_(options) {}

  std::optional<DecidedMove> next(const Decision& d, PolicyContext context) const {
    if (d.is_correct(d.predicted)) return d.predicted;
    if (context.epoch > options_.k && context.random.uniform() < options_.p) return d.predicted;
    if (context.stays) return std::nullopt;
    return d.best_correct;
  }

 private:
  PolicyOptions options_;
};

// After k epochs, a move drawn from the model: Goldberg 2013, Algorithm 3.
struct SamplePolicy {
  static constexpr std::string_view kName = "sample";
  static constexpr bool kLeavesGoldPath = true, kNeedsProbabilities = true, kNeedsSeveralCorrect = false;
  explicit SamplePolicy(const PolicyOptions& options) : options_(options) {}

  std::optional<DecidedMove> next(const Decision& d, PolicyContext context) const {
    if (context.epoch <= options_.k) return d.best_correct;
    double left = context.random.uniform();
    DecidedMove chosen = d.predicted;
    bool found = false;
    d.each([&](const DecidedMove& c) {
      if (found) return;
      left -= c.site->probabilities[c.move];
      if (left < 0) {
        chosen = c;
        found = true;
      }
    });
    return chosen;
  }

 private:
  PolicyOptions options_;
};

// The roll-ins and roll-outs of learning to search (Chang et al. 2015): in each state the reference acts, or
// the learned policy, or the one or the other as a draw decides. Whoever predicts asks who acts, and the loop
// follows.
struct RollPolicy {
  double learned = 1;  // how often it is the learned one
  Random random{0};

  bool learned_acts() { return learned >= 1 || (learned > 0 && random.uniform() < learned); }
  std::optional<DecidedMove> next(const Decision& d, PolicyContext) const { return d.predicted; }
};

// Every policy that a trainer can be asked for by its name.
template <NamedPolicy... P>
class PolicyOf {
 public:
  template <NamedPolicy One>
  PolicyOf(const One& policy) : policy_(policy) {}
  // Throws std::invalid_argument if there is none of this name, or an option is out of range.
  PolicyOf(std::string_view name, const PolicyOptions& options) : policy_(named(name, options)) {}

  static std::vector<std::string_view> names() { return {P::kName...}; }

  std::optional<DecidedMove> next(const Decision& d, PolicyContext context) const {
    return std::visit([&](const auto& policy) { return policy.next(d, context); }, policy_);
  }
  bool leaves_gold_path() const {
    return std::visit([](const auto& policy) { return policy.kLeavesGoldPath; }, policy_);
  }
  bool needs_probabilities() const {
    return std::visit([](const auto& policy) { return policy.kNeedsProbabilities; }, policy_);
  }
  bool needs_several_correct() const {
    return std::visit([](const auto& policy) { return policy.kNeedsSeveralCorrect; }, policy_);
  }

 private:
  using Variant = std::variant<P...>;

  static Variant named(std::string_view name, const PolicyOptions& options) {
    if (options.k < 0)
      throw std::invalid_argument("The number of epochs before exploration (k) must not be negative.");
    if (!(options.p >= 0 && options.p <= 1))
      throw std::invalid_argument("The probability of exploration (p) must lie between 0 and 1.");
    std::optional<Variant> found;
    ((P::kName == name ? void(found.emplace(P(options))) : void()), ...);
    if (found) return *found;
    throw std::invalid_argument("There is no policy called '" + std::string(name) + "': choose " +
                                one_of(names()) + ".");
  }

  Variant policy_;
};

using AnyPolicy = PolicyOf<StaticPolicy, AmbiguityPolicy, ExplorePolicy, SamplePolicy>;

}  // namespace arcwise
