// How multiword tokens fall into words: those that training has seen, by their form, and rules for others.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arcwise {

class Splits {
 public:
  enum class Use : uint8_t { Never, Sometimes, Always };

  struct Known {
    std::string form;
    std::vector<std::string> words;
    bool always = false;
  };
  // A token that begins and ends so has these words; in one of them, a star stands for what lies between.
  struct Rule {
    std::string prefix, suffix;
    std::vector<std::string> words;
  };

  Splits() = default;
  // Throws std::invalid_argument if a token has no words, or an empty one, or a rule changes nothing.
  Splits(const std::vector<Known>& known, const std::vector<Rule>& rules);

  // Is a token of this form one of several words?
  Use use(std::string_view form) const {
    if (known_.empty() && rules_.empty()) return Use::Never;
    if (const auto known = known_.find(form); known != known_.end())
      return known->second.always ? Use::Always : Use::Sometimes;
    return rule_of(form) ? Use::Sometimes : Use::Never;
  }
  // The words of a token that is.
  void words(std::string_view form, std::vector<std::string>& words) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <class Value>
  using ByText = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;
  struct Words {
    std::vector<std::string> words;
    bool always = false;
  };
  struct Lengths {
    size_t prefix, suffix;
  };

  // The one with the longest ends.
  const Rule* rule_of(std::string_view form) const;

  ByText<Words> known_;
  ByText<Rule> rules_;            // by prefix, a tab, and suffix
  std::vector<Lengths> lengths_;  // of the rules' ends, the longest first
};

}  // namespace arcwise
