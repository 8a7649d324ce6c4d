#ifndef CORE_SESSION_RECORDED_STANDALONE_STANDALONE_SYMBOLS_H
#define CORE_SESSION_RECORDED_STANDALONE_STANDALONE_SYMBOLS_H

#include "core/model/candidate.h"
#include "core/session/recorded/standalone/standalone_batch.h"

/*
 * The plan's own expressions over the size of the batch, with which an exported class computes its
 * launches for any number of samples at once: grids, whole numbers among arguments and the sizes of
 * scratch buffers. NULL if that is not possible: the batch is no dynamic dimension of the problem
 * (only at those the judge tried the kernels at other sizes), or another part of the plan or of the
 * problem depends on it, such as a compiler option.
 *
 * {"dimension": "M", "dims": {"M": 512, "TILE": 32}, "scratch": [["M"]], "launches":
 * [{"grid": ["M"], "args": ["x", "y", "M"]}]}; what an expression does not have is null.
 */
struct json *standalone_symbols(const struct standalone_batch *batch, const struct problem *problem,
                                const struct candidate *candidate, const struct scope *scope);

#endif
