#ifndef CORE_JUDGE_ORACLE_VARIATION_VARIATION_DEEP_H
#define CORE_JUDGE_ORACLE_VARIATION_VARIATION_DEEP_H

#include "core/judge/oracle/variation/varied_row.h"

/* All elements lie far below zero, and one of each row, or of each column, far above the others. */
vary_fn variation_lie_deep, variation_lie_deep_in_columns;

#endif
