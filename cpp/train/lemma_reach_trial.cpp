#include "train/lemma_reach_trial.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/interrupts.h"

namespace arcwise {
namespace {

struct Outcomes {
  int64_t right = 0, wrong = 0;

  void add(bool is_right) { ++(is_right ? right : wrong); }
  void remove(bool is_right) { --(is_right ? right : wrong); }
  bool lead_astray() const { return wrong > right; }
  // Seldom enough wrong that a new lemma, which the network would make, is more often so.
  bool can_be_trusted() const { return right >= 3 && right >= 2 * wrong; }
};

// What is known of a form's lemma, and of rules, from all others.
class Others {
 public:
  Others(std::span<const SeenForm> seen, int32_t least_forms) : least_forms_(least_forms) {
    for (const SeenForm& s : seen) {
      ++uses_[s.rule];
      ++uses_with_[{s.value, s.rule}];
      std::set<std::string_view>& forms = forms_[{s.value, s.lemma}];
      if (forms.size() < 2) forms.insert(s.form);
    }
  }

  bool know(const SeenForm& of, std::string_view lemma) const {
    const auto found = forms_.find({of.value, lemma});
    return found != forms_.end() && (found->second.size() > 1 || !found->second.contains(of.form));
  }
  bool have(const SeenForm& of, int32_t rule) const {
    const auto found = uses_.find(rule);
    return found != uses_.end() && found->second > (rule == of.rule);
  }
  bool choose(const SeenForm& of, int32_t rule) const {
    const auto found = uses_with_.find({of.value, rule});
    return found != uses_with_.end() && found->second - (rule == of.rule) >= least_forms_;
  }

 private:
  int32_t least_forms_;
  std::map<int32_t, int32_t> uses_;
  std::map<std::pair<int32_t, int32_t>, int32_t> uses_with_;  // value, rule
  std::map<std::pair<int32_t, std::string_view>, std::set<std::string_view>> forms_;
};

struct Tried {
  LemmaWay way;
  bool is_right;
};

// Where a form that was not seen would have to be led to a lemma by more than a choice.
struct Trial {
  int32_t value;
  std::vector<Tried> once, twice;
};

}  // namespace

LemmaReachParts try_reach(std::span<const SeenForm> seen, std::span<const LemmaRule> rules,
                          int32_t least_forms) {
  const Others others(seen, least_forms);
  const RulesByEnd by_end(rules);
  std::vector<Trial> trials;
  std::map<std::pair<int32_t, int32_t>, Outcomes> of_rules;  // by value and rule
  CasedForm form, between;
  std::string lemma, second;
  for (const SeenForm& s : seen) {
    check_interrupts();
    form.set(s.form);
    Trial trial{s.value, {}, {}};
    bool is_needed = true;
    const auto is_there = [&](int32_t rule) { return others.have(s, rule); };
    const auto is_choice = [&](int32_t rule) { return others.choose(s, rule); };
    each_way(form, by_end, is_there, lemma, [&](const LemmaWay& way, std::string_view found) {
      if (!others.know(s, found)) return;
      if (others.choose(s, way.first)) is_needed = false;
      trial.once.push_back({way, found == s.lemma});
    });
    if (!is_needed) continue;
    for (const Tried& tried : trial.once) of_rules[{s.value, tried.way.first}].add(tried.is_right);
    each_way(form, by_end, is_choice, lemma, [&](const LemmaWay& way, std::string_view stem) {
      between.set(stem);
      each_second_way(between, way.first, by_end, is_choice, second,
                      [&](const LemmaWay& both, std::string_view found) {
                        if (others.know(s, found)) trial.twice.push_back({both, found == s.lemma});
                      });
    });
    trials.push_back(std::move(trial));
  }
  const auto best = [](const std::vector<Tried>& of, const auto& may_be) {
    const Tried* found = nullptr;
    for (const Tried& tried : of)
      if (may_be(tried) && (found == nullptr || tried.way < found->way)) found = &tried;
    return found;
  };
  std::map<int32_t, std::pair<Outcomes, Outcomes>> of_values;
  for (const Trial& trial : trials) {
    auto& [once, twice] = of_values[trial.value];
    const auto leads_on = [&](const Tried& tried) {
      Outcomes of_others = of_rules.at({trial.value, tried.way.first});
      of_others.remove(tried.is_right);
      return !of_others.lead_astray();
    };
    if (const Tried* found = best(trial.once, leads_on))
      once.add(found->is_right);
    else if (const Tried* later = best(trial.twice, [](const Tried&) { return true; }))
      twice.add(later->is_right);
  }
  LemmaReachParts parts;
  for (const auto& [value, outcomes] : of_values) {
    if (outcomes.first.can_be_trusted()) parts.once.push_back(value);
    if (outcomes.second.can_be_trusted()) parts.twice.push_back(value);
  }
  for (const auto& [place, outcomes] : of_rules)
    if (outcomes.lead_astray() &&
        std::find(parts.once.begin(), parts.once.end(), place.first) != parts.once.end())
      parts.astray.push_back(place);
  return parts;
}

}  // namespace arcwise
