#include "search/walk.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

#include "base/interrupts.h"
#include "constraint/constrained.h"
#include "search/history.h"

namespace arcwise {
namespace {

std::vector<int32_t> stack_of(const StackState& s) { return {s.stack.begin(), s.stack.begin() + s.depth}; }
std::vector<int32_t> stack_of(const EasyFirst::State& s) {
  std::vector<int32_t> nodes;
  for (int32_t node = kRoot; node != kNone; node = s.after[node]) nodes.push_back(node);
  return nodes;
}
std::vector<int32_t> buffer_of(const StackState& s) { return {s.buffer.begin() + s.front, s.buffer.end()}; }
std::vector<int32_t> buffer_of(const EasyFirst::State&) { return {}; }

template <Task T>
class TaskWalk final : public Walk {
 public:
  TaskWalk(const T& task, int32_t words, std::shared_ptr<const void> keeps = nullptr)
      : keeps_(std::move(keeps)), task_(task) {
    history_.start(task_, words, kNoLook);
  }

  std::unique_ptr<Walk> clone() const override { return std::make_unique<TaskWalk>(*this); }
  bool done() const override { return task_.done(state()); }
  std::vector<SiteMove> legal() const override {
    std::vector<SiteMove> moves;
    each_site([&](int32_t site) {
      Sites<T>::legal(task_, state(), site).each([&](MoveId c) { moves.push_back({site, c}); });
    });
    return moves;
  }
  void apply(SiteMove move) override {
    const size_t before = history_.moves();
    try {
      history_.take(task_, move, kNoLook);
    } catch (...) {
      if constexpr (History<T>::kTakesBack) history_.back_to(before);
      throw;
    }
  }
  void undo() override {
    if (!History<T>::kTakesBack)
      throw std::invalid_argument("Moves are taken back in the systems that go from left to right alone.");
    if (history_.moves() == 0)
      throw std::invalid_argument("No move has been made, so none can be taken back.");
    history_.back_to(history_.moves() - 1);
  }
  bool is_where(const Walk& other) const override {
    const auto* same = dynamic_cast<const TaskWalk*>(&other);
    return same != nullptr && state() == same->state();
  }
  std::vector<float> costs(std::span<const int32_t> heads, std::span<const int32_t> labels) const override {
    typename T::Gold gold;
    gold.set(heads, labels);
    std::vector<float> all, at_site(task_.moves().size());
    each_site([&](int32_t site) {
      Sites<T>::costs(task_, state(), gold, site, at_site.data());
      Sites<T>::legal(task_, state(), site).each([&](MoveId c) { all.push_back(at_site[c]); });
    });
    return all;
  }
  SiteMove static_move(std::span<const int32_t> heads, std::span<const int32_t> labels) const override {
    if constexpr (HasStaticOracle<T>) {
      typename T::Gold gold;
      gold.set(heads, labels);
      return {0, task_.static_move(state(), gold)};
    } else {
      throw std::invalid_argument("Easy-first has no static oracle: any order of its arcs is as good.");
    }
  }
  std::string move_name(SiteMove m) const override {
    if constexpr (requires { task_.name_of(m.move); }) return task_.name_of(m.move);
    static constexpr std::array kNames = {"SHIFT", "REDUCE", "LEFT", "RIGHT"};
    const auto action = task_.moves()[m.move].action;
    if constexpr (requires { T::own_name(action); })
      if (action >= Action::Own) return std::string(T::own_name(action));
    return kNames.at(static_cast<size_t>(action));
  }
  int32_t move_label(MoveId move) const override { return task_.moves()[move].label; }
  int32_t words() const override { return state().words(); }
  std::vector<int32_t> heads() const override {
    std::vector<int32_t> heads;
    for (int32_t w = 1; w <= words(); ++w) heads.push_back(state().tree.output_head(w));
    return heads;
  }
  std::vector<int32_t> labels() const override {
    std::vector<int32_t> labels;
    for (int32_t w = 1; w <= words(); ++w) labels.push_back(state().tree[w].label);
    return labels;
  }
  std::vector<int32_t> stack() const override { return stack_of(state()); }
  std::vector<int32_t> buffer() const override { return buffer_of(state()); }

 private:
  template <class F>
  void each_site(F&& visit) const {
    if (!done()) Sites<T>::each(task_, state(), visit);
  }
  const typename T::State& state() const { return history_.state(); }

  static constexpr auto kNoLook = [](int32_t) {};  // nothing is scored
  std::shared_ptr<const void> keeps_;              // what the task refers to
  T task_;
  History<T> history_;
};

}  // namespace

std::pair<std::vector<int32_t>, std::vector<int32_t>> Walk::best_tree(std::span<const int32_t> heads,
                                                                      std::span<const int32_t> labels) const {
  const auto walk = clone();
  while (!walk->done()) {
    check_interrupts();
    const auto costs = walk->costs(heads, labels);
    walk->apply(walk->legal()[std::min_element(costs.begin(), costs.end()) - costs.begin()]);
  }
  return {walk->heads(), walk->labels()};
}

std::unique_ptr<Walk> Walk::start(const SystemOptions& options, const ArcLabels& labels, int32_t words) {
  return with_system(options, labels, [&]<Task T>(const T& task) -> std::unique_ptr<Walk> {
    if constexpr (KnowsReachable<T>)  // one class for both, compiled once
      return std::make_unique<TaskWalk<Constrained<T>>>(Constrained<T>(task, {}), words);
    else
      return std::make_unique<TaskWalk<T>>(task, words);
  });
}

std::unique_ptr<Walk> Walk::start(const SystemOptions& options, const ArcLabels& labels, int32_t words,
                                  std::span<const Constraint> constraints, bool at_all) {
  struct Given {
    ArcRules rules;
    std::vector<int32_t> labels, plain;
  };
  const auto given = std::make_shared<Given>();
  given->labels.assign(words, -1);
  for (const auto& [kind, word, value] : constraints) {
    if (kind != Constraint::Kind::Label) continue;
    given->labels[word - 1] = value;
    while (static_cast<int32_t>(given->plain.size()) <= value)
      given->plain.push_back(static_cast<int32_t>(given->plain.size()));
  }
  given->rules.set(words, options.single_root, constraints, std::vector<LabelUse>(given->plain.size()));
  return with_system(options, labels, [&]<Task T>(const T& task) -> std::unique_ptr<Walk> {
    if constexpr (KnowsReachable<T>) {
      Constrained<T> constrained(task, given->plain);
      constrained.set(&given->rules, given->labels, at_all);
      return std::make_unique<TaskWalk<Constrained<T>>>(constrained, words, given);
    } else {
      throw std::invalid_argument("There is no parsing under constraints in " + options.name + ".");
    }
  });
}

}  // namespace arcwise
