#include "network/state_inputs.h"

#include <algorithm>
#include <stdexcept>

namespace arcwise {
namespace {

// Values count from 0, which is that of a place with no node.
constexpr int32_t kMostCount = 3;
constexpr int32_t kCounts = kMostCount + 2;
constexpr int32_t kDistances = 9;
int32_t distance_value(int32_t apart) {
  return apart <= 4 ? apart : apart <= 6 ? 5 : apart <= 10 ? 6 : apart <= 16 ? 7 : 8;
}
int32_t count_value(int32_t count) { return std::min(count, kMostCount) + 1; }

int32_t label(const TreeView& view, int32_t node) { return (*view.tree)[node].label; }
int32_t label(const LabelView& view, int32_t node) { return view.labels[node]; }
int32_t dependents(const TreeView& view, int32_t node, Attribute side) {
  const Node& n = (*view.tree)[node];
  return side == Attribute::LeftCount ? n.left_count : n.right_count;
}
int32_t dependents(const LabelView&, int32_t, Attribute) { return 0; }

}  // namespace

StateInputs::StateInputs(const std::vector<std::string>& inputs, int32_t labels) {
  for (const std::string& text : inputs) {
    try {
      if (text.find('.') != std::string::npos) {
        add_extra(text, labels);
        continue;
      }
      const int place = places_.add(text);
      if (std::find(positions_.begin(), positions_.end(), place) != positions_.end())
        throw std::invalid_argument("it is there twice.");
      positions_.push_back(place);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("State input '" + text + "': " + error.what());
    }
  }
  if (positions_.empty())
    throw std::invalid_argument("The network looks at no place of a state: give at least one, such as S0.");
}

void StateInputs::add_extra(const std::string& text, int32_t labels) {
  const size_t dot = text.find('.'), tilde = text.find('~');
  const std::string attribute = text.substr(dot + 1);
  Extra extra;
  extra.first = extra_rows_;
  if (tilde < dot) {
    if (attribute != "distance") throw std::invalid_argument("two places have a distance and nothing else.");
    extra.place = places_.add(text.substr(0, tilde));
    extra.other = places_.add(text.substr(tilde + 1, dot - tilde - 1));
    extra_rows_ += kDistances;
  } else {
    extra.place = places_.add(text.substr(0, dot));
    if (attribute == "deprel" || attribute == "tag") {
      extra.attribute = Attribute::Deprel;
      extra_rows_ += labels + 2;
    } else if (attribute == "left-count" || attribute == "right-count") {
      extra.attribute = attribute == "left-count" ? Attribute::LeftCount : Attribute::RightCount;
      extra_rows_ += kCounts;
    } else {
      throw std::invalid_argument(
          "a network can look at the deprel, left-count and right-count of a place (a tagger's, at its tag) "
          "and at "
          "the distance between two (S0~N0.distance).");
    }
  }
  for (const Extra& e : extras_)
    if (e.place == extra.place && e.other == extra.other && e.attribute == extra.attribute)
      throw std::invalid_argument("it is there twice.");
  extras_.push_back(extra);
}

template <class View>
inline void StateInputs::look_at(const View& view, int32_t* nodes, int32_t* rows) const {
  int32_t at[Places::kMost];
  for (size_t i = 0; i < places_.size(); ++i) at[i] = places_.node(i, view, at);
  for (size_t i = 0; i < positions_.size(); ++i) nodes[i] = at[positions_[i]];
  for (size_t i = 0; i < extras_.size(); ++i) {
    const Extra& extra = extras_[i];
    const int32_t node = at[extra.place];
    int32_t value = 0;
    if (extra.other >= 0) {
      const int32_t other = at[extra.other];
      if (node != kNone && other != kNone) value = distance_value(std::abs(node - other));
    } else if (node != kNone) {
      value = extra.attribute == Attribute::Deprel ? label(view, node) + 2
                                                   : count_value(dependents(view, node, extra.attribute));
    }
    rows[i] = extra.first + value;
  }
}

void StateInputs::look(const TreeView& view, int32_t* nodes, int32_t* rows) const {
  look_at(view, nodes, rows);
}
void StateInputs::look(const LabelView& view, int32_t* nodes, int32_t* rows) const {
  look_at(view, nodes, rows);
}

}  // namespace arcwise
