// Feature templates: which atoms of a state are looked at together. The notation, a template a line:
//
//   S0.form S0.xpos N0.form     the atoms of one feature
//   S0h.deprel                  steps from a slot: h head, l/r outermost left/right dependent, l2/r2 next
//   ones in S0~N0.distance              how many words apart, in buckets bias                        a
//   feature that every state has
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
#include "task/slots.h"
#include "task/tree.h"

namespace arcwise {

class Templates {
 public:
  // Throws std::invalid_argument with a sentence that names the template and what is wrong with it.
  explicit Templates(const std::vector<std::string>& lines);

  size_t size() const { return templates_.size(); }
  // The token attributes that the templates look at.
  std::span<const Attribute> token_attributes() const { return token_attributes_; }
  // The slots that they start from.
  std::span<const Slot> slots() const { return slots_; }

  // What a template depends on. Parts that stay as long as a word stays where it is can be kept.
  enum class Part : uint8_t {
    All,
    Front,  // the words at the front of the buffer alone, so for a sentence the position of N0
    Top,    // the word at the top of the stack alone, S0
    Rest,
  };
  // Writes the keys of a state's features to `keys` (room for size() + 1) and returns how many there are.
  int32_t extract(Part part, const Tree& tree, const SlotNodes& slots, const TokenTable& tokens,
                  uint64_t* keys) const;

 private:
  enum class Step : uint8_t { Head, Left, Left2, Right, Right2 };
  // A node to be found: a slot, or a step from a node found before.
  struct Address {
    Slot slot{};
    int parent = -1;
    Step step{};
  };
  struct Atom {
    int address = 0;
    int other = -1;  // for a distance
    Attribute attribute{};
    uint64_t salt = 0;
  };
  static constexpr size_t kMaxAtoms = 5;
  struct Template {
    uint64_t seed = 0;
    std::vector<int> atoms;
    uint64_t needs = 0;  // the addresses that must be there, a bit each
  };
  // Templates with the same number of atoms, laid out for one loop.
  struct Group {
    std::vector<uint64_t> seeds, needs;
    std::vector<uint8_t> atoms;  // arity of them for each seed
  };
  // The templates of a part, and the addresses and atoms that they need.
  struct Plan {
    std::vector<uint8_t> addresses;
    std::vector<uint8_t> token_atoms, other_atoms;  // of token attributes, and of the tree so far
    std::array<Group, kMaxAtoms + 1> groups;        // by arity
  };

  int address_of(const std::string& text, const std::string& line);
  int atom_of(const std::string& text, const std::string& line);
  void parse(const std::string& line);
  void add(const Template& t, const std::string& line);
  Part part_of(const Template& t) const;
  Plan plan(Part part) const;
  static int32_t follow(const Tree& tree, int32_t node, Step step);
  template <size_t arity>
  static uint64_t* add_keys(const Group& group, uint64_t there, const uint64_t* values, uint64_t* keys);

  std::vector<Address> addresses_;
  std::vector<std::string> address_names_;
  std::vector<Atom> atoms_;
  std::vector<std::string> atom_names_;
  std::vector<Template> templates_;
  std::array<Plan, 4> plans_;
  std::vector<Attribute> token_attributes_;
  std::vector<Slot> slots_;
};

}  // namespace arcwise
