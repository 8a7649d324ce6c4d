#ifndef CORE_JUDGE_EXECUTOR_ENCLOSURE_H
#define CORE_JUDGE_EXECUTOR_ENCLOSURE_H

#include "core/base/status.h"

/*
 * The surroundings of a process that runs candidates: a folder of its own, the only one that it may
 * write to, which is removed with it; and an environment without secrets. Compilers keep their
 * caches in this folder, so a candidate neither finds nor changes files that another process will
 * load.
 *
 * A judge that is killed leaves the folder behind. The folder's lock is free then, so the next
 * enclosure_make() removes the folder.
 */
struct enclosure {
    char *folder;
    int lock;           /* file descriptor */
    char **environment; /* NULL-terminated; the array and its strings are owned here */
};

/*
 * Make a folder below $TMPDIR, and the environment: the variables that programs and drivers need
 * (an allow-list), HOME, TMPDIR and caches in the folder, and KFORGE_SCRATCH with its path for
 * backends/containment.
 */
enum status enclosure_make(struct enclosure *enclosure, struct error *err) MUST_CHECK;

/* Check that compilers have room in such folders. STATUS_UNAVAILABLE with the remedy if not. */
enum status enclosure_check_room(struct error *err) MUST_CHECK;

/* Set a variable of the environment, replacing an earlier value. */
void enclosure_set(struct enclosure *enclosure, const char *name, const char *value);

/*
 * Allow reading the folders that contain the programs and scripts which a command names by full
 * paths, and the folders above these, because containment may deny reading there.
 */
void enclosure_admit_programs(struct enclosure *enclosure, const char *const *argv);

/* Remove the folder with its contents. All zeros afterwards. */
void enclosure_release(struct enclosure *enclosure);

#endif
