#ifndef TUI_APP_SCRIPT_H
#define TUI_APP_SCRIPT_H

#include "core/session/state/event.h"
#include "tui/keys/key.h"

/*
 * A key script: a file of keys and commands for the screen, which the program plays by itself.
 * Tests and screenshots are made from such scripts. A line is one of
 *
 * - `# a comment`
 * - `wait TEXT`: wait until the text is on the screen
 * - `event NAME`: until an event such as step.proposed has happened since the last event line
 * - `press KEY...`: press keys, written as in key files: a C-d Enter
 * - `type TEXT`: press a key for each character
 * - `resize WxH`: draw as if the terminal had this size
 * - `:COMMAND`: run a command as from the prompt
 */

enum script_verb {
    SCRIPT_WAIT,
    SCRIPT_EVENT,
    SCRIPT_PRESS,
    SCRIPT_TYPE,
    SCRIPT_RESIZE,
    SCRIPT_COMMAND,
};

struct script_line {
    enum script_verb verb;
    const char *text; /* the text after the verb; points into `text` of the script */
    unsigned number;  /* number of the line in the file, from 1 */
    union {
        enum event_type event;
        struct {
            int w, h;
        } size;
    };
};

/* All zeros is a script without lines. */
struct script {
    char *path;
    char *text;
    struct script_line *items;
    size_t count, capacity;
    size_t next; /* index of the next line */
};

/* Read and check a script; errors name the line.  On failure `script` does not change. */
enum status script_read(struct script *script, const char *path, struct error *err) MUST_CHECK;
void script_release(struct script *script);

/* The next line; NULL at the end. */
const struct script_line *script_next(const struct script *script);

#endif
