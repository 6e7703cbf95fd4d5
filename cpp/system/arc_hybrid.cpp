#include "task/arc_hybrid.h"

#include "system/instantiate.h"

ARCWISE_INSTANTIATE(ArcHybrid)
