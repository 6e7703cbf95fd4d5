// exp, tanh and sigmoid out of additions, multiplications, divisions and shifts: every machine that computes
// them without fusing an addition into a multiplication gives the same bits, and plain loops over them turn
// into vectors. They are within 1e-6 of the true value, relative to it.
#pragma once

#include <bit>
#include <cstdint>

namespace arcwise {

namespace activations {

// e^x = 2^k e^r with |r| <= ln 2 / 2, for |x| <= kMostExponent; kept apart, as tanh needs e^r - 1 without
// the digits that adding 1 would cost.
struct Exponential {
  float power;      // 2^k
  float minus_one;  // e^r - 1
};

inline constexpr float kMostExponent = 87;  // 2^k is then a normal number

// x, no further than that from 0. Compared as integers: compilers make no vectors of a choice between floats
// unless told that nobody waits for floating-point exceptions.
inline float clamped(float x, float most) {
  const auto bits = std::bit_cast<int32_t>(x), limit = std::bit_cast<int32_t>(most);
  const int32_t size = bits & INT32_MAX;
  return std::bit_cast<float>((bits & INT32_MIN) | (size < limit ? size : limit));
}

inline Exponential exponential(float x) {
  constexpr float kLog2E = 1.44269504f;
  // ln 2 in two parts; the first has so few digits that its product with k is exact.
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  // Adding this leaves the nearest integer in the lowest bits.
  constexpr float kRound = 12582912.0f;
  const float shifted = x * kLog2E + kRound;
  const float k = shifted - kRound;
  const float r = (x - k * kLn2High) - k * kLn2Low;
  // The polynomial r + r^2 (...) of degree 5 that is never further than 4.6e-7 of e^r - 1 from it (by
  // weighted least squares, weights raised where the error was largest, until it was even).
  const float minus_one =
      r + r * r * (0.49999401f + r * (0.16666831f + r * (0.041872780f + r * 0.0083380909f)));
  return {std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) << 23) + (uint32_t{127} << 23)), minus_one};
}

}  // namespace activations

inline float fast_exp(float x) {
  const activations::Exponential e =
      activations::exponential(activations::clamped(x, activations::kMostExponent));
  return e.power + e.power * e.minus_one;
}

inline float fast_sigmoid(float x) { return 1 / (1 + fast_exp(-x)); }

inline float fast_tanh(float x) {
  // Beyond 10 it is 1 in every bit that a float has.
  const activations::Exponential e = activations::exponential(activations::clamped(2 * x, 20));
  const float minus_one = e.power * e.minus_one + (e.power - 1);  // e^2x - 1
  return minus_one / (minus_one + 2);
}

}  // namespace arcwise
