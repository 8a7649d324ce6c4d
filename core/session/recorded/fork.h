#ifndef CORE_SESSION_RECORDED_FORK_H
#define CORE_SESSION_RECORDED_FORK_H

#include "core/session/recorded/recording.h"
#include "core/session/store/catalog.h"

/*
 * A new session that shares the beginning of another, up to a step that is
 * proposed and not yet decided.  Its journal stands on its own: it opens with
 * who it was forked from and after how many events, and repeats these.  What
 * they cost was paid by the other session.  The references of the candidates
 * that it shares point to the same commits; those of a recording in a folder
 * of its own are committed anew, into kforge's repository.
 */
struct fork_options {
    const char *agent; /* who goes on; NULL: as in the other session */
    struct limits limits;
    struct gate gate;
};

/* What the other session was opened with, to be changed. */
enum status fork_read_options(const struct recording *parent, struct fork_options *options,
                              struct error *err) MUST_CHECK;

/* Make the session, which `kforge resume` goes on with. */
enum status fork_session(const struct recording *parent, unsigned step,
                         const struct fork_options *options, char id[CATALOG_ID_SIZE],
                         struct error *err) MUST_CHECK;

#endif
