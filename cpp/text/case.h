// Letters and their case, for word shapes and lower-cased forms, in the alphabets that have case.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace arcwise {

// The lower-case letter of a code point, or the code point itself.
char32_t lower(char32_t c);
// The upper-case letter that a code point is the lower-case one of, or the code point itself.
char32_t upper(char32_t c);

// `out` becomes the lower-cased form.
void to_lower(std::string_view form, std::string& out);

// `out` becomes the shape: X for an upper-case letter, x for a lower-case one, o for another letter,
// d for a digit, any other character itself; a run of the same shortened to two.
void word_shape(std::string_view form, std::string& out);

}  // namespace arcwise
