#include "model/softmax.h"

#include <array>
#include <bit>

#include "network/dispatch.h"

namespace arcwise {
namespace {

// Beyond so many nats, odds are lost in the rounding of a sum that contains 1.
constexpr float kFarthest = 80;
// So many scores at a time.
constexpr size_t kBlock = 64, kLanes = 4;

// For x from 0 to 80, without a branch. The whole part of the power of 2 goes into the exponent, the rest is
// a Taylor series around its middle.
float exp_of_minus(float x) {
  const float power = x * 1.44269504f;
  const auto whole = static_cast<int32_t>(power);
  const float t = (power - static_cast<float>(whole) - 0.5f) * -0.693147181f;
  const float series =
      1 + t * (1 + t * (1 / 2.f + t * (1 / 6.f + t * (1 / 24.f + t * (1 / 120.f + t * (1 / 720.f))))));
  return std::bit_cast<float>((127 - whole) << 23) * (0.707106781f * series);
}

// All machines add in the same order. Where the odds of each are not asked for, the deficit is not either.
template <bool each>
[[gnu::always_inline]] inline Softmax::Sum sum_against(float scale, int32_t most,
                                                       std::span<const int32_t> scores,
                                                       float* __restrict odds) {
  std::array<float, kBlock> x, own;
  // Sums in lanes do not wait for each other.
  std::array<double, kLanes> total{}, deficit{};
  for (size_t first = 0; first < scores.size(); first += kBlock) {
    const size_t count = std::min(kBlock, scores.size() - first);
    const int32_t* __restrict score = scores.data() + first;
    float* __restrict out = each ? odds + first : own.data();
    for (size_t i = 0; i < count; ++i) {
      const auto apart = static_cast<int32_t>(static_cast<uint32_t>(most) - static_cast<uint32_t>(score[i]));
      const float below = scale * static_cast<float>(apart);
      x[i] = apart < 0 || below > kFarthest ? kFarthest : below;  // less than 0 where 32 bits have no room
      out[i] = exp_of_minus(x[i]);
    }
    const auto add = [&](size_t i, size_t lane) __attribute__((always_inline)) {
      total[lane] += out[i];
      if constexpr (each) deficit[lane] += double{out[i]} * x[i];
    };
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
      for (size_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
    for (; i < count; ++i) add(i, 0);
  }
  const auto sum = [](const auto& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); };
  return {sum(total), sum(deficit)};
}

}  // namespace

Softmax::Sum Softmax::against(int32_t most, std::span<const int32_t> scores, float* odds) const {
  Sum sum;
  run<AnyKinds>([&](auto) __attribute__((always_inline)) {
    sum = sum_against<true>(static_cast<float>(scale_), most, scores, odds);
  });
  return sum;
}

double Softmax::log_total(int32_t most, std::span<const int32_t> scores) const {
  Sum sum;
  run<AnyKinds>([&](auto) __attribute__((always_inline)) {
    sum = sum_against<false>(static_cast<float>(scale_), most, scores, nullptr);
  });
  return log_odds(most) + std::log(sum.total);
}

}  // namespace arcwise
