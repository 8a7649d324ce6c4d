#ifndef TESTS_CONTRACT_RANDOM_GRAPH_H
#define TESTS_CONTRACT_RANDOM_GRAPH_H

#include <stdint.h>

#include "core/base/strbuf.h"

/*
 * Problems that nobody thought of: a few operations in a row, some of which
 * also take what an earlier one made.  The same seed gives the same problem.
 */

/* Append the problem as JSON; its name is "random_<seed>". */
void random_graph_write(uint32_t seed, struct strbuf *out);

#endif
