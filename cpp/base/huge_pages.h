// Memory for big tables that are read at random. In pages of 4 KB nearly every read would miss the
// processor's address cache; in pages of 2 MB, where the system has them, hardly any does.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

namespace arcwise {

template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(size_t count) {
    constexpr size_t kPage = size_t{1} << 21;
    const size_t bytes = count * sizeof(T);
    const size_t alignment = bytes >= kPage ? kPage : 64;
#if defined(_WIN32)
    void* memory = _aligned_malloc(bytes, alignment);
#else
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#endif
    if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // Only advice: where it is not taken, the table is slower and nothing else.
    if (bytes >= kPage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t) {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
  }

  template <class U>
  bool operator==(const HugePageAllocator<U>&) const {
    return true;
  }
};

}  // namespace arcwise
