#ifndef CORE_JUDGE_ORACLE_EDGE_EDGE_RANGE_H
#define CORE_JUDGE_ORACLE_EDGE_EDGE_RANGE_H

#include "core/model/graph.h"

/* The numbers that a value may have in every implementation, however it rounds. */
struct edge_range {
    double low, high;
};

/* The range of the result of a call, from those of its operands. */
struct edge_range edge_range_after(const struct op_call *call, const struct edge_range *in);

/* The range of a tensor that is given, or of a constant. */
struct edge_range edge_range_given(const struct value *value);

#endif
