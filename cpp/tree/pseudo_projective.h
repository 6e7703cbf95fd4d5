// Pseudo-projective parsing (Nivre & Nilsson 2005): non-projective trees for parsers that build only
// projective ones. Before training, words on non-projective arcs are lifted to a head further up and
// their labels say so; after parsing, the labels say where each lifted word belongs, and it returns there.
//
// A tree is given by its words' heads: index 0 is word 1, head 0 is ROOT, which stands before the first
// word, and kUnknownHead is a head that is not annotated. The head a word has in the treebank is its
// syntactic head, the one that it hangs from after lifting its linear head.
//
// Every function throws std::invalid_argument, with the reason, when the heads hold a cycle or one of them
// is out of range, and when spans differ in length. Results may be written over the heads given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace arcwise {

// What labels tell of the lifts; the paper's names, with its notation for a word with label `d`, lifted from
// a head with label `h`, and for a word with label `p` that it was lifted past.
enum class Scheme : uint8_t {
  Head,      // d↑h
  Path,      // d↑ and p↓
  HeadPath,  // d↑h and p↓
};

// `head`, `path` or `head+path`; anything else throws std::invalid_argument.
Scheme scheme_from_name(std::string_view name);

// Values of LiftedLabel::lifted_from that are no label (labels count from 0; -1 is kUnknownLabel).
inline constexpr int32_t kNotLifted = -2;
inline constexpr int32_t kLifted = -3;  // from where, the scheme does not say

// A label as a projective parser learns and predicts it.
struct LiftedLabel {
  int32_t base = 0;                  // the label in the treebank, and in the output
  int32_t lifted_from = kNotLifted;  // or kLifted, or the syntactic head's label
  bool path = false;                 // some word was lifted past this one

  bool operator==(const LiftedLabel&) const = default;
};

// Whether no arc spans a word that its head does not dominate. Unknown heads count in the tree's favour: a
// partial tree is projective if some choice of them makes it so. O(n); O(n log n) with unknown heads.
bool is_projective(std::span<const int32_t> heads);

// Lifts words until the tree is projective: each time the dependent of the shortest non-projective arc (of
// the leftmost, among equals), by one step, to the head of its head. A projective tree stays as it is,
// unmarked.
//
// No word is lifted through an unknown head. One that would have to be loses its own head instead: it
// comes out as kUnknownHead, not marked as lifted, so that training charges nothing for an arc that no
// projective tree around it can hold. (Words that it had been lifted past by then keep their path mark.)
// Words whose head is unknown stay so.
//
// O(n) for a projective tree. Otherwise a lift costs the size of the subtree that is lifted, and no word
// leaves an ancestor twice, so that whatever the tree, the work is at most its number of (word, ancestor)
// pairs (and a logarithm for each lift).
void projectivize(std::span<const int32_t> heads, std::span<const int32_t> labels, Scheme scheme,
                  std::span<int32_t> out_heads, std::span<LiftedLabel> out_labels);

// Lowers the words that are marked as lifted, whatever tree and labels a parser came up with: each to the
// first word below its linear head, breadth first and from left to right, that the scheme takes for its
// syntactic head; if there is none, it stays. The result is a tree with base labels alone. Words under ROOT
// stay there, so that a tree with one of them keeps it.
//
// After projectivize() this gives back the tree exactly
// - if nothing was lifted;
// - with `path` and `head+path`, if one word was lifted, and not to ROOT (which happens only where several
// words
//   are under ROOT): then the words marked as passed are those on the way from its linear head down to its
//   syntactic head, and that head is the only one of them with none below it;
// - with `head`, if besides that no word before the syntactic head, in the order of the search, has its
// label. Several lifts may mislead each other where the paths of one lie below the linear head of another.
//
// A search ends at the first word that could not be bettered, a few words away as a rule; at worst it visits
// all that is below the linear head.
//
// With `may`, no word is lowered to a head that it may not have: may(head, word).
void deprojectivize(std::span<const int32_t> heads, std::span<const LiftedLabel> labels, Scheme scheme,
                    std::span<int32_t> out_heads, std::span<int32_t> out_labels,
                    const std::function<bool(int32_t, int32_t)>& may = {});

}  // namespace arcwise

template <>
struct std::hash<arcwise::LiftedLabel> {
  size_t operator()(const arcwise::LiftedLabel& label) const noexcept {
    const auto base = static_cast<uint32_t>(label.base);
    const auto lifted_from = static_cast<uint32_t>(label.lifted_from);
    const uint64_t packed = (uint64_t{base} << 32 | lifted_from) * 2 + label.path;
    return std::hash<uint64_t>{}(packed * 0x9E3779B97F4A7C15u);
  }
};
