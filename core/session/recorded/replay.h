#ifndef CORE_SESSION_RECORDED_REPLAY_H
#define CORE_SESSION_RECORDED_REPLAY_H

#include "core/session/recorded/recording.h"
#include "core/session/worker/evaluator.h"

/*
 * Judges every candidate of a recorded session again, here and now, one after
 * the other.  Agents have no part in it: what they wrote is in the recording.
 */
struct replay;

/* A candidate that was judged then, and how it is judged now. */
struct replay_result {
    const struct attempt *then;
    struct evaluation_finished now; /* texts are borrowed for the call */
};

struct replay_options {
    const struct recording *recording; /* stays the caller's, and outlives the replay */
    struct evaluator_options
        evaluator; /* device NULL: the first that takes the session's language */
};

struct replay_listener {
    void (*measured)(void *data, const struct replay_result *result);
    void (*ended)(void *data, const struct error *err); /* err NULL: all are measured */
    void (*notice)(void *data, const char *line);       /* what to know of the worker */
    void *data;
};

/* Start the judge; the rest happens in the loop. */
enum status replay_open(struct loop *loop, const struct replay_options *options,
                        const struct replay_listener *listener, struct replay **replay,
                        struct error *err) MUST_CHECK;
void replay_close(struct replay *replay);

#endif
