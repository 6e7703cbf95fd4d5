// What a network looks at in a state: the words at some places, each by its vector, and what the tree built
// so far says, each value by an embedding of its own. In the notation of features:
//
//   S0 N0 S0l                     places
//   S0.deprel S0.left-count       the label of a place's arc, how many dependents it has
//   S0~N0.distance                how many words apart two places are
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feature/attributes.h"
#include "feature/places.h"

namespace arcwise {

class StateInputs {
 public:
  // Throws std::invalid_argument with a sentence that names what is wrong.
  StateInputs(const std::vector<std::string>& inputs, int32_t labels);

  size_t positions() const { return positions_.size(); }
  size_t extras() const { return extras_.size(); }
  // How many values all extras together have; each has a row in a table of that many.
  int32_t extra_rows() const { return extra_rows_; }
  std::vector<Slot> slots() const { return places_.slots(); }

  // The nodes at the positions (kNone where there is none) and the rows of the extras.
  void look(const TreeView& view, int32_t* nodes, int32_t* rows) const;
  void look(const LabelView& view, int32_t* nodes, int32_t* rows) const;

 private:
  struct Extra {
    int place = 0;
    int other = -1;  // for a distance
    Attribute attribute{};
    int32_t first = 0;  // the row of its lowest value
  };
  void add_extra(const std::string& text, int32_t labels);
  template <class View>
  void look_at(const View& view, int32_t* nodes, int32_t* rows) const;

  Places places_;
  std::vector<int> positions_;
  std::vector<Extra> extras_;
  int32_t extra_rows_ = 0;
};

}  // namespace arcwise
