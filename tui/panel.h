#ifndef TUI_PANEL_H
#define TUI_PANEL_H

#include "tui/keymap.h"
#include "tui/layout.h"
#include "tui/scene.h"

/*
 * One pane's contents.  A panel draws a scene that it does not change; what
 * it keeps is how it looks at it: what is scrolled where, which difference is
 * shown.  A command may have it ask for something beyond its pane.
 */

enum panel_wish {
    PANEL_IGNORED, /* the command means nothing here */
    PANEL_DRAWN,   /* draw again */
    PANEL_LOOK_AT_STEP,
    PANEL_LOOK_AT_ATTEMPT,
    PANEL_GO_TO_LINE, /* of the kernel */
};

struct panel_answer {
    enum panel_wish wish;
    unsigned number; /* the step, attempt or line */
};

struct panel;

struct panel_ops {
    struct panel *(*open)(void);
    void (*close)(struct panel *panel);

    void (*draw)(struct panel *panel, const struct scene *scene, struct area area);
    struct panel_answer (*command)(struct panel *panel, const struct scene *scene,
                                   enum screen_command command);

    /* Append what the title says beyond the pane's name.  NULL: nothing. */
    void (*title)(const struct panel *panel, const struct scene *scene, struct strbuf *out);

    /* Bring a line of the kernel into sight.  NULL: this panel has none. */
    void (*go_to_line)(struct panel *panel, size_t line);

    /* How many lines of the text were not in sight when it was drawn last.  NULL: not a text. */
    size_t (*hidden_lines)(const struct panel *panel);
};

/* A panel begins with this. */
struct panel {
    const struct panel_ops *ops;
};

/* By pane. */
extern const struct panel_ops *const panel_list[PANE_COUNT];

extern const struct panel_ops panel_steps, panel_candidates, panel_kernel, panel_diagnostics,
    panel_correctness, panel_profile, panel_agents;

#endif
