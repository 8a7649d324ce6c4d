#ifndef TESTS_UNIT_TRIED_FIXTURE_H
#define TESTS_UNIT_TRIED_FIXTURE_H

#include "tests/unit/unit.h"

#include "core/judge/oracle/oracle.h"
#include "core/judge/oracle/variation.h"
#include "core/judge/oracle/variation/variation_kind.h"

/* The variations of data that a problem is tried on, and those that are left out as unfair. */
struct tried {
    bool is_tried[VARIATION_COUNT], is_fair[VARIATION_COUNT];
    char dims[64];          /* of the case with the varied data */
    char ends_dims[64];     /* of the case with numbers at the ends of their ranges */
    bool has_varied_params; /* its params are made from the seed of the variation, too */
};

/*
 * The trials of a problem of class f32; `body` is the part of its text from the dimensions to the
 * graph. The evaluator is for a problem without a graph; else NULL.
 */
struct tried tried_by(const char *body, const struct oracle_evaluator *evaluator);
struct tried tried_on(const char *body);

/* The same for class mixed. */
struct tried tried_in_mixed(const char *body);

#endif
