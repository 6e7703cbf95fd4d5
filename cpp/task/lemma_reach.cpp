#include "task/lemma_reach.h"

#include <stdexcept>

namespace arcwise {

RulesByEnd::RulesByEnd(std::span<const LemmaRule> rules)
    : rules_(rules.begin(), rules.end()), nodes_(kLetterCases) {
  for (size_t number = 0; number < rules_.size(); ++number) {
    auto at = static_cast<size_t>(rules_[number].letters);
    const std::string& back = rules_[number].back;
    for (auto byte = back.rbegin(); byte != back.rend(); ++byte) {
      const int32_t next = nodes_[at].next(*byte);
      if (next < 0) {
        nodes_[at].longer.emplace_back(*byte, static_cast<int32_t>(nodes_.size()));
        at = nodes_.size();
        nodes_.emplace_back();
      } else {
        at = static_cast<size_t>(next);
      }
    }
    nodes_[at].rules.push_back(static_cast<int32_t>(number));
  }
}

LemmaReach::LemmaReach(const LemmaReachParts& parts, const Choices& choices, int32_t values,
                       std::span<const LemmaRule> rules)
    : rules_(rules), ways_(static_cast<size_t>(values)), kinds_(static_cast<size_t>(values) * rules.size()) {
  const auto within = [](int32_t number, int32_t size) {
    if (number < 0 || number >= size)
      throw std::invalid_argument("The model is damaged: a way to known lemmas is that of no tag or rule.");
    return static_cast<size_t>(number);
  };
  const auto kind = [&](const std::pair<int32_t, int32_t>& of) -> Kind& {
    return kinds_[within(of.first, values) * rules.size() + within(of.second, rules_.size())];
  };
  for (const int32_t value : parts.once) ways_[within(value, values)].first = true;
  for (const int32_t value : parts.twice) ways_[within(value, values)].second = true;
  for (const auto& choice : choices) kind(choice) = Kind::Choice;
  for (const auto& astray : parts.astray)
    if (kind(astray) == Kind::Other) kind(astray) = Kind::Astray;
}

}  // namespace arcwise
