#ifndef CORE_JUDGE_EXECUTOR_ENCLOSURE_H
#define CORE_JUDGE_EXECUTOR_ENCLOSURE_H

#include "core/base/status.h"

/*
 * What a process that runs candidates finds around it: a folder of its own,
 * the only one in which it may write and gone with it, and an environment in
 * which nothing is secret.  Compilers keep their caches in the folder, so no
 * candidate finds, or changes, what another process will load.
 *
 * A judge that is killed leaves the folder behind.  It has held a lock on it,
 * so the next enclosure_make() tells that it is nobody's, and removes it.
 */
struct enclosure {
    char *folder;
    int lock;           /* descriptor */
    char **environment; /* NULL-terminated; the array and its strings are owned here */
};

/*
 * The folder is below $TMPDIR.  The environment has what programs and drivers
 * go by (an allow-list), HOME, TMPDIR and caches in the folder, and its path
 * as KFORGE_SCRATCH for backends/containment.
 */
enum status enclosure_make(struct enclosure *enclosure, struct error *err) MUST_CHECK;

/* See that compilers have room in such folders: STATUS_UNAVAILABLE, with the remedy. */
enum status enclosure_check_room(struct error *err) MUST_CHECK;

/* Set a variable of the environment, instead of what is there. */
void enclosure_set(struct enclosure *enclosure, const char *name, const char *value);

/* Remove the folder with all that is in it; all zeros afterwards. */
void enclosure_release(struct enclosure *enclosure);

#endif
