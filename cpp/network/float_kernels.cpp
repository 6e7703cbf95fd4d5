#include "network/float_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/interrupts.h"
#include "base/machine.h"
#include "network/activations.h"

// Each loop is written once, in an inlined body, and compiled for each kind of machine.
#define ARCWISE_INLINE [[gnu::always_inline]] inline

namespace arcwise {
namespace {

constexpr size_t kRows = 6;  // of a block of the product, so that its sums stay in registers

// Vectors of so many numbers. Where the machine's are shorter, the compiler takes several.
typedef float Eight __attribute__((vector_size(32)));
typedef float Sixteen __attribute__((vector_size(64)));

template <class V>
ARCWISE_INLINE void load(const float* from, V& to) {
  std::memcpy(&to, from, sizeof(V));
}

constexpr size_t kPanel = 32;  // columns of a packed matrix side by side

template <class V, size_t rows>
ARCWISE_INLINE void multiply_block(size_t k, MatrixView a, const float* panel, bool add, float* c,
                                   size_t c_stride, size_t columns) {
  constexpr size_t kLanes = sizeof(V) / sizeof(float);
  V sums[rows][2] = {};
  for (size_t i = 0; i < k; ++i, panel += kPanel) {
    V left, right;
    load(panel, left);
    load(panel + kLanes, right);
    for (size_t r = 0; r < rows; ++r) {
      const float x = a.data[r * a.row_stride + i * a.column_stride];
      sums[r][0] += x * left;
      sums[r][1] += x * right;
    }
  }
  if (columns == 2 * kLanes) {
    for (size_t r = 0; r < rows; ++r, c += c_stride) {
      if (add) {
        V left, right;
        load(c, left);
        load(c + kLanes, right);
        sums[r][0] += left;
        sums[r][1] += right;
      }
      std::memcpy(c, sums[r], sizeof sums[r]);
    }
  } else {
    for (size_t r = 0; r < rows; ++r)
      for (size_t j = 0; j < columns; ++j)
        c[r * c_stride + j] = (add ? c[r * c_stride + j] : 0.0f) + sums[r][j / kLanes][j % kLanes];
  }
}

template <class V>
ARCWISE_INLINE void multiply_body(size_t m, MatrixView a, const PackedMatrix& b, bool add, float* c,
                                  size_t c_stride) {
  constexpr size_t kColumns = 2 * sizeof(V) / sizeof(float);  // of a block
  const size_t n = b.columns(), k = b.rows();
  for (size_t j = 0; j < n; j += kColumns) {
    const float* panel = b.data() + j / kPanel * kPanel * k + j % kPanel;
    const size_t columns = std::min(kColumns, n - j);
    for (size_t i = 0; i < m; i += kRows) {
      const MatrixView rows{a.data + i * a.row_stride, a.row_stride, a.column_stride};
      float* to = c + i * c_stride + j;
      const auto block = [&]<size_t count>() __attribute__((always_inline)) {
        multiply_block<V, count>(k, rows, panel, add, to, c_stride, columns);
      };
      switch (std::min(kRows, m - i)) {
        case 1:
          block.template operator()<1>();
          break;
        case 2:
          block.template operator()<2>();
          break;
        case 3:
          block.template operator()<3>();
          break;
        case 4:
          block.template operator()<4>();
          break;
        case 5:
          block.template operator()<5>();
          break;
        default:
          block.template operator()<kRows>();
          break;
      }
    }
  }
}

ARCWISE_INLINE void add_scaled_body(const float* __restrict from, float factor, size_t n,
                                    float* __restrict to) {
  for (size_t i = 0; i < n; ++i) to[i] += factor * from[i];
}

ARCWISE_INLINE void activate_gates_body(float* __restrict a, size_t rows, size_t half) {
  for (size_t part = 0; part < 2 * rows; ++part, a += 3 * half) {
    for (size_t i = 0; i < half; ++i) a[i] = fast_tanh(a[i]);
    for (size_t i = half; i < 3 * half; ++i) a[i] = fast_sigmoid(a[i]);
  }
}

ARCWISE_INLINE float exponentials_body(const float* __restrict x, float most, size_t n,
                                       float* __restrict out) {
  for (size_t i = 0; i < n; ++i) out[i] = fast_exp(x[i] - most);
  float total = 0;
  for (size_t i = 0; i < n; ++i) total += out[i];
  return total;
}

ARCWISE_INLINE void adam_body(const AdamStep& step, size_t n, float* __restrict weights,
                              float* __restrict gradient, float* __restrict first, float* __restrict second,
                              float* __restrict average) {
  for (size_t i = 0; i < n; ++i) {
    const float g = gradient[i] * step.scale;
    first[i] = step.beta1 * first[i] + (1 - step.beta1) * g;
    second[i] = step.beta2 * second[i] + (1 - step.beta2) * g * g;
    weights[i] -=
        step.rate * first[i] / (std::sqrt(second[i] * step.correction2) + 1e-8f) + step.decay * weights[i];
    average[i] = step.average * average[i] + (1 - step.average) * weights[i];
    gradient[i] = 0;
  }
}

// Sixteen sums side by side, so that the order of additions is the same whatever the vectors.
ARCWISE_INLINE double squares_body(const float* __restrict x, size_t n) {
  float sums[16] = {};
  size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (size_t j = 0; j < 16; ++j) sums[j] += x[i + j] * x[i + j];
  for (; i < n; ++i) sums[0] += x[i] * x[i];
  double total = 0;
  for (float s : sums) total += s;
  return total;
}

struct Kernels {
  decltype(&arcwise::multiply) multiply;
  decltype(&arcwise::add_scaled) add_scaled;
  decltype(&arcwise::activate_gates) activate_gates;
  decltype(&arcwise::exponentials) exponentials;
  decltype(&arcwise::adam) adam;
  decltype(&arcwise::squares) squares;
};

// The attribute cannot be a template's argument: the wrappers are spelled out for each kind of machine.
#define ARCWISE_KERNELS(name, target, Vector)                                                              \
  struct name {                                                                                            \
    target static void multiply(size_t m, MatrixView a, const PackedMatrix& b, bool add, float* c,         \
                                size_t c_stride) {                                                         \
      multiply_body<Vector>(m, a, b, add, c, c_stride);                                                    \
    }                                                                                                      \
    target static void add_scaled(const float* from, float factor, size_t n, float* to) {                  \
      add_scaled_body(from, factor, n, to);                                                                \
    }                                                                                                      \
    target static void activate_gates(float* a, size_t rows, size_t half) {                                \
      activate_gates_body(a, rows, half);                                                                  \
    }                                                                                                      \
    target static float exponentials(const float* x, float most, size_t n, float* out) {                   \
      return exponentials_body(x, most, n, out);                                                           \
    }                                                                                                      \
    target static void adam(const AdamStep& step, size_t n, float* weights, float* gradient, float* first, \
                            float* second, float* average) {                                               \
      adam_body(step, n, weights, gradient, first, second, average);                                       \
    }                                                                                                      \
    target static double squares(const float* x, size_t n) { return squares_body(x, n); }                  \
    static constexpr Kernels kAll{multiply, add_scaled, activate_gates, exponentials, adam, squares};      \
  };

ARCWISE_KERNELS(Portable, , Eight)
#if defined(ARCWISE_X86)
ARCWISE_KERNELS(Avx2, __attribute__((target("avx2,fma"))), Eight)
ARCWISE_KERNELS(Avx512, __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl"))), Sixteen)
#endif

const Kernels& choose() {
#if defined(ARCWISE_X86)
  const Machine machine = this_machine();
  if (machine == Machine::Avx512) return Avx512::kAll;
  if (machine >= Machine::Avx2) return Avx2::kAll;
#endif
  return Portable::kAll;
}

const Kernels& kernels = choose();

}  // namespace

// Panel by panel, each row by row; the last is filled up with 0.
void PackedMatrix::pack(size_t rows, size_t columns, MatrixView matrix) {
  rows_ = rows;
  columns_ = columns;
  data_.resize((columns + kPanel - 1) / kPanel * kPanel * rows);
  float* to = data_.data();
  for (size_t j = 0; j < columns; j += kPanel) {
    const size_t count = std::min(kPanel, columns - j);
    for (size_t i = 0; i < rows; ++i, to += kPanel) {
      const float* row = matrix.data + i * matrix.row_stride + j * matrix.column_stride;
      if (matrix.column_stride == 1) {
        std::memcpy(to, row, count * sizeof(float));
      } else {
        for (size_t c = 0; c < count; ++c) to[c] = row[c * matrix.column_stride];
      }
      std::fill(to + count, to + kPanel, 0.0f);
    }
  }
}

// A few milliseconds' worth of rows at a time, where there are more.
void multiply(size_t m, MatrixView a, const PackedMatrix& b, bool add, float* c, size_t c_stride) {
  constexpr size_t kProducts = size_t{1} << 26;
  const size_t rows = std::max<size_t>(kProducts / (kRows * b.rows() * b.columns() + 1), 1) * kRows;
  for (size_t first = 0; first < m; first += rows) {
    check_interrupts(100);
    kernels.multiply(std::min(rows, m - first),
                     {a.data + first * a.row_stride, a.row_stride, a.column_stride}, b, add,
                     c + first * c_stride, c_stride);
  }
}
void add(const float* from, size_t n, float* to) { kernels.add_scaled(from, 1.0f, n, to); }
void add_scaled(const float* from, float factor, size_t n, float* to) {
  kernels.add_scaled(from, factor, n, to);
}
void activate_gates(float* a, size_t rows, size_t half) { kernels.activate_gates(a, rows, half); }
float exponentials(const float* x, float most, size_t n, float* out) {
  return kernels.exponentials(x, most, n, out);
}
void adam(const AdamStep& step, size_t n, float* weights, float* gradient, float* first, float* second,
          float* average) {
  kernels.adam(step, n, weights, gradient, first, second, average);
}
double squares(const float* x, size_t n) { return kernels.squares(x, n); }

}  // namespace arcwise
