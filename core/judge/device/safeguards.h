#ifndef CORE_JUDGE_DEVICE_SAFEGUARDS_H
#define CORE_JUDGE_DEVICE_SAFEGUARDS_H

#include <stdbool.h>

#include "core/base/json.h"

/*
 * The safeguards that limit the harm of a candidate that has taken over its process. An old kernel
 * or a container may not offer all of them. A process that runs candidates reports which are in
 * force (backends/containment), and `kforge devices` shows it. The judge's own limits on memory,
 * number of processes and time are always in force and not listed.
 */
enum safeguard {
    SAFEGUARD_NETWORK,    /* no socket reaches another process or machine */
    SAFEGUARD_FILES,      /* it writes only to its own folder, and reads no home folder */
    SAFEGUARD_PRIVILEGES, /* it has no privileges, and no way to get any */
    SAFEGUARD_PROCESSES,  /* it sends no signal to other processes, and cannot leave its session */
    SAFEGUARD_LIMITS,     /* limits on the size and number of files; no core file */
    SAFEGUARD_COUNT
};

struct safeguards {
    bool in_force[SAFEGUARD_COUNT];
};

/* The effect, as a phrase for the engineer, and what the machine needs to offer it. */
const char *safeguards_text(enum safeguard safeguard);
const char *safeguards_need(enum safeguard safeguard);

/* Each safeguard by name, {"network": true, ...}; the caller owns the object. */
struct json *safeguards_encode(const struct safeguards *safeguards);

/* A safeguard that is not named is not in force. */
void safeguards_decode(struct safeguards *safeguards, const struct json *object);

/* The largest file that a contained process may write, what it prints included (containment.h). */
enum { CONTAINED_FILE_BYTES = 64 << 20 };

#endif
