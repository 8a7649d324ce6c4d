#ifndef CORE_JUDGE_TASK_PRETENDERS_H
#define CORE_JUDGE_TASK_PRETENDERS_H

#include "core/judge/compare/verify.h"

/*
 * Constants in place of an output, for the task lint: zero, and mean and median of the expected
 * elements of the first sample. A pretender is as good as in its worst sample.
 */

enum { PRETENDERS = 3 };

struct pretender {
    const char *name; /* "its mean" */
    double number;
    double right; /* share of elements that are right */
    bool passes;
};

struct pretenders {
    struct pretender items[PRETENDERS];
};

/* A constant that is right for more than this share leaves few elements to test a kernel. */
extern const double pretenders_nearly_all;

/* Pretenders that no sample has refuted yet. */
struct pretenders pretenders_start(void);

/* Choose the numbers from the expected elements of the first sample. */
void pretenders_choose(struct pretenders *pretenders, const double *elements, size_t count);

/*
 * Compare each with the expected elements of a sample, unless it has failed before. `want` has a
 * magnitude where it has no `allowed`.
 */
void pretenders_try(struct pretenders *pretenders, const struct value *value,
                    const struct wanted *want, const struct tolerance *tolerance);

/*
 * True if the elements of another tensor are within the tolerance in place of an output. `want` as
 * for pretenders_try().
 */
bool pretenders_pass_as(const double *elements, const struct value *value,
                        const struct wanted *want, const struct tolerance *tolerance);

/* The one that gets farthest. */
const struct pretender *pretenders_best(const struct pretenders *pretenders);

#endif
