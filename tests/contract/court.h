#ifndef TESTS_CONTRACT_COURT_H
#define TESTS_CONTRACT_COURT_H

#include "core/judge/judge.h"
#include "core/model/problem.h"

/*
 * A judge that holds the problem of a file, for tests that check whether candidates are correct and
 * not how fast they are. Timing is as short as the judge allows. The environment names the worker's
 * path (KFORGE_WORKER) and the device (KFORGE_DEVICE; unset: the first). Every failure fails the
 * running test.
 */
struct court {
    struct judge *judge;
    struct problem problem;
};

/*
 * Load the problem of a file; create the judge first when there is none. Loading the same file
 * again does nothing.
 */
void court_open(struct court *court, const char *problem_path);

/* Like court_open(), with a problem that is not in a file; error messages use the name `file`. */
void court_load(struct court *court, const struct json *document, const char *file);
void court_close(struct court *court);

/* The language of candidates for the judge's device. */
const char *court_language(const struct court *court);

/*
 * Fail the test when the verdict is not "correct"; the message shows verdict and source. `name` is
 * the candidate's name in that message.
 */
void court_assert_correct(const struct court *court, const struct candidate *candidate,
                          const char *name);

#endif
