#ifndef TESTS_CONTRACT_COURT_H
#define TESTS_CONTRACT_COURT_H

#include "core/judge/judge.h"
#include "core/model/problem.h"

/*
 * A judge with the problem of a file, for tests that ask whether candidates
 * are correct and not how fast they are: timing takes the least there is.
 * KFORGE_WORKER is the path of kforge-worker, KFORGE_DEVICE the device, or
 * unset for the first.  What goes wrong fails the running test.
 */
struct court {
    struct judge *judge;
    struct problem problem;
};

/* A problem in place of the one before it, unless it is that, or the first. */
void court_open(struct court *court, const char *problem_path);

/* The same with a problem that is no file; `file` is what errors call it. */
void court_load(struct court *court, const struct json *document, const char *file);
void court_close(struct court *court);

/* What candidates for the device are written in. */
const char *court_language(const struct court *court);

/* Any other verdict on the candidate, which is called `name`, is a failure that shows both. */
void court_assert_correct(const struct court *court, const struct candidate *candidate,
                          const char *name);

#endif
