#ifndef TESTS_CONTRACT_JUDGE_FIXTURE_H
#define TESTS_CONTRACT_JUDGE_FIXTURE_H

#include "core/judge/judge.h"
#include "core/model/problem.h"

/*
 * A judge that holds the problem of a file, for tests that check whether candidates are correct and
 * not how fast they are. Timing is as short as the judge allows, and there are no baselines. The
 * environment names the worker's path (KFORGE_WORKER) and the device (KFORGE_DEVICE; unset: the
 * first). Every failure fails the running test.
 */
struct judge_fixture {
    unsigned unseen; /* drawn sizes that candidates are verified at; 0: one */
    struct judge *judge;
    struct problem problem;
};

/*
 * Load the problem of a file; create the judge first when there is none. The dynamic dimensions of
 * a large problem get smaller main values. Loading the same file again does nothing.
 */
void judge_fixture_open(struct judge_fixture *fixture, const char *problem_path);

/*
 * Like judge_fixture_open(), with a problem that is not in a file; error messages use the name
 * `file`.
 */
void judge_fixture_load(struct judge_fixture *fixture, const struct json *document,
                        const char *file);
void judge_fixture_close(struct judge_fixture *fixture);

/*
 * Have PoCL compile the candidate without optimizing, in a fraction of the time. For candidates
 * whose source is tested rather than the compiler. Does nothing in languages other than OpenCL, and
 * to a plan that is not JSON.
 */
void judge_fixture_skip_optimizer(struct candidate *candidate);

/*
 * The option with which kforge's own kernels are built in a fraction of the time on KFORGE_DEVICE;
 * NULL if it is no OpenCL device.
 */
const char *judge_fixture_build_option(void);

/*
 * Set KFORGE_DEVICE to the first device of this name that the worker finds; false if there is none.
 * A name is a device's id or UUID, a language that a device takes, or `other`: an OpenCL driver but
 * PoCL.
 */
bool judge_fixture_choose_device(const char *name);

/* The language of candidates for the judge's device. */
const char *judge_fixture_language(const struct judge_fixture *fixture);

/*
 * Fail the test when the verdict is not "correct"; the message shows verdict and source. `name` is
 * the candidate's name in that message.
 */
void judge_fixture_assert_correct(const struct judge_fixture *fixture,
                                  const struct candidate *candidate, const char *name);

#endif
