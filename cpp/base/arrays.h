// The kinds of arrays that the parts of a model come in: as they are made, as they are read from a file, and
// as they are used.
#pragma once

#include <span>
#include <vector>

#include "base/huge_pages.h"

namespace arcwise {

template <class T>
using ConstSpan = std::span<const T>;
template <class T>
using PlainVector = std::vector<T>;
template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace arcwise
