// How multiword tokens fall into words: those that training has seen, by their form, and rules for others.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/boundary.h"

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
  // `apart`: what is learnt of one known form is learnt of no other. Throws std::invalid_argument if a token
  // has no words, or an empty one, or a rule changes nothing.
  Splits(const std::vector<Known>& known, const std::vector<Rule>& rules, bool apart = false);

  // Is a token of this form one of several words?
  Use use(std::string_view form) const {
    if (!may_be_known_[outline(form)] && !may_follow_rules(form)) return Use::Never;
    if (const auto known = known_.find(form); known != known_.end())
      return known->second.always ? Use::Always : Use::Sometimes;
    return rule_of(form) ? Use::Sometimes : Use::Never;
  }
  // The same, and what can be said of how it would be split.
  PossibleSplit possible(std::string_view form) const;
  // The words of a token that is.
  void words(std::string_view form, std::vector<std::string>& words) const;
  // How many words a token has at most.
  size_t most_words() const { return most_words_; }

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
    std::bitset<256> inner;  // by the bytes where they meet what lies between

    // Of a longer form.
    size_t inner_bytes(std::string_view form) const {
      const char before = prefix > 0 ? form[prefix - 1] : '\0';
      const char after = suffix > 0 ? form[form.size() - suffix] : '\0';
      return static_cast<unsigned char>(before + 31 * after);
    }
  };

  // Most tokens are of one word, and are told so at a glance: by their length and outermost bytes, and by how
  // they begin and end.
  static size_t outline(std::string_view form) {
    const auto byte = [](char c) { return static_cast<size_t>(static_cast<unsigned char>(c)); };
    return (byte(form.front()) << 8 ^ byte(form.back()) ^ form.size() << 4) % kOutlines;
  }
  static size_t two_bytes(char first, char second) {
    return static_cast<size_t>(static_cast<unsigned char>(first)) << 8 | static_cast<unsigned char>(second);
  }
  bool may_follow_rules(std::string_view form) const {
    return form.size() > 1 && (prefixes_[two_bytes(form[0], form[1])] ||
                               suffixes_[two_bytes(form[form.size() - 2], form.back())]);
  }

  // The one with the longest ends.
  const Rule* rule_of(std::string_view form) const;

  ByText<Words> known_;
  ByText<Rule> rules_;            // by prefix, a tab, and suffix
  std::vector<Lengths> lengths_;  // of the rules' ends, the longest first
  size_t most_words_ = 1;
  bool apart_ = false;
  static constexpr size_t kOutlines = size_t{1} << 16;
  std::bitset<kOutlines> may_be_known_, prefixes_, suffixes_;
};

}  // namespace arcwise
