#ifndef TUI_WIDGETS_SCENE_H
#define TUI_WIDGETS_SCENE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A scene is a situation in a session that needs panes of its own: a candidate waits to be kept, a
 * build failed. One table says which panes a scene has, in which column and how high; layout.c
 * turns it into rectangles. Steps and Candidates are left of these columns, in the same place in
 * every scene.
 */

enum pane {
    PANE_STEPS,
    PANE_CANDIDATES,
    PANE_KERNEL,
    PANE_DIAGNOSTICS,
    PANE_CORRECTNESS,
    PANE_PROFILE,
    PANE_AGENTS,
    PANE_COUNT
};

enum scene {
    SCENE_NONE,
    SCENE_OVERVIEW,  /* no step yet */
    SCENE_PROMPT,    /* a prompt, and the reply to it while it arrives */
    SCENE_CANDIDATE, /* a kernel that is not judged yet */
    SCENE_BUILD,     /* a kernel that could not be built */
    SCENE_WRONG,     /* a kernel that ran and failed: wrong values, a crash */
    SCENE_PROFILE,   /* a correct kernel and its times */
    SCENE_KEEP,      /* whether to keep a correct kernel: its changes and its verdict */
    SCENE_ADVICE,    /* a recommendation and the measurements behind it */
    SCENE_COUNT
};

/* The arrangements of a scene by the size of the screen. */
enum scene_size {
    SCENE_NARROW, /* two columns: the middle and the right one */
    SCENE_WIDE,   /* a wide screen, with room for more panes */
    SCENE_FLAT,   /* three columns of few lines */
    SCENE_SIZES
};

enum { SCENE_COLUMNS = 3, SCENE_PLACES = 6 };

/* The place of a pane in an arrangement. */
struct scene_place {
    enum pane pane;
    size_t column; /* from 0 */
    /* share of the column's height, relative to the other panes in it; 0 ends the list */
    int share;
};

struct scene_arrangement {
    int first; /* width of the first column in percent; other columns share the rest */
    struct scene_place places[SCENE_PLACES]; /* from top to bottom; the last has no share */
};

/* The arrangement of a scene; of the overview for SCENE_NONE.  Static. */
const struct scene_arrangement *scene_arrangement(enum scene scene, enum scene_size size);

/* The number of columns at a size. */
size_t scene_columns(enum scene_size size);

/* The pane that the scene is about. */
enum pane scene_subject(enum scene scene);

/* True if the scene shows the pane at every size that has several panes. */
bool scene_has(enum scene scene, enum pane pane);

/* The word at the prompt that lets the scene follow the step. */
#define SCENE_FOLLOW "follow"

/* The name at the prompt: "keep"; scene_parse() returns SCENE_NONE for an unknown one. */
const char *scene_name(enum scene scene);
enum scene scene_parse(const char *name);

#endif
