#include "pipeline/pipeline.h"

namespace arcwise {

const char* version() { return ARCWISE_VERSION; }

}  // namespace arcwise
