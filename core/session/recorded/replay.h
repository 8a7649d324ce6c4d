#ifndef CORE_SESSION_RECORDED_REPLAY_H
#define CORE_SESSION_RECORDED_REPLAY_H

#include "core/session/recorded/recording.h"
#include "core/session/worker/evaluator.h"

/*
 * Judges every candidate of a recording again on a present device, one after the other. No agent is
 * asked: the recording holds their replies.
 */
struct replay;

/* A candidate with its recorded and its new result. */
struct replay_result {
    const struct attempt *then;
    struct evaluation_finished now; /* attempt and verdict are unset; borrowed for the call */
    const char *over; /* the session's strongest baseline, to which both speedups refer; or NULL */
    double speedup_then, speedup_now; /* 0: unknown */
};

struct replay_options {
    const struct recording *recording; /* borrowed; must outlive the replay */
    struct evaluator_options
        evaluator; /* device NULL: the first that takes the session's language */
};

struct replay_listener {
    void (*measured)(void *data, const struct replay_result *result);
    void (*ended)(void *data, const struct error *err); /* err NULL: all candidates are judged */
    /* a line for the engineer about the worker */
    void (*notice)(void *data, const char *line);
    void *data;
};

/* Start the judge and return; the loop does the rest. */
enum status replay_open(struct loop *loop, const struct replay_options *options,
                        const struct replay_listener *listener, struct replay **replay,
                        struct error *err) MUST_CHECK;
/* End the judge and free the replay; takes NULL. */
void replay_close(struct replay *replay);

#endif
