#ifndef CORE_JUDGE_DEVICE_SAFEGUARDS_H
#define CORE_JUDGE_DEVICE_SAFEGUARDS_H

#include <stdbool.h>

#include "core/base/json.h"

/*
 * What keeps a candidate that has taken over its process from harming more
 * than that, as far as the kernel of this machine lends itself to it: an old
 * kernel or a container may refuse.  A process that runs candidates tells
 * which of these are in force (backends/containment), and `kforge devices`
 * shows it.  What the judge itself watches over, memory, number of processes
 * and time, is always in force and not listed.
 */
enum safeguard {
    SAFEGUARD_NETWORK,    /* no socket reaches anyone */
    SAFEGUARD_FILES,      /* nothing is written outside of its folder, or read in a home folder */
    SAFEGUARD_PRIVILEGES, /* none, and no way to new ones */
    SAFEGUARD_PROCESSES,  /* sends no signal to others, and cannot leave its session */
    SAFEGUARD_LIMITS,     /* on the size and number of files; no core file */
    SAFEGUARD_COUNT
};

struct safeguards {
    bool in_force[SAFEGUARD_COUNT];
};

/* What it means for the engineer, as a phrase, and what the machine needs for it. */
const char *safeguards_text(enum safeguard safeguard);
const char *safeguards_need(enum safeguard safeguard);

/* Each with its name: {"network": true, ...}. */
struct json *safeguards_encode(const struct safeguards *safeguards);

/* One that is not named is not in force. */
void safeguards_decode(struct safeguards *safeguards, const struct json *object);

#endif
