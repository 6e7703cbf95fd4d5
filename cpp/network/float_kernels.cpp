#include "network/float_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/interrupts.h"
#include "base/machine.h"
#include "network/activations.h"

#if defined(ARCWISE_X86)
#include <xmmintrin.h>
#endif

// Each loop is written once, in an inlined body, and compiled for each kind of machine.
#define ARCWISE_INLINE [[gnu::always_inline]] inline

namespace arcwise {
namespace {

constexpr size_t kRows = 6;  // of a block of the product, so that its sums stay in registers

// Vectors of so many numbers. Where the machine's are shorter, the compiler takes several.
typedef float Four __attribute__((vector_size(16)));
typedef float Eight __attribute__((vector_size(32)));
typedef float Sixteen __attribute__((vector_size(64)));

template <class V>
ARCWISE_INLINE void load(const float* from, V& to) {
  std::memcpy(&to, from, sizeof(V));
}

// Columns of a packed matrix side by side: those of a block, so that they lie in as few lines as can be.
template <class V>
constexpr size_t kPanel = 2 * sizeof(V) / sizeof(float);

template <class V, size_t rows>
ARCWISE_INLINE void multiply_block(size_t k, MatrixView a, const float* panel, bool add, float* c,
                                   size_t c_stride, size_t columns) {
  constexpr size_t kLanes = sizeof(V) / sizeof(float);
  if (add)  // by the time they are needed they are there
    for (size_t r = 0; r < rows; ++r) __builtin_prefetch(c + r * c_stride);
  V sums[rows][2] = {};
  for (size_t i = 0; i < k; ++i, panel += kPanel<V>) {
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
  const size_t n = b.columns(), k = b.rows();
  for (size_t j = 0; j < n; j += kPanel<V>) {
    const float* panel = b.data() + j * k;
    const size_t columns = std::min(kPanel<V>, n - j);
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

ARCWISE_INLINE void add_to_rows_body(const float* from, size_t n, float* const* rows, size_t count) {
  for (size_t r = 0; r < count; ++r) add_scaled_body(from, 1.0f, n, rows[r]);
}

// So many rows at once, as the sums of a block of a product.
template <class V, size_t rows>
ARCWISE_INLINE void add_products_of(const float* x, size_t n, const float* row, float* out) {
  constexpr size_t kLanes = sizeof(V) / sizeof(float);
  V sums[rows] = {};
  for (size_t i = 0; i < n; i += kLanes) {
    V left;
    load(x + i, left);
    for (size_t r = 0; r < rows; ++r) {
      V right;
      load(row + r * n + i, right);
      sums[r] += left * right;
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    float total = 0;
    for (size_t j = 0; j < kLanes; ++j) total += sums[r][j];
    out[r] += total;
  }
}

// n is a multiple of 16, here and below, as all sizes of layers are.
template <class V>
ARCWISE_INLINE void add_products_body(const float* x, size_t n, const float* rows, size_t count, float* out) {
  size_t r = 0;
  for (; r + 4 <= count; r += 4) add_products_of<V, 4>(x, n, rows + r * n, out + r);
  for (; r < count; ++r) add_products_of<V, 1>(x, n, rows + r * n, out + r);
}

// Random bits of a unit: those of its number, mixed (the constants are from Wellons' search for good ones).
ARCWISE_INLINE int32_t random_bits(uint32_t seed, uint32_t number) {
  uint32_t x = seed + number * 0x9e3779b9u;
  x = (x ^ (x >> 16)) * 0x21f0aaadu;
  x = (x ^ (x >> 15)) * 0x735a2d97u;
  return static_cast<int32_t>((x ^ (x >> 15)) >> 1);
}

ARCWISE_INLINE void draw_body(const Dropout& dropout, uint32_t seed, size_t n, float* __restrict to) {
  const int32_t bound = dropout.bound;
  const float scale = dropout.scale;
  for (size_t i = 0; i < n; ++i) to[i] = random_bits(seed, static_cast<uint32_t>(i)) >= bound ? scale : 0.0f;
}

template <class V>
ARCWISE_INLINE float hidden_units_body(const float* const* rows, size_t count, const Dropout& dropout,
                                       uint32_t seed, size_t n, float* __restrict to) {
  constexpr size_t kLanes = sizeof(V) / sizeof(float), kVectors = 16 / kLanes;
  for (size_t i = 0; i < n; i += 16) {
    V sums[kVectors] = {};
    for (size_t r = 0; r < count; ++r)
      for (size_t v = 0; v < kVectors; ++v) {
        V summand;
        load(rows[r] + i + v * kLanes, summand);
        sums[v] += summand;
      }
    std::memcpy(to + i, sums, sizeof sums);
  }
  const int32_t bound = dropout.bound;
  const float scale = dropout.scale;
  int32_t most = 0;  // the larger number has the larger bits
  for (size_t i = 0; i < n; ++i) {
    const int32_t size = std::bit_cast<int32_t>(to[i]) & INT32_MAX;
    most = size > most ? size : most;
    const float kept = random_bits(seed, static_cast<uint32_t>(i)) >= bound ? scale : 0.0f;
    to[i] = (to[i] < 0 ? 0.0f : to[i]) * kept;  // what is no number stays so, and is found in the loss
  }
  return std::bit_cast<float>(most);
}

ARCWISE_INLINE void hidden_gradient_body(const float* __restrict hidden, float scale, size_t n,
                                         float* __restrict d) {
  for (size_t i = 0; i < n; ++i) d[i] *= hidden[i] > 0 ? scale : 0.0f;
}

ARCWISE_INLINE void move_gradient_body(float* __restrict from, size_t n, float* __restrict to) {
  for (size_t i = 0; i < n; ++i) {
    to[i] += from[i];
    from[i] = 0;
  }
}

ARCWISE_INLINE void activate_gates_body(float* __restrict a, size_t rows, size_t half) {
  for (size_t part = 0; part < 2 * rows; ++part, a += 3 * half) {
    for (size_t i = 0; i < half; ++i) a[i] = fast_tanh(a[i]);
    for (size_t i = half; i < 3 * half; ++i) a[i] = fast_sigmoid(a[i]);
  }
}

// One row of the recurrence; `before` has the cells of the row before.
ARCWISE_INLINE void recur_row(size_t half, const float* __restrict z, const float* __restrict before,
                              float* __restrict cells, float* __restrict to) {
  const float *f = z + half, *o = f + half;
  for (size_t j = 0; j < half; ++j) {
    cells[j] = (1 - f[j]) * z[j] + f[j] * before[j];
    to[j] += o[j] * cells[j];
  }
}

constexpr size_t kMostHalf = 512;  // layers are no wider than 1024
constexpr float kNoCells[kMostHalf] = {};

ARCWISE_INLINE void recur_body(const Recurrence& how, const float* gates, float* cells, float* to) {
  const float* before = kNoCells;
  for (size_t i = 0; i < how.rows; ++i) {
    recur_row(how.half, gates, before, cells, to);
    before = cells;
    gates += how.gate_step;
    cells += how.step;
    to += how.step;
  }
}

ARCWISE_INLINE void recur_back_row(size_t half, const float* __restrict z, const float* __restrict cells,
                                   const float* __restrict before, const float* __restrict d,
                                   float* __restrict carry, float* __restrict dz) {
  const float *f = z + half, *o = f + half;
  float *df = dz + half, *d_o = df + half;
  for (size_t j = 0; j < half; ++j) {
    const float dc = carry[j] + d[j] * o[j];
    d_o[j] = d[j] * cells[j] * o[j] * (1 - o[j]);
    dz[j] = dc * (1 - f[j]) * (1 - z[j] * z[j]);
    df[j] = dc * (before[j] - z[j]) * f[j] * (1 - f[j]);
    carry[j] = dc * f[j];
  }
}

ARCWISE_INLINE void recur_back_body(const Recurrence& how, const float* gates, const float* cells,
                                    const float* d, float* carry, float* d_gates) {
  for (auto i = static_cast<ptrdiff_t>(how.rows) - 1; i >= 0; --i) {
    const float* own = cells + i * how.step;
    recur_back_row(how.half, gates + i * how.gate_step, own, i > 0 ? own - how.step : kNoCells,
                   d + i * how.step, carry, d_gates + i * how.gate_step);
  }
}

// Sixteen sums side by side, so that the order of additions is the same whatever the vectors.
ARCWISE_INLINE float exponentials_body(const float* __restrict x, float most, size_t n,
                                       float* __restrict out) {
  for (size_t i = 0; i < n; ++i) out[i] = fast_exp(x[i] - most);
  float sums[16] = {};
  size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (size_t j = 0; j < 16; ++j) sums[j] += out[i + j];
  for (; i < n; ++i) sums[0] += out[i];
  float total = 0;
  for (float sum : sums) total += sum;
  return total;
}

ARCWISE_INLINE void adam_body(const AdamStep& step, size_t n, float* __restrict weights,
                              float* __restrict gradient, float* __restrict first, float* __restrict second,
                              float* __restrict average) {
  for (size_t i = 0; i < n; ++i) {
    const float g = gradient[i] * step.scale;
    const float before = step.kept * average[i] + (1 - step.kept) * weights[i];
    first[i] = step.beta1 * first[i] + (1 - step.beta1) * g;
    second[i] = step.beta2 * second[i] + (1 - step.beta2) * g * g;
    weights[i] -=
        step.rate * first[i] / (std::sqrt(second[i] * step.correction2) + 1e-8f) + step.decay * weights[i];
    average[i] = step.average * before + (1 - step.average) * weights[i];
    gradient[i] = 0;
  }
}

// In the same order, too.
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
  size_t panel;  // columns
  decltype(&arcwise::multiply) multiply;
  decltype(&arcwise::add_scaled) add_scaled;
  decltype(&arcwise::add_to_rows) add_to_rows;
  decltype(&arcwise::add_products) add_products;
  decltype(&arcwise::draw) draw;
  decltype(&arcwise::hidden_units) hidden_units;
  decltype(&arcwise::hidden_gradient) hidden_gradient;
  decltype(&arcwise::activate_gates) activate_gates;
  decltype(&arcwise::recur) recur;
  decltype(&arcwise::recur_back) recur_back;
  decltype(&arcwise::exponentials) exponentials;
  decltype(&arcwise::adam) adam;
  decltype(&arcwise::squares) squares;
  decltype(&arcwise::move_gradient) move_gradient;
};

// The attribute cannot be a template's argument: the wrappers are spelled out for each kind of machine.
#define ARCWISE_KERNELS(name, target, Vector)                                                                \
  struct name {                                                                                              \
    target static void multiply(size_t m, MatrixView a, const PackedMatrix& b, bool add, float* c,           \
                                size_t c_stride) {                                                           \
      multiply_body<Vector>(m, a, b, add, c, c_stride);                                                      \
    }                                                                                                        \
    target static void add_scaled(const float* from, float factor, size_t n, float* to) {                    \
      add_scaled_body(from, factor, n, to);                                                                  \
    }                                                                                                        \
    target static void add_to_rows(const float* from, size_t n, float* const* rows, size_t count) {          \
      add_to_rows_body(from, n, rows, count);                                                                \
    }                                                                                                        \
    target static void add_products(const float* x, size_t n, const float* rows, size_t count, float* out) { \
      add_products_body<Vector>(x, n, rows, count, out);                                                     \
    }                                                                                                        \
    target static void draw(const Dropout& dropout, uint32_t seed, size_t n, float* to) {                    \
      draw_body(dropout, seed, n, to);                                                                       \
    }                                                                                                        \
    target static float hidden_units(const float* const* rows, size_t count, const Dropout& dropout,         \
                                     uint32_t seed, size_t n, float* to) {                                   \
      return hidden_units_body<Vector>(rows, count, dropout, seed, n, to);                                   \
    }                                                                                                        \
    target static void hidden_gradient(const float* hidden, float scale, size_t n, float* d) {               \
      hidden_gradient_body(hidden, scale, n, d);                                                             \
    }                                                                                                        \
    target static void activate_gates(float* a, size_t rows, size_t half) {                                  \
      activate_gates_body(a, rows, half);                                                                    \
    }                                                                                                        \
    target static void recur(const Recurrence& how, const float* gates, float* cells, float* to) {           \
      recur_body(how, gates, cells, to);                                                                     \
    }                                                                                                        \
    target static void recur_back(const Recurrence& how, const float* gates, const float* cells,             \
                                  const float* d, float* carry, float* d_gates) {                            \
      recur_back_body(how, gates, cells, d, carry, d_gates);                                                 \
    }                                                                                                        \
    target static float exponentials(const float* x, float most, size_t n, float* out) {                     \
      return exponentials_body(x, most, n, out);                                                             \
    }                                                                                                        \
    target static void adam(const AdamStep& step, size_t n, float* weights, float* gradient, float* first,   \
                            float* second, float* average) {                                                 \
      adam_body(step, n, weights, gradient, first, second, average);                                         \
    }                                                                                                        \
    target static double squares(const float* x, size_t n) { return squares_body(x, n); }                    \
    target static void move_gradient(float* from, size_t n, float* to) { move_gradient_body(from, n, to); }  \
    static constexpr Kernels kAll{kPanel<Vector>, multiply, add_scaled,   add_to_rows,                       \
                                  add_products,   draw,     hidden_units, hidden_gradient,                   \
                                  activate_gates, recur,    recur_back,   exponentials,                      \
                                  adam,           squares,  move_gradient};                                  \
  };

ARCWISE_KERNELS(Portable, , Four)
#if defined(ARCWISE_X86)
ARCWISE_KERNELS(Avx2, __attribute__((target("avx2,fma"))), Eight)
ARCWISE_KERNELS(Avx512, __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl"))), Sixteen)
#endif

const Kernels& choose() {
#if defined(ARCWISE_X86)
  const Machine machine = this_machine();
  if (machine >= Machine::Avx512Bw) return Avx512::kAll;
  if (machine >= Machine::Avx2) return Avx2::kAll;
#endif
  return Portable::kAll;
}

const Kernels& kernels = choose();

}  // namespace

namespace {

// A whole panel's rows are so short that a loop is sooner done than a call.
void copy_rows(MatrixView from, size_t rows, size_t columns, float* to, size_t panel) {
  const auto copy = [&](auto n) {
    for (size_t i = 0; i < rows; ++i)
      std::memcpy(to + i * panel, from.data + i * from.row_stride, n * sizeof(float));
  };
  switch (columns) {
    case 8:
      return copy(std::integral_constant<size_t, 8>());
    case 16:
      return copy(std::integral_constant<size_t, 16>());
    case 32:
      return copy(std::integral_constant<size_t, 32>());
    default:
      return copy(columns);
  }
}

}  // namespace

// Panel by panel, each row by row; the last is filled up with 0.
void PackedMatrix::pack(size_t rows, size_t columns, MatrixView matrix) {
  const size_t panel = kernels.panel;
  rows_ = rows;
  columns_ = columns;
  data_.resize((columns + panel - 1) / panel * panel * rows);
  float* to = data_.data();
  for (size_t j = 0; j < columns; j += panel, to += panel * rows) {
    const size_t count = std::min(panel, columns - j);
    const float* from = matrix.data + j * matrix.column_stride;
    if (matrix.column_stride != 1) {
      transpose({from, matrix.column_stride}, rows, count, to, panel);
    } else {
      copy_rows({from, matrix.row_stride}, rows, count, to, panel);
    }
    if (count < panel)
      for (size_t i = 0; i < rows; ++i) std::fill(to + i * panel + count, to + (i + 1) * panel, 0.0f);
  }
}

void transpose(MatrixView from, size_t rows, size_t columns, float* to, size_t to_stride) {
  size_t i = 0;
#if defined(ARCWISE_X86)
  for (; i + 4 <= rows; i += 4) {
    size_t j = 0;
    for (; j + 4 <= columns; j += 4) {
      __m128 block[4];
      for (size_t c = 0; c < 4; ++c) block[c] = _mm_loadu_ps(from.data + (j + c) * from.row_stride + i);
      _MM_TRANSPOSE4_PS(block[0], block[1], block[2], block[3]);
      for (size_t r = 0; r < 4; ++r) _mm_storeu_ps(to + (i + r) * to_stride + j, block[r]);
    }
    for (; j < columns; ++j)
      for (size_t r = i; r < i + 4; ++r) to[r * to_stride + j] = from.data[j * from.row_stride + r];
  }
#endif
  for (; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) to[i * to_stride + j] = from.data[j * from.row_stride + i];
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
void add_to_rows(const float* from, size_t n, float* const* rows, size_t count) {
  kernels.add_to_rows(from, n, rows, count);
}
void add_products(const float* x, size_t n, const float* rows, size_t count, float* out) {
  kernels.add_products(x, n, rows, count, out);
}
Dropout::Dropout(double share)
    : bound(static_cast<int32_t>(share * 0x1.0p31)), scale(static_cast<float>(1 / (1 - share))) {}
void draw(const Dropout& dropout, uint32_t seed, size_t n, float* to) { kernels.draw(dropout, seed, n, to); }
float hidden_units(const float* const* rows, size_t count, const Dropout& dropout, uint32_t seed, size_t n,
                   float* to) {
  return kernels.hidden_units(rows, count, dropout, seed, n, to);
}
void hidden_gradient(const float* hidden, float scale, size_t n, float* d) {
  kernels.hidden_gradient(hidden, scale, n, d);
}
void activate_gates(float* a, size_t rows, size_t half) { kernels.activate_gates(a, rows, half); }
void recur(const Recurrence& how, const float* gates, float* cells, float* to) {
  kernels.recur(how, gates, cells, to);
}
void recur_back(const Recurrence& how, const float* gates, const float* cells, const float* d, float* carry,
                float* d_gates) {
  kernels.recur_back(how, gates, cells, d, carry, d_gates);
}
float exponentials(const float* x, float most, size_t n, float* out) {
  return kernels.exponentials(x, most, n, out);
}
void adam(const AdamStep& step, size_t n, float* weights, float* gradient, float* first, float* second,
          float* average) {
  kernels.adam(step, n, weights, gradient, first, second, average);
}
double squares(const float* x, size_t n) { return kernels.squares(x, n); }
void move_gradient(float* from, size_t n, float* to) { kernels.move_gradient(from, n, to); }

}  // namespace arcwise
