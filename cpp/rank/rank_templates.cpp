#include "rank/rank_templates.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "base/hash.h"
#include "feature/places.h"

namespace arcwise {
namespace {

// Up to four counts exactly, then in steps of about a half.
uint64_t bucket(int32_t count) {
  static constexpr int32_t kLast[] = {0, 1, 2, 3, 4, 6, 9, 14, 20, 30};
  return static_cast<uint64_t>(std::lower_bound(std::begin(kLast), std::end(kLast), count) -
                               std::begin(kLast));
}

template <size_t n>
uint8_t number_of(const std::string& name, const std::array<std::string_view, n>& names) {
  return static_cast<uint8_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

uint64_t tree_value(TreeAttribute attribute, int32_t at, const FinishedTree& tree,
                    std::span<const uint64_t> labels) {
  if (at < 0 || at > tree.words()) return 0;
  const FinishedNode& n = tree[at];
  const auto counted = [](int32_t count) { return mix(bucket(count) + 1); };
  switch (attribute) {
    case TreeAttribute::Deprel:
      return n.label < 0 ? 0 : labels[n.label];
    case TreeAttribute::LeftCount:
      return counted(n.left_count);
    case TreeAttribute::RightCount:
      return counted(n.right_count);
    case TreeAttribute::Size:
      return counted(n.right_edge - n.left_edge + 1);
    case TreeAttribute::LeftSize:
      return counted(at - n.left_edge);
    case TreeAttribute::RightSize:
      return counted(n.right_edge - at);
    case TreeAttribute::RightBranch:
      return counted(n.right_branch);
  }
  return 0;
}

uint64_t pair_value(PairAttribute attribute, int32_t a, int32_t b) {
  if (a == kNone || b == kNone) return 0;
  return attribute == PairAttribute::Direction ? mix(a < b ? 1 : 2) : mix(bucket(std::abs(a - b)) + 1);
}

}  // namespace

RankTemplates::RankTemplates(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    try {
      parse(line);
    } catch (const std::invalid_argument& error) {
      refuse("Ranking template '" + line + "': " + error.what());
    }
  }
  if (lines.empty()) refuse("There are no ranking templates: give at least one.");
}

void RankTemplates::parse(const std::string& line) {
  const size_t colon = line.find(':');
  const auto kind = std::find_if(kPartKindNames.begin(), kPartKindNames.end(),
                                 [&](const auto& k) { return k.name == line.substr(0, colon); });
  if (colon == std::string::npos || kind == kPartKindNames.end()) {
    std::vector<std::string_view> names;
    for (const auto& k : kPartKindNames) names.push_back(k.name);
    refuse("it starts with no kind of parts and a colon; kinds are " + listed(names) + ".");
  }
  const auto number = static_cast<PartKind>(kind - kPartKindNames.begin());
  Plan& plan = plans_[static_cast<size_t>(number)];
  Template t;
  std::vector<std::string> names;
  std::istringstream atoms(line.substr(colon + 1));
  bool bias = false;
  for (std::string atom; atoms >> atom;) {
    if (bias || (atom == "bias" && !t.atoms.empty())) refuse("'bias' stands alone.");
    bias = atom == "bias";
    names.push_back(atom);
    if (bias) continue;
    t.atoms.push_back(atom_of(atom, number, plan));
    if (std::count(names.begin(), names.end(), atom) > 1) refuse("'" + atom + "' is there twice.");
  }
  if (names.empty()) refuse("it has no atom.");
  // The order of the atoms does not matter, so neither may it to the key.
  std::sort(names.begin(), names.end());
  std::string name(kind->name);
  for (const std::string& n : names) name += " " + n;
  t.seed = hash_bytes(name, 2);
  for (const Template& other : plan.templates)
    if (other.seed == t.seed) refuse("it is there twice.");
  plan.templates.push_back(t);
}

uint8_t RankTemplates::place_of(const std::string& text, PartKind kind, Plan& plan) {
  const PartKindNames& names = kPartKindNames[static_cast<size_t>(kind)];
  const uint8_t node = number_of(text.substr(0, 1), names.nodes);
  const std::string offset = text.empty() ? "" : text.substr(1);
  const bool is_offset =
      offset.size() == 2 && (offset[0] == '+' || offset[0] == '-') && offset[1] >= '1' && offset[1] <= '9';
  if (text.empty() || node == kMostNodes || !(offset.empty() || is_offset)) {
    std::vector<std::string_view> known;
    for (const std::string_view n : names.nodes)
      if (!n.empty()) known.push_back(n);
    refuse("'" + text + "' is no node of this kind of parts; nodes are " + listed(known) +
           ", and words up to nine away from them, such as " + std::string(known.back()) + "-1.");
  }
  const Place place{node, static_cast<int8_t>(is_offset ? std::atoi(offset.c_str()) : 0)};
  const auto known = std::find(plan.places.begin(), plan.places.end(), place);
  if (known != plan.places.end()) return static_cast<uint8_t>(known - plan.places.begin());
  if (plan.places.size() == kMostPlaces) refuse("there are more than 64 different places in this kind.");
  plan.places.push_back(place);
  if (std::find(plan.nodes.begin(), plan.nodes.end(), node) == plan.nodes.end()) plan.nodes.push_back(node);
  return static_cast<uint8_t>(plan.places.size() - 1);
}

uint8_t RankTemplates::atom_of(const std::string& text, PartKind kind, Plan& plan) {
  const auto known = std::find(plan.names.begin(), plan.names.end(), text);
  if (known != plan.names.end()) return static_cast<uint8_t>(known - plan.names.begin());
  const size_t dot = text.find('.');
  if (dot == std::string::npos)
    refuse("'" + text + "' is no atom; an atom is a node, a dot and an attribute, such as h.upos.");
  const std::string node = text.substr(0, dot), attribute = text.substr(dot + 1);
  Atom atom;
  const size_t tilde = node.find('~');
  if (tilde != std::string::npos) {
    atom.of = Atom::Of::Pair;
    atom.attribute = number_of(attribute, kPairAttributeNames);
    if (atom.attribute == kPairAttributeNames.size())
      refuse("'" + text + "': two nodes have " + listed(kPairAttributeNames) + ", and nothing else.");
    atom.place = place_of(node.substr(0, tilde), kind, plan);
    atom.other = place_of(node.substr(tilde + 1), kind, plan);
  } else {
    const std::span<const std::string_view> tokens(kAttributeNames.data(), kTokenAttributes);
    const auto token = std::find(tokens.begin(), tokens.end(), attribute);
    atom.of = token != tokens.end() ? Atom::Of::Token : Atom::Of::Tree;
    atom.attribute = token != tokens.end() ? static_cast<uint8_t>(token - tokens.begin())
                                           : number_of(attribute, kTreeAttributeNames);
    if (token == tokens.end() && atom.attribute == kTreeAttributeNames.size())
      refuse("'" + attribute + "' is no attribute; attributes are " + listed(tokens) + "; " +
             listed(kTreeAttributeNames) + "; and of two nodes (h~m.distance) " +
             listed(kPairAttributeNames) + ".");
    atom.place = place_of(node, kind, plan);
    const auto own = static_cast<Attribute>(atom.attribute);
    if (token != tokens.end() &&
        std::find(token_attributes_.begin(), token_attributes_.end(), own) == token_attributes_.end())
      token_attributes_.push_back(own);
  }
  if (plan.atoms.size() == kMostAtoms) refuse("there are more than 128 different atoms in this kind.");
  atom.salt = hash_bytes(text, 0) | 1;
  const auto number = static_cast<uint8_t>(plan.atoms.size());
  (atom.of == Atom::Of::Tree ? plan.of_tree : plan.of_rest).push_back(number);
  plan.atoms.push_back(atom);
  plan.names.push_back(text);
  return number;
}

void RankTemplates::look(PartKind kind, const PartNodes& nodes, const FinishedTree& tree,
                         std::span<const uint64_t> labels, View& view) const {
  const Plan& plan = plans_[static_cast<size_t>(kind)];
  // The kind is multiplied as the nodes are, or the next kind with the word before would be the same.
  uint64_t key = (static_cast<uint64_t>(kind) + 1) * 0x9e3779b97f4a7c15ULL;
  for (const uint8_t n : plan.nodes) key = (key + static_cast<uint32_t>(nodes[n])) * 0x9e3779b97f4a7c15ULL;
  for (size_t i = 0; i < plan.places.size(); ++i) {
    const Place p = plan.places[i];
    const int32_t node = nodes[p.node], at = node + p.offset;
    view.places[i] = node == kNone || at < 0 || at > tree.words() + 1 ? kNone : at;
  }
  for (const uint8_t a : plan.of_tree) {
    const Atom& atom = plan.atoms[a];
    view.values[a] =
        tree_value(static_cast<TreeAttribute>(atom.attribute), view.places[atom.place], tree, labels);
    key = (key ^ view.values[a]) * 0x9e3779b97f4a7c15ULL;
    key ^= key >> 29;
  }
  view.key = mix(key);
}

void RankTemplates::extract(PartKind kind, View& view, const TokenTable& tokens,
                            std::vector<uint64_t>& keys) const {
  const Plan& plan = plans_[static_cast<size_t>(kind)];
  for (const uint8_t a : plan.of_rest) {
    const Atom& atom = plan.atoms[a];
    view.values[a] = atom.of == Atom::Of::Token
                         ? tokens.column(static_cast<Attribute>(atom.attribute))[view.places[atom.place]]
                         : pair_value(static_cast<PairAttribute>(atom.attribute), view.places[atom.place],
                                      view.places[atom.other]);
  }
  for (size_t a = 0; a < plan.atoms.size(); ++a) view.values[a] *= plan.atoms[a].salt;
  for (const Template& t : plan.templates) {
    uint64_t key = t.seed;
    for (const uint8_t a : t.atoms) key += view.values[a];
    keys.push_back(mix(key));
  }
}

}  // namespace arcwise
