#ifndef CORE_CODEGEN_DECISIVE_VALUES_H
#define CORE_CODEGEN_DECISIVE_VALUES_H

#include "core/model/graph.h"

/*
 * Finds values on which a decision depends: an index, a comparison, a whole number or a sign that
 * other values of the graph are computed from. A small error of such a value may change the
 * decision, and then all of a result, as in the choice of an expert or of a code.
 *
 * An index or a comparison that is only an output counts as none. Nor does a comparison of a value
 * with itself or with infinity, which only finds numbers that are not finite.
 */

/* An array with an entry for each value: true if a decision depends on it. The caller frees. */
bool *decisive_values_of(const struct graph *graph);

#endif
