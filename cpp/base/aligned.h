// Arrays that begin where a line of the cache does, so that no vector of theirs lies across two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace arcwise {

template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  CacheAligned() = default;
  template <class U>
  CacheAligned(const CacheAligned<U>&) {}

  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* at, size_t) { ::operator delete(at, kLine); }
  bool operator==(const CacheAligned&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace arcwise
