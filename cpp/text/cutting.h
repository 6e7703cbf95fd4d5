// Where a sentence is cut that is too long to be taken as one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace arcwise {

// After which of the words, counted from 1: the last that ends a sentence, with what closes a quotation or a
// bracket after it; or else the last punctuation mark; or else the last of all.
size_t cut_place(std::span<const std::string_view> words);

}  // namespace arcwise
