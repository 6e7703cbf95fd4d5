#include "base/machine.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#if defined(ARCWISE_NEON) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace arcwise {
namespace {

constexpr Machine kAll[] = {Machine::Portable, Machine::Neon,    Machine::NeonDot,
                            Machine::Avx2,     Machine::AvxVnni, Machine::Avx512};

Machine widest() {
#if defined(ARCWISE_X86)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Machine::Portable;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni"))
    return Machine::Avx512;
  return __builtin_cpu_supports("avxvnni") ? Machine::AvxVnni : Machine::Avx2;
#elif defined(ARCWISE_NEON)
#if defined(__APPLE__)
  return Machine::NeonDot;
#elif defined(__linux__)
  constexpr unsigned long kDotProducts = 1 << 20;  // HWCAP_ASIMDDP
  return getauxval(AT_HWCAP) & kDotProducts ? Machine::NeonDot : Machine::Neon;
#else
  return Machine::Neon;
#endif
#else
  return Machine::Portable;
#endif
}

}  // namespace

const char* name_of(Machine machine) {
  constexpr const char* kNames[] = {"portable", "neon", "neon-dot", "avx2", "avx-vnni", "avx512"};
  return kNames[static_cast<int>(machine)];
}

Machine this_machine() {
  const Machine own = widest();
  const char* named = std::getenv("ARCWISE_VECTORS");
  if (named == nullptr) return own;
  for (const Machine machine : kAll)
    if (std::string_view(name_of(machine)) == named) return std::min(machine, own);
  return own;
}

}  // namespace arcwise
