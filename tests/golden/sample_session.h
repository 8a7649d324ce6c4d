#ifndef TESTS_GOLDEN_SAMPLE_SESSION_H
#define TESTS_GOLDEN_SAMPLE_SESSION_H

#include "tui/panels/view_model.h"

/*
 * A session made up for pictures of the screen, and labelled so: softmax with
 * a first version that was kept, a faster one that was kept too, one that was
 * vetoed, and one at a stage of its way.  The texts are in memory; the numbers
 * are invented.
 */
enum sample_session_stage {
    STORY_STREAMING,    /* the next reply is coming in */
    STORY_BUILD_FAILED, /* it did not build */
    STORY_WRONG,        /* it built, and is wrong at the edge of a tile */
    STORY_KEEP,         /* it is right and faster: to be kept? */
    STORY_ROUND,        /* the same, chosen from three answers, and a profiler has looked */
};

struct sample_session;

struct sample_session *sample_session_new(enum sample_session_stage stage);
void sample_session_free(struct sample_session *story);

/* Borrowed from the story; the test may change what is in view. */
struct view_model *sample_session_scene(struct sample_session *story);

/* For a test that carries the story on. */
struct session *sample_session_session(struct sample_session *story);

/* Replace what the agent is saying. */
void sample_session_say(struct sample_session *story, const char *text);

#endif
