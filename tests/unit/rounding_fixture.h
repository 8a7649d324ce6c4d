#ifndef TESTS_UNIT_ROUNDING_FIXTURE_H
#define TESTS_UNIT_ROUNDING_FIXTURE_H

#include "tests/unit/unit.h"

#include "core/judge/oracle/oracle.h"
#include "core/model/problem_reader.h"

/* A problem with a derived tolerance, random data, and what is expected for them. */
struct rounding_task {
    struct problem problem;
    struct graph graph;
    struct rounding rounding;
    struct oracle_values given, expected;
};

/* A problem of class `class` with an output y; the rest of its text is `body`. */
struct rounding_task rounding_task_open(const char *class, const char *body);
void rounding_task_close(struct rounding_task *t);

/* Draw other data, and compute what is expected for them as for drawn or for varied data. */
void rounding_task_draw(struct rounding_task *t, uint64_t seed, bool is_varied);

/* The elements of an input, and the expected ones of y. */
double *rounding_task_given(const struct rounding_task *t, const char *name);
const double *rounding_task_expected(const struct rounding_task *t);

/* The largest error of `got`, the elements of y, as a multiple of the tolerance. */
double rounding_task_error(const struct rounding_task *t, const double *got);

#endif
