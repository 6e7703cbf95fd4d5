#include "train/beam_training.h"

namespace arcwise {

template class FeatureScoring<Perceptron::Scorer>;

}  // namespace arcwise
