#include "feature/templates.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/hash.h"

namespace arcwise {
namespace {

constexpr int kMostAtoms = 255;
// In runs, templates are filled up to one of two lengths with an atom whose value is 0: a few more additions
// take less time than many short loops.
constexpr uint8_t kNoAtom = kMostAtoms;
constexpr size_t kFewAtoms = 3, kManyAtoms = 5;

[[noreturn]] void refuse(const std::string& line, const std::string& why) {
  throw std::invalid_argument("Feature template '" + line + "': " + why);
}

// One to five apart counts exactly; then six to ten, then more.
uint64_t distance_bucket(int32_t apart) { return apart <= 5 ? apart : apart <= 10 ? 6 : 7; }

Places::Side side_of(Attribute of_tree) {
  switch (of_tree) {
    case Attribute::LeftCount:
    case Attribute::LeftLabels:
      return Places::kLeftSide;
    case Attribute::RightCount:
    case Attribute::RightLabels:
      return Places::kRightSide;
    default:
      return Places::kHeadSide;
  }
}

}  // namespace

Templates::Templates(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) parse(line);
  if (templates_.empty()) throw std::invalid_argument("There are no feature templates: give at least one.");
  for (Part part : {Part::All, Part::Front, Part::Top, Part::Rest, Part::Pieces})
    plans_[static_cast<size_t>(part)] = plan(part);
}

int Templates::place_of(const std::string& text, const std::string& line) {
  try {
    return places_.add(text);
  } catch (const std::invalid_argument& error) {
    refuse(line, error.what());
  }
}

int Templates::atom_of(const std::string& text, const std::string& line) {
  const auto known = std::find(atom_names_.begin(), atom_names_.end(), text);
  if (known != atom_names_.end()) return static_cast<int>(known - atom_names_.begin());

  const size_t dot = text.find('.');
  if (dot == std::string::npos)
    refuse(line, "'" + text + "' is no atom; an atom is a place, a dot and an attribute, such as S0.form.");
  const std::string place = text.substr(0, dot), attribute = text.substr(dot + 1);
  Atom atom;
  const size_t tilde = place.find('~');
  if (tilde != std::string::npos) {
    if (attribute != "distance") refuse(line, "'" + text + "': two places have a distance and nothing else.");
    atom.place = place_of(place.substr(0, tilde), line);
    atom.other = place_of(place.substr(tilde + 1), line);
  } else {
    const auto found = std::find(kAttributeNames.begin(), kAttributeNames.end(), attribute);
    if (found == kAttributeNames.end())
      refuse(line, "'" + attribute + "' is no attribute; attributes are " + listed(kAttributeNames) +
                       ", and distance between two places (S0~N0.distance).");
    atom.place = place_of(place, line);
    atom.attribute = static_cast<Attribute>(found - kAttributeNames.begin());
    if (is_token_attribute(atom.attribute) && std::find(token_attributes_.begin(), token_attributes_.end(),
                                                        atom.attribute) == token_attributes_.end())
      token_attributes_.push_back(atom.attribute);
  }
  if (atoms_.size() == kMostAtoms)
    refuse(line, "there are more than 255 different atoms in these templates.");
  atom.salt = hash_bytes(text, 0) | 1;
  atoms_.push_back(atom);
  atom_names_.push_back(text);
  return static_cast<int>(atoms_.size()) - 1;
}

void Templates::parse(const std::string& line) {
  std::istringstream words(line);
  Template t;
  std::vector<std::string> names;
  for (std::string word; words >> word;) {
    if (word == "bias") {
      if (!names.empty()) refuse(line, "'bias' stands alone.");
      t.seed = hash_bytes("bias", 1);
      if (words >> word) refuse(line, "'bias' stands alone.");
      add(t, line);
      return;
    }
    const int atom = atom_of(word, line);
    if (std::find(t.atoms.begin(), t.atoms.end(), atom) != t.atoms.end())
      refuse(line, "'" + word + "' is there twice.");
    t.atoms.push_back(atom);
    names.push_back(word);
  }
  if (t.atoms.empty()) refuse(line, "it has no atom.");
  if (t.atoms.size() > kMaxAtoms) refuse(line, "it has more than five atoms.");
  // The order of the atoms does not matter, so neither may it to the key.
  std::sort(names.begin(), names.end());
  std::string name;
  for (const std::string& n : names) (name += name.empty() ? "" : " ") += n;
  t.seed = hash_bytes(name, 1);
  for (int a : t.atoms) {
    const auto need = [&](int place) {
      for (; place >= 0; place = places_.parent(place)) t.needs |= uint64_t{1} << place;
    };
    need(atoms_[a].place);
    need(atoms_[a].other);
  }
  add(t, line);
}

void Templates::add(const Template& t, const std::string& line) {
  for (const Template& other : templates_)
    if (other.seed == t.seed) refuse(line, "it is there twice.");
  templates_.push_back(t);
}

Templates::Part Templates::part_of(const Template& t) const {
  bool front = true, top = true;
  for (int a : t.atoms) {
    const Atom& atom = atoms_[a];
    const Slot slot = places_.slot(atom.place);
    const bool plain = atom.other < 0 && places_.parent(atom.place) < 0 && is_token_attribute(atom.attribute);
    front &= plain && slot >= Slot::N0 && slot <= Slot::N3;
    top &= plain && slot == Slot::S0;
  }
  return front ? Part::Front : top ? Part::Top : Part::Rest;
}

// Which sides of the words in slots (where the head is, and the dependents on either side) a template looks
// at, a bit each. Derivations in a beam mostly differ in one of them.
uint64_t Templates::sides_of(const Template& t) const {
  uint64_t sides = 0;
  const auto add = [&](int slot, Places::Side side) {
    sides |= uint64_t{1} << (static_cast<size_t>(places_.slot(slot)) * Places::kSides + side);
  };
  const auto is_slot = [&](int place) { return places_.parent(place) < 0; };
  for (size_t place = 0; place < places_.size(); ++place) {
    const int parent = places_.parent(place);
    if (t.needs >> place & 1 && parent >= 0 && is_slot(parent)) add(parent, places_.side(place));
  }
  for (int a : t.atoms) {
    const Atom& atom = atoms_[a];
    if (atom.other >= 0 || !is_slot(atom.place) || is_token_attribute(atom.attribute)) continue;
    add(atom.place, side_of(atom.attribute));
  }
  return sides;
}

Templates::Plan Templates::plan(Part part) const {
  Plan plan;
  uint64_t places = 0;
  std::vector<bool> needed(atoms_.size(), false);
  std::vector<uint64_t> sides;  // of each piece
  for (const Template& t : templates_) {
    const Part own = part_of(t);
    if (part != Part::All && own != part && !(part == Part::Pieces && own == Part::Rest)) continue;
    Group* group = nullptr;
    size_t filled = 0;
    if (comes_in_runs(part)) {
      const size_t arity = t.atoms.size() <= kFewAtoms ? kFewAtoms : kManyAtoms;
      const auto fits = [&](const Run& r) { return r.needs == t.needs && r.arity == arity; };
      auto run = std::find_if(plan.runs.begin(), plan.runs.end(), fits);
      if (run == plan.runs.end()) run = plan.runs.insert(run, {t.needs, arity, {}});
      group = &run->group;
      filled = arity - t.atoms.size();
    } else {
      const uint64_t key = part == Part::Pieces ? sides_of(t) : 0;
      auto piece = static_cast<size_t>(std::find(sides.begin(), sides.end(), key) - sides.begin());
      if (piece == sides.size() && piece < kMostPieces) {
        sides.push_back(key);
        plan.pieces.emplace_back();
      }
      group = &plan.pieces[std::min(piece, kMostPieces - 1)][t.atoms.size()];
    }
    group->seeds.push_back(t.seed);
    group->needs.push_back(t.needs);
    for (int a : t.atoms) {
      group->atoms.push_back(static_cast<uint8_t>(a));
      needed[a] = true;
    }
    group->atoms.insert(group->atoms.end(), filled, kNoAtom);
    places |= t.needs;
  }
  for (size_t i = 0; i < places_.size(); ++i)
    if (places >> i & 1) plan.places.push_back(static_cast<uint8_t>(i));
  for (size_t i = 0; i < atoms_.size(); ++i)
    if (needed[i])
      (is_token_attribute(atoms_[i].attribute) && atoms_[i].other < 0 ? plan.token_atoms : plan.other_atoms)
          .push_back(static_cast<uint8_t>(i));
  for (const uint8_t place : plan.places) {
    AtPlace at{place, {}, {}};
    for (const uint8_t i : plan.token_atoms)
      if (atoms_[i].place == place) at.token_atoms.push_back(i);
    for (const uint8_t i : plan.other_atoms)
      if (std::max(atoms_[i].place, atoms_[i].other) == place) at.other_atoms.push_back(i);
    plan.at_places.push_back(std::move(at));
  }
  return plan;
}

// Of an atom that no word brings along.
inline uint64_t Templates::value_of(const Atom& atom, const TreeView& view, const int32_t* nodes) const {
  const int32_t node = nodes[atom.place];
  if (atom.other >= 0) {
    const int32_t other = nodes[atom.other];
    return other == kNone ? 0 : mix(distance_bucket(node < other ? other - node : node - other) + 1);
  }
  const Node& n = (*view.tree)[node];
  switch (atom.attribute) {
    case Attribute::Deprel:
      return mix(static_cast<uint64_t>(n.label + 2));
    case Attribute::LeftCount:
      return mix(static_cast<uint64_t>(n.left_count + 1));
    case Attribute::RightCount:
      return mix(static_cast<uint64_t>(n.right_count + 1));
    case Attribute::LeftLabels:
      return mix(n.left_labels + 1);
    default:
      return mix(n.right_labels + 1);
  }
}

template <size_t arity>
inline uint64_t* Templates::add_run(const Group& group, const uint64_t* values, uint64_t* keys) {
  // Where these lie is asked once: for all that a compiler knows, keys might be written over it.
  const uint64_t *seed = group.seeds.data(), *const end = seed + group.seeds.size();
  for (const uint8_t* atoms = group.atoms.data(); seed != end; atoms += arity) {
    uint64_t key = *seed++;
    for (size_t a = 0; a < arity; ++a) key += values[atoms[a]];
    *keys++ = key;
  }
  return keys;
}

uint64_t* Templates::extract_runs(const Plan& plan, const TreeView& view, const TokenTable& tokens,
                                  uint64_t* keys) const {
  int32_t nodes[Places::kMost];
  uint64_t values[kMostAtoms + 1];
  values[kNoAtom] = 0;
  uint64_t there = 0;
  for (const AtPlace& at : plan.at_places) {
    const int32_t node = nodes[at.place] = places_.node(at.place, view, nodes);
    if (node == kNone) continue;
    there |= uint64_t{1} << at.place;
    for (const uint8_t i : at.token_atoms)
      values[i] = tokens.column(atoms_[i].attribute)[node] * atoms_[i].salt;
    for (const uint8_t i : at.other_atoms) values[i] = value_of(atoms_[i], view, nodes) * atoms_[i].salt;
  }
  for (const Run& run : plan.runs) {
    if ((run.needs & ~there) != 0) continue;
    keys = run.arity == kFewAtoms ? add_run<kFewAtoms>(run.group, values, keys)
                                  : add_run<kManyAtoms>(run.group, values, keys);
  }
  return keys;
}

int32_t Templates::extract(Part part, const TreeView& view, const TokenTable& tokens, uint64_t* keys,
                           int32_t* ends) const {
  const Plan& plan = plans_[static_cast<size_t>(part)];
  if (comes_in_runs(part)) return static_cast<int32_t>(extract_runs(plan, view, tokens, keys) - keys);
  int32_t nodes[Places::kMost];
  uint64_t there = 0;
  for (const uint8_t i : plan.places) {
    nodes[i] = places_.node(i, view, nodes);
    there |= uint64_t{nodes[i] != kNone} << i;
  }

  uint64_t values[kMostAtoms + 1];
  for (const uint8_t i : plan.token_atoms) {
    const Atom& atom = atoms_[i];
    values[i] = tokens.column(atom.attribute)[nodes[atom.place]] * atom.salt;
  }
  for (const uint8_t i : plan.other_atoms) values[i] = value_of(atoms_[i], view, nodes) * atoms_[i].salt;

  uint64_t* end = keys;
  for (const Piece& piece : plan.pieces) {
    end = add_keys<0>(piece[0], there, values, end);
    end = add_keys<1>(piece[1], there, values, end);
    end = add_keys<2>(piece[2], there, values, end);
    end = add_keys<3>(piece[3], there, values, end);
    end = add_keys<4>(piece[4], there, values, end);
    end = add_keys<5>(piece[5], there, values, end);
    if (ends != nullptr) *ends++ = static_cast<int32_t>(end - keys);
  }
  return static_cast<int32_t>(end - keys);
}

// Whether a template's nodes are there cannot be guessed: its key is always written, and counts if they are.
template <size_t arity>
inline uint64_t* Templates::add_keys(const Group& group, uint64_t there, const uint64_t* values,
                                     uint64_t* keys) {
  const uint8_t* atoms = group.atoms.data();
  const uint64_t *seeds = group.seeds.data(), *needs = group.needs.data();
  for (size_t i = 0, count = group.seeds.size(); i < count; ++i, atoms += arity) {
    uint64_t key = seeds[i];
    for (size_t a = 0; a < arity; ++a) key += values[atoms[a]];
    *keys = key;
    keys += (needs[i] & ~there) == 0;
  }
  return keys;
}

}  // namespace arcwise
