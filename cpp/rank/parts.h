// The parts that a whole tree is made of: its features are those of its parts (Zhang et al. 2014). Each kind
// names its nodes, which templates then ask for attributes; a node may be absent (kNone).
//
// A new kind is a name here and a few lines in each_part.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rank/finished_tree.h"

namespace arcwise {

enum class PartKind : uint8_t {
  Arc,           // a word m and its head h
  Grand,         // and the head's head g
  Sibling,       // and the dependent s next to m on the way to h, if there is one
  TriSibling,    // and the one next to that, t
  GrandSibling,  // g, h, s and m
  HeadBigram,    // two words in a row, l and m, and their heads p and h
  HeadTrigram,   // three, k, l and m, and their heads o, p and h
  Span,          // what m dominates, from l to r
  Valency,       // a word h for its dependents
  Root,          // a word m under ROOT
  Conjunct,      // m as a conjunct of h, with the coordinating word c between them, if there is one
  Adposition,    // an adposition a between a word m and what both hang from, h
  Crossing,      // an arc that is not projective
};
inline constexpr size_t kPartKinds = 13;
inline constexpr size_t kMostNodes = 6;
using PartNodes = std::array<int32_t, kMostNodes>;

struct PartKindNames {
  std::string_view name;
  std::array<std::string_view, kMostNodes> nodes;  // in the order in which each_part gives them
};
inline constexpr std::array<PartKindNames, kPartKinds> kPartKindNames = {{
    {"arc", {"h", "m"}},
    {"grand", {"g", "h", "m"}},
    {"sibling", {"h", "s", "m"}},
    {"tri-sibling", {"h", "t", "s", "m"}},
    {"grand-sibling", {"g", "h", "s", "m"}},
    {"head-bigram", {"p", "h", "l", "m"}},
    {"head-trigram", {"o", "p", "h", "k", "l", "m"}},
    {"span", {"h", "m", "l", "r"}},
    {"valency", {"h"}},
    {"root", {"m"}},
    {"conjunct", {"h", "c", "m"}},
    {"adposition", {"h", "a", "m"}},
    {"crossing", {"h", "m"}},
}};

// What some labels mean, by the names that they have in UD, in its forerunners and in Stanford dependencies.
enum class LabelRole : uint8_t { Any, Conjunct, Coordinator, Case, AdpositionObject };
LabelRole role_of_label(std::string_view name);

// emit(kind, nodes) for every part of a tree.
template <class Emit>
void each_part(const FinishedTree& tree, const std::vector<LabelRole>& roles, const Emit& emit) {
  const auto role = [&](int32_t node) {
    const int32_t label = tree[node].label;
    return label < 0 ? LabelRole::Any : roles[label];
  };
  emit(PartKind::Valency, PartNodes{kRoot});
  for (int32_t m = 1; m <= tree.words(); ++m) {
    const FinishedNode& word = tree[m];
    const int32_t h = word.head, s = word.inner, g = tree[h].head;
    emit(PartKind::Arc, PartNodes{h, m});
    emit(PartKind::Sibling, PartNodes{h, s, m});
    if (s != kNone) emit(PartKind::TriSibling, PartNodes{h, tree[s].inner, s, m});
    if (h != kRoot) {
      emit(PartKind::Grand, PartNodes{g, h, m});
      emit(PartKind::GrandSibling, PartNodes{g, h, s, m});
    } else {
      emit(PartKind::Root, PartNodes{m});
    }
    if (m > 1) emit(PartKind::HeadBigram, PartNodes{tree[m - 1].head, h, m - 1, m});
    if (m > 2) emit(PartKind::HeadTrigram, PartNodes{tree[m - 2].head, tree[m - 1].head, h, m - 2, m - 1, m});
    emit(PartKind::Span, PartNodes{h, m, word.left_edge, word.right_edge});
    emit(PartKind::Valency, PartNodes{m});
    if (word.crosses) emit(PartKind::Crossing, PartNodes{h, m});
    switch (role(m)) {
      case LabelRole::Conjunct: {
        // The coordinator hangs from the conjunct after it (UD), or from the first one.
        int32_t c = tree[m].left;
        while (c != kNone && role(c) != LabelRole::Coordinator) c = tree[c].inner;
        for (int32_t d = s; c == kNone && d != kNone && role(d) != LabelRole::Conjunct; d = tree[d].inner)
          if (role(d) == LabelRole::Coordinator) c = d;
        emit(PartKind::Conjunct, PartNodes{h, c, m});
        break;
      }
      case LabelRole::Case:  // UD: the adposition hangs from its noun
        if (h != kRoot) emit(PartKind::Adposition, PartNodes{g, m, h});
        break;
      case LabelRole::AdpositionObject:  // others: the noun from its adposition
        if (h != kRoot) emit(PartKind::Adposition, PartNodes{g, h, m});
        break;
      default:
        break;
    }
  }
}

}  // namespace arcwise
