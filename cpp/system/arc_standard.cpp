#include "task/arc_standard.h"

#include "system/instantiate.h"

ARCWISE_INSTANTIATE(ArcStandard)
