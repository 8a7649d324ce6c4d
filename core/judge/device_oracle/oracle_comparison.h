#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_COMPARISON_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_COMPARISON_H

#include "core/base/strbuf.h"
#include "core/model/plan/dispatch.h"
#include "core/model/tensor.h"
#include "core/model/verdict.h"

/*
 * The comparison of large outputs as a program for a device, by the rule of
 * core/judge/compare/verify.h. It works on the tensors of an oracle program: on the expected
 * elements and tolerances that this program leaves there, and on the elements that the judge
 * delivers. Each work-item goes over a part of the elements and leaves a few numbers, others put
 * these together, and the host adds up what is left. Of the wrong elements, it names the worst one
 * of each of these parts. The error map is a program of its own, because it takes as long and few
 * verdicts need it.
 */
struct oracle_comparison {
    struct strbuf source;
    struct dispatch dispatch;
};

/*
 * An output, by the numbers of tensors. That with the expected elements has the number of the value
 * in the graph.
 */
struct oracle_compared {
    size_t value, allowed;
    size_t got;          /* the elements to compare, in the output's own type */
    size_t found, cells; /* the results */
};

/* The outputs to compare, and the tensors of the oracle program. Borrows everything. */
struct oracle_comparison_request {
    const struct dispatch *tensors; /* the first buffers of this dispatch */
    const struct value *values;     /* the same */
    const struct oracle_compared *compared;
    size_t count;
    const char *language;
    bool maps; /* make the error maps, not the numbers */
};

/* Write the program. */
void oracle_comparison_write(const struct oracle_comparison_request *request,
                             struct oracle_comparison *comparison);

/* Free everything; all zeros afterwards. */
void oracle_comparison_release(struct oracle_comparison *comparison);

/* The numbers of elements of its two results, which are doubles (struct oracle_compared). */
int64_t oracle_comparison_found(const struct shape *shape);
int64_t oracle_comparison_cells(const struct shape *shape);

/* The two results of an output. */
struct oracle_found {
    const struct value *value;
    const double *found, *cells;
};

/* Fill the numbers of `trial`, and replace `map` unless it is NULL: as verify_output() does. */
void oracle_comparison_read(const struct oracle_found *found, struct trial *trial,
                            struct error_map *map);

#endif
