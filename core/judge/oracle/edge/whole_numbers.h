#ifndef CORE_JUDGE_ORACLE_EDGE_WHOLE_NUMBERS_H
#define CORE_JUDGE_ORACLE_EDGE_WHOLE_NUMBERS_H

#include "core/model/graph.h"

/*
 * By value of the graph: true if its elements are small whole numbers, which all implementations
 * compute exactly, so that some are exactly 0. The caller frees.
 */
bool *whole_numbers_of(const struct graph *graph);

/* The effect that rounding may have on the elements of a value. */
enum wholeness {
    WHOLE_NOT,    /* they are any numbers */
    WHOLE_STORED, /* every implementation has whole numbers, so storing small ones rounds nothing */
    WHOLE_REST,   /* the same, and elements that are 0 are exact: what is left of a number beyond
                     2^23, from where on numbers in float32 have no fraction */
    WHOLE_EXACT,  /* integers, doubles that are computed from integers alone, as products of
                     integers are, and floats between integers and their quotients: an
                     implementation computes with integers there, and nothing rounds them; small
                     whole constants */
};

/* By value of the graph. The caller frees. */
enum wholeness *wholeness_of(const struct graph *graph);

/* The largest whole number up to which all are stored as they are. */
double whole_number_limit(bool is_mixed);

#endif
