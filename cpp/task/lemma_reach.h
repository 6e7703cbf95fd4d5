// The way from a form to a lemma that the treebank has, if none of the rules that a tagger chooses from leads
// to one: some other rule, or two of those one after the other. Where that can be trusted, training has tried
// out (train/lemma_reach_trial.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/lemma_rule.h"

namespace arcwise {

// Rules, by what forms end with.
class RulesByEnd {
 public:
  explicit RulesByEnd(std::span<const LemmaRule> rules);

  // visit(number) for each rule for letters in this case that fits a text, which has its letters so.
  template <class Visit>
  void each_fitting(std::string_view text, LetterCase letters, const Visit& visit) const {
    for (int32_t at = static_cast<int32_t>(letters); at >= 0;) {
      const Node& node = nodes_[static_cast<size_t>(at)];
      for (const int32_t number : node.rules)
        if (text.starts_with((*this)[number].front)) visit(number);
      if (text.empty()) return;
      at = node.next(text.back());
      text.remove_suffix(1);
    }
  }
  const LemmaRule& operator[](int32_t number) const { return rules_[static_cast<size_t>(number)]; }
  int32_t size() const { return static_cast<int32_t>(rules_.size()); }

 private:
  // An ending: the rules that take it away, and those with a byte before it.
  struct Node {
    std::vector<int32_t> rules;
    std::vector<std::pair<char, int32_t>> longer;

    int32_t next(char before) const {
      for (const auto& [byte, at] : longer)
        if (byte == before) return at;
      return -1;
    }
  };
  std::vector<LemmaRule> rules_;
  std::vector<Node> nodes_;  // first those of no ending, for each case
};

// A second rule leaves at least so many bytes.
inline constexpr size_t kLeastStem = 3;

// What is left of a form, in bytes, and which rules lead to the lemma.
struct LemmaWay {
  size_t kept = 0;
  int32_t first = 0, second = -1;  // -1: no second one

  // More of the form comes first, then what was seen first.
  bool operator<(const LemmaWay& other) const {
    if (kept != other.kept) return kept > other.kept;
    return std::pair(first, second) < std::pair(other.first, other.second);
  }
};

// visit(way, lemma) for each rule that fits and may be followed.
template <class May, class Visit>
void each_way(CasedForm& form, const RulesByEnd& rules, const May& may, std::string& lemma,
              const Visit& visit) {
  for (size_t letters = 0; letters < kLetterCases; ++letters) {
    const std::string_view text = form.in(static_cast<LetterCase>(letters));
    rules.each_fitting(text, static_cast<LetterCase>(letters), [&](int32_t number) {
      const LemmaRule& rule = rules[number];
      if (!may(number) || form.leaves_a_letter(rule)) return;
      lemma.clear();
      form.append_lemma(rule, lemma);
      visit(LemmaWay{text.size() - rule.front.size() - rule.back.size(), number}, std::string_view(lemma));
    });
  }
}

// The same for a second rule, after a first one that has made `stem` of the form.
template <class May, class Visit>
void each_second_way(CasedForm& stem, int32_t first, const RulesByEnd& rules, const May& may,
                     std::string& lemma, const Visit& visit) {
  const auto may_follow = [&](int32_t number) { return may(number) && !rules[number].changes_case_alone(); };
  each_way(stem, rules, may_follow, lemma, [&](const LemmaWay& way, std::string_view found) {
    if (way.kept >= kLeastStem) visit(LemmaWay{way.kept, first, way.first}, found);
  });
}

// As a model file has it.
struct LemmaReachParts {
  std::vector<int32_t> once, twice;  // the values of the first column whose words may go so
  // Of the former, value and rule where a rule leads astray.
  std::vector<std::pair<int32_t, int32_t>> astray;
};

class LemmaReach {
 public:
  using Choices = std::vector<std::pair<int32_t, int32_t>>;  // value of the first column, rule

  // Throws std::invalid_argument if the parts name what there is not.
  LemmaReach(const LemmaReachParts& parts, const Choices& choices, int32_t values,
             std::span<const LemmaRule> rules);

  // The way to a lemma of which is_known(lemma) is true, for a word with a value in the first column.
  template <class IsKnown>
  std::optional<LemmaWay> find(CasedForm& form, int32_t value, const IsKnown& is_known) const {
    std::optional<LemmaWay> best;
    const auto [once, twice] = ways_[static_cast<size_t>(value)];
    if (!once && !twice) return best;
    const Kind* kinds = &kinds_[static_cast<size_t>(value) * static_cast<size_t>(rules_.size())];
    std::string lemma, second;
    CasedForm between;
    const auto take = [&](const LemmaWay& way, std::string_view found) {
      if ((!best || way < *best) && is_known(found)) best = way;
    };
    const auto leads_on = [&](int32_t rule) { return kinds[rule] != Kind::Astray; };
    const auto is_choice = [&](int32_t rule) { return kinds[rule] == Kind::Choice; };
    if (once) each_way(form, rules_, leads_on, lemma, take);
    if (best || !twice) return best;
    each_way(form, rules_, is_choice, lemma, [&](const LemmaWay& way, std::string_view stem) {
      between.set(stem);
      each_second_way(between, way.first, rules_, is_choice, second, take);
    });
    return best;
  }

 private:
  enum class Kind : uint8_t { Other, Choice, Astray };

  RulesByEnd rules_;
  std::vector<std::pair<bool, bool>> ways_;  // of each value, whether words may go so once, and twice
  std::vector<Kind> kinds_;                  // of each value, and each rule
};

}  // namespace arcwise
