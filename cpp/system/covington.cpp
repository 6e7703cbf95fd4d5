#include "task/covington.h"

#include "system/instantiate.h"

ARCWISE_INSTANTIATE(Covington)
