#include "base/machine.h"

#include <cstdlib>
#include <string_view>

#if defined(ARCWISE_X86)
#include <cpuid.h>
#endif
#if defined(ARCWISE_NEON) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace arcwise {
namespace {

constexpr const char* kNames[] = {"portable", "neon", "neon-dot", "avx2", "avx-vnni", "avx512bw", "avx512"};
constexpr Machine kWidest = Machine::Avx512;

#if defined(ARCWISE_X86)
// Not every compiler has a name for these, or a library that knows them. Whether the system keeps vectors so
// wide is asked along with what else such machines have.
constexpr unsigned kFeatures = 7;

bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(kFeatures, 1, &a, &b, &c, &d) && (a & 1 << 4) != 0;
}
bool has_avx512_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) && (c & 1 << 11) != 0;
}
#endif

// A machine with wider vectors need not have all that one with narrower ones has.
bool has(Machine machine) {
  switch (machine) {
    case Machine::Portable:
      return true;
#if defined(ARCWISE_X86)
    case Machine::Avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Machine::AvxVnni:
      return has(Machine::Avx2) && has_avx_vnni();
    case Machine::Avx512Bw:
      return has(Machine::Avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case Machine::Avx512:
      return has(Machine::Avx512Bw) && has_avx512_vnni();
#elif defined(ARCWISE_NEON)
    case Machine::Neon:
      return true;
#if defined(__APPLE__)
    case Machine::NeonDot:
      return true;
#elif defined(__linux__)
    case Machine::NeonDot: {
      constexpr unsigned long kDotProducts = 1 << 20;  // HWCAP_ASIMDDP
      return (getauxval(AT_HWCAP) & kDotProducts) != 0;
    }
#endif
#endif
    default:
      return false;
  }
}

}  // namespace

const char* name_of(Machine machine) { return kNames[static_cast<int>(machine)]; }

Machine this_machine() {
  int widest = static_cast<int>(kWidest);
  if (const char* named = std::getenv("ARCWISE_VECTORS"))
    for (int i = 0; i < widest; ++i)
      if (std::string_view(kNames[i]) == named) widest = i;
  while (!has(static_cast<Machine>(widest))) --widest;
  return static_cast<Machine>(widest);
}

}  // namespace arcwise
