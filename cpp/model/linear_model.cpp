#include "model/linear_model.h"

namespace arcwise {

template class FeatureScoring<LinearScorer>;

}  // namespace arcwise
