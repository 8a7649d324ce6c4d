#ifndef TESTS_GOLDEN_STORY_H
#define TESTS_GOLDEN_STORY_H

#include "tui/scene.h"

/*
 * A session made up for pictures of the screen, and labelled so: softmax with
 * a first version that was kept, a faster one that was kept too, one that was
 * vetoed, and one at a stage of its way.  The texts are in memory; the numbers
 * are invented.
 */
enum story_stage {
    STORY_STREAMING,    /* the next reply is coming in */
    STORY_BUILD_FAILED, /* it did not build */
    STORY_WRONG,        /* it built, and is wrong at the edge of a tile */
    STORY_KEEP,         /* it is right and faster: to be kept? */
    STORY_ROUND,        /* the same, chosen from three answers, and a profiler has looked */
};

struct story;

struct story *story_new(enum story_stage stage);
void story_free(struct story *story);

/* Borrowed from the story; the test may change what is in view. */
struct scene *story_scene(struct story *story);

/* For a test that carries the story on. */
struct session *story_session(struct story *story);

/* Replace what the agent is saying. */
void story_say(struct story *story, const char *text);

#endif
