// From a form to its lemma: the form in another case, with other letters at its beginning and its end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace arcwise {

enum class LetterCase : uint8_t { Lower, Same, Title, Upper };
inline constexpr size_t kLetterCases = 4;
inline constexpr std::array<std::string_view, kLetterCases> kLetterCaseNames = {"lower", "same", "title",
                                                                                "upper"};

struct LemmaRule {
  LetterCase letters = LetterCase::Same;
  std::string front, new_front;  // what the form begins with, and what the lemma has in its place
  std::string back, new_back;    // what it ends with

  bool operator==(const LemmaRule&) const = default;

  bool changes_case_alone() const {
    return front.empty() && new_front.empty() && back.empty() && new_back.empty();
  }

  // Of the rules that lead from this form to this lemma, the one that replaces the fewest letters.
  static LemmaRule between(std::string_view form, std::string_view lemma);
};

// A form in every case, each spelled out when it is first asked for.
class CasedForm {
 public:
  void set(std::string_view form);
  std::string_view in(LetterCase letters);

  // Whether a rule has a lemma for the form, and that lemma, appended to `out`.
  bool fits(const LemmaRule& rule);
  void append_lemma(const LemmaRule& rule, std::string& out);
  // Whether a rule that fits leaves one letter of three or more: no lemma, unless a lexicon says so.
  bool leaves_a_letter(const LemmaRule& rule);

 private:
  std::string_view form_;
  std::array<std::string, kLetterCases> texts_;
  std::array<bool, kLetterCases> known_{};
};

}  // namespace arcwise
