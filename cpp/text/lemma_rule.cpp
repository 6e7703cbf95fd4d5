#include "text/lemma_rule.h"

#include <vector>

#include "text/case.h"
#include "text/utf8.h"

namespace arcwise {
namespace {

struct Shared {
  size_t first = 0, second = 0, length = 0;  // where it begins in either text, in letters
};

// The longest stretch that two texts share; of several, the one that comes first in the first text.
Shared longest_shared(const std::u32string& a, const std::u32string& b) {
  Shared best;
  std::vector<size_t> ending(b.size() + 1, 0);  // how much is shared that ends before each letter of b
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = b.size(); j-- > 0;) {
      ending[j + 1] = a[i] == b[j] ? ending[j] + 1 : 0;
      if (ending[j + 1] > best.length) best = {i + 1 - ending[j + 1], j + 1 - ending[j + 1], ending[j + 1]};
    }
  return best;
}

std::u32string letters_of(std::string_view text) {
  const utf8::CodePoints points(text);
  return {points.begin(), points.end()};
}

std::string spelled(std::u32string_view letters) {
  std::string text;
  for (char32_t c : letters) utf8::append(c, text);
  return text;
}

}  // namespace

LemmaRule LemmaRule::between(std::string_view form, std::string_view lemma) {
  CasedForm cased;
  cased.set(form);
  const std::u32string to = letters_of(lemma);
  LemmaRule best;
  size_t fewest = SIZE_MAX;
  for (size_t c = 0; c < kLetterCases; ++c) {
    const std::u32string from = letters_of(cased.in(static_cast<LetterCase>(c)));
    const Shared stem = longest_shared(from, to);
    const size_t replaced = from.size() + to.size() - 2 * stem.length;
    if (replaced >= fewest) continue;
    fewest = replaced;
    const std::u32string_view f = from, t = to;
    best = {static_cast<LetterCase>(c), spelled(f.substr(0, stem.first)), spelled(t.substr(0, stem.second)),
            spelled(f.substr(stem.first + stem.length)), spelled(t.substr(stem.second + stem.length))};
  }
  return best;
}

void CasedForm::set(std::string_view form) {
  form_ = form;
  known_ = {};
}

std::string_view CasedForm::in(LetterCase how) {
  if (how == LetterCase::Same) return form_;
  const auto number = static_cast<size_t>(how);
  std::string& text = texts_[number];
  if (known_[number]) return text;
  known_[number] = true;
  if (how == LetterCase::Lower) {
    to_lower(form_, text);
    return text;
  }
  text.clear();
  for (const char32_t c : utf8::CodePoints(form_)) {
    const bool upper_case = how == LetterCase::Upper || text.empty();
    utf8::append(upper_case ? upper(c) : lower(c), text);
  }
  return text;
}

bool CasedForm::fits(const LemmaRule& rule) {
  const std::string_view text = in(rule.letters);
  const size_t replaced = rule.front.size() + rule.back.size();
  return text.size() >= replaced &&
         text.size() - replaced + rule.new_front.size() + rule.new_back.size() > 0 &&
         text.starts_with(rule.front) && text.ends_with(rule.back);
}

bool CasedForm::leaves_a_letter(const LemmaRule& rule) {
  constexpr size_t kMostBytes = 4;  // of a letter
  const std::string_view text = in(rule.letters);
  const size_t stem = text.size() - rule.front.size() - rule.back.size(),
               left = stem + rule.new_front.size() + rule.new_back.size();
  if (left > kMostBytes || left == text.size()) return false;
  std::string lemma;
  append_lemma(rule, lemma);
  const auto letters = [](std::string_view of) {
    const utf8::CodePoints points(of);
    return std::distance(points.begin(), points.end());
  };
  return letters(lemma) == 1 && letters(text) > 2;
}

void CasedForm::append_lemma(const LemmaRule& rule, std::string& out) {
  const std::string_view text = in(rule.letters);
  out += rule.new_front;
  out += text.substr(rule.front.size(), text.size() - rule.front.size() - rule.back.size());
  out += rule.new_back;
}

}  // namespace arcwise
