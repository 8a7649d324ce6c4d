#ifndef TESTS_BENCH_SUITE_MAKER_H
#define TESTS_BENCH_SUITE_MAKER_H

#include "core/base/json.h"
#include "tests/bench/programs/maker.h"

/*
 * Makes a suite whose sessions all run at once, by maker.h: 50 tasks of 5 problems and 10 arms,
 * with journals that stay open and go on.  The names of the first and the last arm share no letter,
 * so that screen.py finds each in the output of the terminal.
 */
struct suite_maker;

enum { SUITE_SESSIONS = 50 };

/* Make the suite and play each session for so many steps; put its id into `out`. */
enum status suite_maker_open(struct suite_maker **maker, size_t steps, struct json *out,
                             struct error *err) MUST_CHECK;

/* Carry out the next action of one session after the other, so many in all. */
enum status suite_maker_act(struct suite_maker *maker, size_t actions,
                            struct error *err) MUST_CHECK;

/* Play each session to a prompt that waits for a decision. */
enum status suite_maker_ask(struct suite_maker *maker, struct error *err) MUST_CHECK;

/* Close the journals, which lets the sessions ask; takes NULL. */
void suite_maker_close(struct suite_maker *maker);

#endif
