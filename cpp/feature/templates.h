// Feature templates: which atoms of a state are looked at together. The notation, a template a line:
//
//   S0.form S0.xpos N0.form     the atoms of one feature
//   S0h.deprel                  a place may be steps away from a slot (places.h)
//   S0~N0.distance              how many words apart, in buckets
//   bias                        a feature that every state has
//
// Compiled, each state's atoms are computed once and a template's key is the sum of its atoms' hashes. A
// template that looks at a node which is not there makes no feature.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "feature/attributes.h"
#include "feature/places.h"
#include "task/slots.h"
#include "tree/tree.h"

namespace arcwise {

class Templates {
 public:
  // Throws std::invalid_argument with a sentence that names the template and what is wrong with it.
  explicit Templates(const std::vector<std::string>& lines);

  size_t size() const { return templates_.size(); }
  // The token attributes that the templates look at.
  std::span<const Attribute> token_attributes() const { return token_attributes_; }
  // The slots that they start from.
  std::vector<Slot> slots() const { return places_.slots(); }

  // What a template depends on. Parts that stay as long as a word stays where it is can be kept.
  enum class Part : uint8_t {
    All,
    Front,  // the words at the front of the buffer alone, so for a sentence the position of N0
    Top,    // the word at the top of the stack alone, S0
    Rest,
    Pieces,  // the rest as well, but what looks at the same sides of the tree together
    Words,   // of the rest, what looks at words in slots and not at the tree
    Tree,    // of the rest, the others
  };
  static constexpr size_t kMostPieces = 8;
  size_t pieces() const { return plans_[static_cast<size_t>(Part::Pieces)].pieces.size(); }
  // Writes the keys of a state's features to `keys` (room for size() + 1) and returns how many there are; for
  // Pieces, `ends` has room for how many there are up to the end of each.
  int32_t extract(Part part, const TreeView& view, const TokenTable& tokens, uint64_t* keys,
                  int32_t* ends = nullptr) const;
  int32_t extract(const TreeView& view, const TokenTable& tokens, uint64_t* keys) const {
    return extract(Part::All, view, tokens, keys);
  }

 private:
  struct Atom {
    int place = 0;
    int other = -1;  // for a distance
    Attribute attribute{};
    uint64_t salt = 0;
  };
  static constexpr size_t kMaxAtoms = 5;
  struct Template {
    uint64_t seed = 0;
    std::vector<int> atoms;
    uint64_t needs = 0;  // the places that must be there, a bit each
  };
  // Templates with the same number of atoms, laid out for one loop.
  struct Group {
    std::vector<uint64_t> seeds, needs;
    std::vector<uint8_t> atoms;  // arity of them for each seed
  };
  using Piece = std::array<Group, kMaxAtoms + 1>;  // by arity
  // Those that need the same places, of which it is asked once whether they are there. Where a template has
  // fewer atoms than there is room for, the rest are kNoAtom.
  struct Feature {
    uint64_t seed = 0;
    std::array<uint8_t, kMaxAtoms> atoms{};
  };
  static constexpr size_t kFewAtoms = 3;  // most templates have no more
  struct Run {
    uint64_t needs = 0;
    std::vector<Feature> few, many;
  };
  // The atoms of a place, or of two that are known by then, which are computed if it is there.
  struct TokenAtom {
    uint64_t salt = 0;
    uint8_t number = 0;
    Attribute attribute{};
  };
  struct AtPlace {
    uint8_t place = 0;
    std::vector<TokenAtom> token_atoms;
    std::vector<uint8_t> other_atoms;
  };
  // The templates of a part, and the places and atoms that they need. Those of parts that are not trained on
  // come in runs, where features have another order.
  struct Plan {
    std::vector<uint8_t> places;
    std::vector<uint8_t> token_atoms, other_atoms;  // of token attributes, and of the tree so far
    std::vector<Piece> pieces;                      // one, but of Part::Pieces
    std::vector<AtPlace> at_places;
    std::vector<Run> runs;
  };
  static bool comes_in_runs(Part part) { return part != Part::All && part != Part::Pieces; }

  int place_of(const std::string& text, const std::string& line);
  int atom_of(const std::string& text, const std::string& line);
  void parse(const std::string& line);
  void add(const Template& t, const std::string& line);
  Part part_of(const Template& t) const;
  bool looks_at_words_alone(const Template& t) const;
  bool is_in(Part part, const Template& t) const;
  uint64_t sides_of(const Template& t) const;
  Plan plan(Part part) const;
  uint64_t value_of(const Atom& atom, const TreeView& view, const int32_t* nodes) const;
  uint64_t* extract_runs(const Plan& plan, const TreeView& view, const TokenTable& tokens,
                         uint64_t* keys) const;
  template <size_t arity>
  static uint64_t* add_keys(const Group& group, uint64_t there, const uint64_t* values, uint64_t* keys);

  Places places_;
  std::vector<Atom> atoms_;
  std::vector<std::string> atom_names_;
  std::vector<Template> templates_;
  std::array<Plan, 7> plans_;
  std::vector<Attribute> token_attributes_;
};

}  // namespace arcwise
