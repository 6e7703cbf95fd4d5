// The arrays of linear models, from numpy.
#pragma once

#include "arrays.h"
#include "model/linear.h"

inline arcwise::LinearScorer linear_scorer(const Vector<uint32_t>& lines, const Vector<uint32_t>& lists,
                                           const Vector<int8_t>& dense, const Vector<int8_t>& wide,
                                           const Vector<uint16_t>& columns, double scale) {
  if (lines.size() % arcwise::kWordsInLine != 0)
    throw nanobind::value_error("The weights are damaged: a line is cut short.");
  const std::span index(reinterpret_cast<const arcwise::LinearLine*>(lines.data()),
                        lines.size() / arcwise::kWordsInLine);
  return {{index, to_span(lists), to_span(dense), to_span(wide), to_span(columns)}, scale};
}
