// The features of a decision and their combinations (quadratic and cubic, by namespace), hashed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feature/namespaces.h"

namespace arcwise {

struct HashedFeature {
  uint64_t hash = 0;  // its high bits are the good ones
  float value = 0;
};

class Interactions {
 public:
  struct Scratch {
    struct Named {
      std::vector<uint64_t> hashes;
      std::vector<float> values;
    };
    std::vector<uint64_t> names;    // of the groups of the decision before; the next has mostly the same
    std::vector<int32_t> indices;   // which of the interactions' namespaces each is
    std::vector<Named> namespaces;  // the features of those
  };

  // Lists of two or three namespaces; a pair given twice counts once. Throws std::invalid_argument if there
  // are more or fewer.
  explicit Interactions(const std::vector<std::vector<std::string>>& lists);

  // First the features as they come, then the interactions in their order; returns how many are the former.
  // Features of value 0 are left out, as they change nothing. Throws std::invalid_argument if a value is not
  // finite or too large.
  size_t expand(const Features& features, uint64_t salt, Scratch& scratch,
                std::vector<HashedFeature>& out) const;

 private:
  struct Term {
    int32_t size = 2;
    int32_t members[3] = {0, 0, 0};  // the same ones side by side
  };
  static constexpr int32_t kAlone = -1;  // a namespace without interactions

  void find_names(const Features& features, Scratch& scratch) const;

  std::vector<uint64_t> names_;
  std::vector<Term> terms_;
};

}  // namespace arcwise
