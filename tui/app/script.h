#ifndef TUI_APP_SCRIPT_H
#define TUI_APP_SCRIPT_H

#include "core/session/state/event.h"
#include "tui/keys/key.h"

/*
 * A key script: what an engineer would do at the screen, so that the program
 * can play it.  Tests and pictures of the screen come from the same scripts.
 * A line is one of
 *
 *	# a comment
 *	wait TEXT         until the text is on the screen
 *	event NAME        until such an event (step.proposed) was heard since the last such line
 *	press KEY...      keys as key files write them: a C-d Enter
 *	type TEXT         each character as a key
 *	resize WxH        as if the terminal had that size
 *	:COMMAND          as at the prompt
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
    const char *text; /* what follows the verb; in the script's text */
    unsigned number;  /* in the file, from 1 */
    union {
        enum event_type event;
        struct {
            int w, h;
        } size;
    };
};

/* All zeros is a script that has been played. */
struct script {
    char *path;
    char *text;
    struct script_line *items;
    size_t count, capacity;
    size_t next; /* the line that comes next */
};

/* The error names the line.  On failure `script` stays empty. */
enum status script_read(struct script *script, const char *path, struct error *err) MUST_CHECK;
void script_release(struct script *script);

/* The line that comes next; NULL at the end. */
const struct script_line *script_next(const struct script *script);

#endif
