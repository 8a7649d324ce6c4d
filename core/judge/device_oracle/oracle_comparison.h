#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_COMPARISON_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_COMPARISON_H

#include "core/base/strbuf.h"
#include "core/model/plan/dispatch.h"
#include "core/model/tensor.h"
#include "core/model/verdict.h"

/*
 * Writes a program for a device that compares large outputs, by the rule of
 * core/judge/compare/verify.h. It works on tensors of an oracle program: the expected elements and
 * tolerances that the oracle program computes, and the candidate's elements that the judge copies
 * there. Each work-item compares a part of the elements and writes a few numbers; further
 * work-items merge these, and the host adds up the rest. Each part names its worst element. The
 * error map is a separate program, because it takes as long and few verdicts need it, and so is the
 * digest, which tells whether two runs left the same bits in a fraction of that time.
 */
struct oracle_comparison {
    struct strbuf source;
    struct dispatch dispatch;
};

/*
 * The numbers of the tensors of one output. The tensor with the expected elements has the value's
 * number in the graph.
 */
struct oracle_compared {
    size_t value, allowed;
    size_t got;          /* the candidate's elements, in the output's own type */
    size_t found, cells; /* the results */
};

/*
 * What a program makes: the numbers of the comparison, the error map, or a digest of the
 * candidate's elements without a comparison.
 */
enum oracle_comparison_kind { COMPARISON_NUMBERS, COMPARISON_MAP, COMPARISON_DIGEST };

/* The outputs to compare, and the tensors of the oracle program. Borrows everything. */
struct oracle_comparison_request {
    const struct dispatch *tensors; /* the first buffers of this dispatch */
    const struct value *values;     /* likewise */
    const struct oracle_compared *compared;
    size_t count;
    const char *language;
    enum oracle_comparison_kind kind;
};

/* Write the program. */
void oracle_comparison_write(const struct oracle_comparison_request *request,
                             struct oracle_comparison *comparison);

/* Free everything; all zeros afterwards. */
void oracle_comparison_release(struct oracle_comparison *comparison);

/* The numbers of doubles in the two results, `found` and `cells` of struct oracle_compared. */
int64_t oracle_comparison_found(const struct shape *shape);
int64_t oracle_comparison_cells(const struct shape *shape);

/* The two results of an output. */
struct oracle_found {
    const struct value *value;
    const double *found, *cells;
};

/* Fill the numbers of `trial`, and replace `map` unless it is NULL, like verify_output(). */
void oracle_comparison_read(const struct oracle_found *found, struct trial *trial,
                            struct error_map *map);

/* The digest of all bits of the elements. */
uint64_t oracle_comparison_digest(const struct oracle_found *found);

#endif
