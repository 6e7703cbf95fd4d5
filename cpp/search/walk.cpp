#include "search/walk.h"

#include <stdexcept>
#include <type_traits>

#include "constraint/constrained.h"
#include "task/undoable_state.h"

namespace arcwise {
namespace {

template <Task T>
class TaskWalk final : public Walk {
 public:
  TaskWalk(const T& task, int32_t words, std::shared_ptr<const void> keeps = nullptr)
      : keeps_(std::move(keeps)), task_(task) {
    task_.start(state_, words);
  }

  std::unique_ptr<Walk> clone() const override { return std::make_unique<TaskWalk>(*this); }
  bool done() const override { return task_.done(state()); }
  std::vector<SiteMove> legal() const override {
    std::vector<SiteMove> moves;
    each_site(
        [&](int32_t site) { task_.legal(state(), site).each([&](Class c) { moves.push_back({site, c}); }); });
    return moves;
  }
  void apply(SiteMove move) override {
    if constexpr (T::kSingleSite) state_.begin_move();
    task_.apply(state_, move.site, move.move);
  }
  void undo() override {
    if constexpr (T::kSingleSite) {
      if (state_.moves() == 0)
        throw std::invalid_argument("No move has been made, so none can be taken back.");
      state_.undo();
    } else {
      throw std::invalid_argument("Moves are taken back in the systems that go from left to right alone.");
    }
  }
  bool is_where(const Walk& other) const override {
    const auto* same = dynamic_cast<const TaskWalk*>(&other);
    return same != nullptr && state() == same->state();
  }
  std::vector<float> costs(const Gold& gold) const override {
    std::vector<float> all, at_site(task_.moves().size());
    each_site([&](int32_t site) {
      task_.costs(state(), gold, site, at_site.data());
      task_.legal(state(), site).each([&](Class c) { all.push_back(at_site[c]); });
    });
    return all;
  }
  SiteMove static_move(const Gold& gold) const override {
    if constexpr (requires { task_.static_move(state(), gold); })
      return {0, task_.static_move(state(), gold)};
    else
      throw std::invalid_argument("Easy-first has no static oracle: any order of its arcs is as good.");
  }
  std::string move_name(SiteMove m) const override {
    static constexpr const char* kNames[] = {"SHIFT", "REDUCE", "LEFT", "RIGHT"};
    return kNames[static_cast<int>(task_.moves()[m.move].action)];
  }
  int32_t move_label(Class move) const override { return task_.moves()[move].label; }
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
  std::vector<int32_t> stack() const override {
    std::vector<int32_t> nodes;
    if constexpr (T::kSingleSite) {
      nodes.assign(state().stack.begin(), state().stack.begin() + state().depth);
    } else {
      for (int32_t node = kRoot; node != kNone; node = state().after[node]) nodes.push_back(node);
    }
    return nodes;
  }
  int32_t buffer() const override {
    if constexpr (T::kSingleSite)
      return state().next;
    else
      return kNone;
  }

 private:
  template <class F>
  void each_site(F&& visit) const {
    if (done()) return;
    if constexpr (T::kSingleSite)
      visit(0);
    else
      task_.each_site(state(), visit);
  }

  const typename T::State& state() const {
    if constexpr (T::kSingleSite)
      return state_.state();
    else
      return state_;
  }

  std::shared_ptr<const void> keeps_;  // what the task refers to
  T task_;
  std::conditional_t<T::kSingleSite, UndoableState, typename T::State> state_;
};

}  // namespace

std::unique_ptr<Walk> Walk::start(const SystemOptions& options, const ArcLabels& labels, int32_t words) {
  return with_system(options, labels, [&](const auto& task) -> std::unique_ptr<Walk> {
    return std::make_unique<TaskWalk<std::decay_t<decltype(task)>>>(task, words);
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
    Constrained<T> constrained(task, given->plain);
    constrained.set(&given->rules, given->labels, at_all);
    return std::make_unique<TaskWalk<Constrained<T>>>(constrained, words, given);
  });
}

}  // namespace arcwise
