#ifndef CORE_SESSION_RECORDED_STANDALONE_STANDALONE_BATCH_H
#define CORE_SESSION_RECORDED_STANDALONE_STANDALONE_BATCH_H

#include "core/model/graph.h"

/*
 * Whether a problem computes each sample of a batch by itself, so that kernels for one size of the
 * batch also compute any other, in parts. The batch is the first axis of the first input, and of
 * all other inputs of that size if the graph allows it. Norms over the batch's statistics and sums
 * over the batch do not allow it.
 */
struct standalone_batch {
    int64_t size;         /* samples that the kernels are made for; 0: there is no batch */
    bool *is_batched;     /* for each tensor of the problem; samples are along its first axis */
    struct strbuf reason; /* why not, such as "graph[2], mean, works along it"; empty if it does */
};

/* Follow the batch through the graph. To be released in any case. */
void standalone_batch_find(struct standalone_batch *batch, const struct problem *problem,
                           const struct graph *graph);
void standalone_batch_release(struct standalone_batch *batch);

#endif
