#ifndef CORE_JUDGE_TASK_PRETENDERS_H
#define CORE_JUDGE_TASK_PRETENDERS_H

#include "core/judge/compare/verify.h"

/*
 * Constants that could pass as an output, for the task lint: zero, and the mean and median of the
 * expected elements of the first sample. Each constant is rated by the sample with the smallest
 * share of right elements.
 */

enum { PRETENDERS = 3 };

struct pretender {
    const char *name; /* for messages, such as "its mean" */
    double number;
    double right; /* share of elements that are right */
    bool passes;
};

struct pretenders {
    struct pretender items[PRETENDERS];
};

/*
 * If a constant is right for more than this share of elements, few elements are left to test a
 * kernel.
 */
extern const double pretenders_nearly_all;

/* Pretenders that no sample has refuted yet. */
struct pretenders pretenders_start(void);

/* Set the constants from the expected elements of the first sample. */
void pretenders_choose(struct pretenders *pretenders, const double *elements, size_t count);

/*
 * Compare each constant that has not failed before with the expected elements of a sample. `want`
 * has a magnitude if it has no `allowed`.
 */
void pretenders_try(struct pretenders *pretenders, const struct value *value,
                    const struct wanted *want, const struct tolerance *tolerance);

/*
 * True if the elements of another tensor would pass as an output. `want` is as for
 * pretenders_try().
 */
bool pretenders_pass_as(const double *elements, const struct value *value,
                        const struct wanted *want, const struct tolerance *tolerance);

/* The constant with the largest share of right elements. */
const struct pretender *pretenders_best(const struct pretenders *pretenders);

#endif
