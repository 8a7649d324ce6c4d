#ifndef TESTS_CONTRACT_RANDOM_GRAPH_H
#define TESTS_CONTRACT_RANDOM_GRAPH_H

#include <stdint.h>

#include "core/base/strbuf.h"

/*
 * Random problems: a chain of a few operations, some of which also take an earlier operation's
 * result. The same seed gives the same problem.
 */

/* Append the problem as JSON; its name is "random_<seed>". */
void random_graph_write(uint32_t seed, struct strbuf *out);

#endif
