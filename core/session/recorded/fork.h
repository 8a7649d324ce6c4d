#ifndef CORE_SESSION_RECORDED_FORK_H
#define CORE_SESSION_RECORDED_FORK_H

#include "core/session/recorded/recording.h"
#include "core/session/store/catalog.h"

/*
 * Makes a new session from the first events of a recorded one, its parent, up to the proposal of a
 * step, which then waits for a decision again.  The journal of the fork is complete: its first
 * event names the parent and the number of shared events, which follow.  The shared events do not
 * use the budgets of the fork.  Refs of the fork point to the shared commits; if the parent
 * is a folder without a repository, its candidates are committed again, to kforge's repository.
 */
struct fork_options {
    const char *agent; /* agent of the fork; NULL: the parent's */
    struct roles roles;
    struct limits limits;
    struct gate gate;
};

/* Read the options with which the parent was opened; texts are borrowed from it. */
enum status fork_read_options(const struct recording *parent, struct fork_options *options,
                              struct error *err) MUST_CHECK;

/* Make the fork at a step of the parent; `kforge resume` continues it. */
enum status fork_session(const struct recording *parent, unsigned step,
                         const struct fork_options *options, char id[CATALOG_ID_SIZE],
                         struct error *err) MUST_CHECK;

#endif
