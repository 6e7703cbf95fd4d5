#include "text/treebank_builder.h"

namespace arcwise {

void TreebankBuilder::grow(size_t bytes) {
  constexpr size_t kLeast = 4096;
  text_.resize(std::max({size_ + bytes, text_.size() + text_.size() / 2, kLeast}));
}

void TreebankBuilder::end_sentence(size_t lines) {
  if (size_ > kMaxTextBytes)
    throw TreebankError("The text is larger than 4 GiB as CoNLL-U; read it in parts, as a stream.");
  treebank_.first_word_.push_back(treebank_.columns_.size());
  treebank_.extents_.push_back({static_cast<uint32_t>(begin_), static_cast<uint32_t>(size_)});
  treebank_.lines_.push_back(line_);
  line_ += lines;
  begin_ = size_;
}

Treebank TreebankBuilder::build() && {
  const size_t words = treebank_.columns_.size();
  treebank_.heads_.assign(words, kUnknownHead);
  treebank_.labels_.assign(words, kUnknownLabel);
  treebank_.replaced_.assign(words, false);
  text_.resize(size_);
  text_.shrink_to_fit();
  treebank_.text_ = std::make_shared<const std::string>(std::move(text_));
  return std::move(treebank_);
}

}  // namespace arcwise
