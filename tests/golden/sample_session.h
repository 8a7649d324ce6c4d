#ifndef TESTS_GOLDEN_SAMPLE_SESSION_H
#define TESTS_GOLDEN_SAMPLE_SESSION_H

#include "tui/panels/view_model.h"

/*
 * An invented session for pictures of the screen, labelled as such: a softmax whose first version
 * was kept, then a faster one that was kept, one that was vetoed, and one at the stage that the
 * caller selects. All texts are in memory; the numbers are invented.
 */
enum sample_session_stage {
    SAMPLE_STREAMING,    /* the model is sending its reply */
    SAMPLE_BUILD_FAILED, /* the build failed */
    SAMPLE_WRONG,        /* it built, but the values at the edge of a tile are wrong */
    SAMPLE_KEEP,         /* it is correct and faster; the engineer decides whether to keep it */
    SAMPLE_ROUND,        /* as SAMPLE_KEEP, but chosen from three answers, and with a profile */
};

struct sample_session;

struct sample_session *sample_session_new(enum sample_session_stage stage);
void sample_session_free(struct sample_session *sample);

/* The session's view model, borrowed; a test may change it. */
struct view_model *sample_session_scene(struct sample_session *sample);

/* The session itself, for a test that adds events. */
struct session *sample_session_session(struct sample_session *sample);

/* Replace the part of the reply that the agent has sent. */
void sample_session_say(struct sample_session *sample, const char *text);

#endif
