// Which vectors the machine at hand has.
#pragma once

#include <string_view>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ARCWISE_X86
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define ARCWISE_NEON
#endif

namespace arcwise {

enum class Machine {
  Portable,
  Neon,
  Avx2,    // with fused multiply-add
  Avx512,  // F, BW, DQ, VL and VNNI
};

// ARCWISE_VECTORS=portable or avx2 in the environment takes it for one that has no wider ones, for tests.
Machine this_machine();

// As ARCWISE_VECTORS calls it.
std::string_view name_of(Machine machine);

}  // namespace arcwise
