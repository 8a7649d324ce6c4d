#ifndef TUI_WIDGETS_LAYOUT_H
#define TUI_WIDGETS_LAYOUT_H

#include "tui/term/canvas.h"
#include "tui/widgets/scene.h"

/*
 * The places of the panes and bars on a screen of a given size: the columns of a scene if there is
 * room, else one pane at a time; the smallest screens have a single line.
 */

enum layout_kind {
    LAYOUT_LINE,    /* a smaller screen: one line that says that it is too small */
    LAYOUT_SMALL,   /* from 40x8: one pane without a border, one line below it */
    LAYOUT_SINGLE,  /* from 60x16: one pane with a strip of tabs */
    LAYOUT_FLAT,    /* from 160x16: four columns */
    LAYOUT_COLUMNS, /* from 110x30: three columns */
    LAYOUT_WIDE,    /* from 160x40: three columns with more panes */
};

/* The pane that takes the keys, and the scene around it. */
struct layout_focus {
    enum pane pane;
    enum scene scene; /* scene of the step in view */
    /* the scene that the engineer pinned; SCENE_NONE: the scene of the step is shown */
    enum scene pinned;
    /* a pane that is shown although the scene does not have it; PANE_STEPS: none */
    enum pane guest;
    bool is_full;       /* show the pane alone */
    bool is_unnumbered; /* digits do not choose panes here, so titles and tabs show none */
};

/* Rectangles on the screen. The width of a part that is not shown is 0. */
struct layout {
    enum layout_kind kind;
    struct rect panes[PANE_COUNT];
    struct rect header;
    struct rect tabs;
    struct rect bar;     /* the decision bar: two lines */
    struct rect message; /* messages and the prompt */
    struct rect status;
};

/* Lay out a screen of `w` columns and `h` lines. */
struct layout layout_of(int w, int h, const struct layout_focus *focus);

/* The scene that is shown. */
enum scene layout_scene(const struct layout_focus *focus);

/* Show another scene; the pane with the focus stays visible. */
void layout_set_scene(struct layout_focus *focus, enum scene scene);

/* Give the focus to a pane and make it visible until the scene changes. */
void layout_focus_pane(struct layout_focus *focus, enum pane pane);

/* The name of a pane in titles and tabs: "Steps".  Static. */
const char *layout_pane_name(enum pane pane);

/* Draw the border of a pane, if the layout has borders, and return the area inside. */
struct area layout_open_pane(const struct layout *layout, struct canvas *canvas, enum pane pane,
                             enum role border, const char *title);

/* Draw the strip of tabs. */
void layout_draw_tabs(const struct layout *layout, struct canvas *canvas,
                      const struct layout_focus *focus);

/* The pane whose tab is at column `x` of the strip; PANE_COUNT behind the last tab. */
enum pane layout_tab_at(const struct layout *layout, const struct layout_focus *focus, int x);

#endif
