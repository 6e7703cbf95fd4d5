#include "task/arc_eager.h"

#include "system/instantiate.h"

ARCWISE_INSTANTIATE(ArcEager)
