// Templates of a ranker's features: which attributes of a part's nodes are looked at together. The notation,
// a template a line, is the name of a kind of parts (parts.h), a colon, and atoms:
//
//   grand: g.upos h.upos m.upos m.deprel     attributes of the part's nodes
//   arc: h.upos h+1.upos m-1.upos m.upos     and of words next to them
//   valency: h.upos h.left-count             what the tree says of a node
//   arc: h~m.distance h~m.direction          how two nodes lie to each other
//   crossing: bias                           a feature that every part of the kind has
//
// Unlike in templates of states, an absent node makes a feature too: that there is none tells something.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "feature/attributes.h"
#include "rank/parts.h"

namespace arcwise {

enum class TreeAttribute : uint8_t { Deprel, LeftCount, RightCount, Size, LeftSize, RightSize, RightBranch };
inline constexpr std::array<std::string_view, 7> kTreeAttributeNames = {
    "deprel", "left-count", "right-count", "size", "left-size", "right-size", "right-branch"};
enum class PairAttribute : uint8_t { Distance, Direction };
inline constexpr std::array<std::string_view, 2> kPairAttributeNames = {"distance", "direction"};

class RankTemplates {
 public:
  static constexpr size_t kMostPlaces = 64, kMostAtoms = 128;

  // Throws std::invalid_argument with a sentence that names the template and what is wrong with it.
  explicit RankTemplates(const std::vector<std::string>& lines);

  // The token attributes that the templates look at.
  std::span<const Attribute> token_attributes() const { return token_attributes_; }
  bool any(PartKind kind) const { return !plans_[static_cast<size_t>(kind)].templates.empty(); }

  // A part as its templates see it. Two parts of a sentence with the same key have the same features.
  struct View {
    uint64_t key;
    std::array<int32_t, kMostPlaces> places;
    std::array<uint64_t, kMostAtoms> values;  // so far only what the tree says
  };
  // `labels` are the hashes of the labels' names.
  void look(PartKind kind, const PartNodes& nodes, const FinishedTree& tree, std::span<const uint64_t> labels,
            View& view) const;
  // Adds the keys of the part's features to `keys`.
  void extract(PartKind kind, View& view, const TokenTable& tokens, std::vector<uint64_t>& keys) const;

 private:
  struct Place {  // a node of the part, or a word so far from it
    uint8_t node = 0;
    int8_t offset = 0;
    bool operator==(const Place&) const = default;
  };
  struct Atom {
    enum class Of : uint8_t { Token, Tree, Pair } of{};
    uint8_t attribute = 0;  // a number in the enumeration that it belongs to
    uint8_t place = 0, other = 0;
    uint64_t salt = 0;
  };
  struct Template {
    uint64_t seed = 0;
    std::vector<uint8_t> atoms;
  };
  struct Plan {
    std::vector<Place> places;
    std::vector<uint8_t> nodes;  // those of the part that places start from
    std::vector<Atom> atoms;
    std::vector<std::string> names;         // of the atoms
    std::vector<uint8_t> of_tree, of_rest;  // atoms, by when their values are found
    std::vector<Template> templates;
  };

  void parse(const std::string& line);
  static uint8_t place_of(const std::string& text, PartKind kind, Plan& plan);
  uint8_t atom_of(const std::string& text, PartKind kind, Plan& plan);

  std::array<Plan, kPartKinds> plans_;
  std::vector<Attribute> token_attributes_;
};

}  // namespace arcwise
