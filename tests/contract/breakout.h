/*
 * Attempts to break out of a contained program, and operations that it needs. Each works on a
 * target, such as a path or a port, that the parent prepares and names in the environment.
 */
#ifndef TESTS_CONTRACT_BREAKOUT_H
#define TESTS_CONTRACT_BREAKOUT_H

#include <stdbool.h>

/* Exit statuses of a program that makes one attempt. LACKING: the system lacks a safeguard. */
enum { REFUSED = 10, DONE = 11, LACKING = 12 };

struct attempt {
    const char *name;
    bool (*succeeds)(void);
    bool is_open_to_judge;   /* the judge must start and end programs */
    bool is_open_to_watched; /* it talks to its tool; its only network is its own */
};

/*
 * Attempts that the containment must refuse, and operations that it must permit. Each array ends
 * with one without a name.
 */
extern const struct attempt breakout_attempts[], breakout_needs[];

/* Make the attempt or the operation `name`. Return DONE, REFUSED, or EXIT_FAILURE for no name. */
int breakout_try(const char *name);

#endif
