#include "task/arc_hybrid_swap.h"

#include "system/instantiate.h"

ARCWISE_INSTANTIATE(ArcHybridSwap)
