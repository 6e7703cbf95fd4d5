// What a sentence's tree must be like, as it is given from outside.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace arcwise {

struct Constraint {
  enum class Kind : uint8_t { Head, NotHead, Label, Subtree };
  Kind kind;
  int32_t word;   // the first one of a subtree
  int32_t value;  // the head, the label, or the last word of a subtree

  bool operator==(const Constraint&) const = default;
};

// What is known of a label: whether words under ROOT have it, others, or, as far as anyone knows, both.
enum class LabelUse : uint8_t { Anywhere, UnderRoot, UnderWords };

// No tree satisfies the constraints of a sentence: the message says which.
class ConstraintError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The constraints of all sentences of a treebank.
struct Constraints {
  std::vector<Constraint> all;
  std::vector<size_t> first{0};  // where those of each sentence begin, and where the last end
  std::vector<std::string> label_names;
  std::string source;  // of the treebank, for messages

  std::span<const Constraint> of_sentence(size_t s) const {
    return std::span(all).subspan(first[s], first[s + 1] - first[s]);
  }
};

}  // namespace arcwise
