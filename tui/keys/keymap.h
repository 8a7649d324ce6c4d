#ifndef TUI_KEYS_KEYMAP_H
#define TUI_KEYS_KEYMAP_H

#include "core/base/status.h"
#include "tui/keys/key.h"

/*
 * The commands of the screen, in one table, from which come the keys, the
 * `:` prompt with its completion, the palette, the help overlay and whatever
 * else lists commands.
 *
 * A keymap is what the keys mean: at first what the table says, and after
 * keymap_read() what the user's file says.  A key file has lines such as
 *
 *	[kernel]
 *	D = :diff
 *	C-t = :theme light
 *	x = none
 *
 * where the name in brackets is a context; before the first it is `always`.
 */

enum screen_command {
    COMMAND_NONE,
    COMMAND_START,
    COMMAND_DEVICE,
    COMMAND_AGENT,
    COMMAND_PRESET,
    COMMAND_LIMITS,
    COMMAND_PROBLEM,
    COMMAND_TOLERANCE,
    COMMAND_PLAY,
    COMMAND_SPEED,    /* `number`: 1 faster, -1 slower */
    COMMAND_BY_STEP,  /* `number`: 1 on, -1 back */
    COMMAND_BY_EVENT, /* the same */
    COMMAND_TENTH,    /* by its key, or the argument */
    COMMAND_STEP,
    COMMAND_MARK,
    COMMAND_FORK,
    COMMAND_OPEN_SESSION,
    COMMAND_REPLAY,
    COMMAND_EXPORT,
    COMMAND_ADVICE, /* of the session that is selected */
    COMMAND_SESSIONS,
    COMMAND_REVIEW,
    COMMAND_FIELD, /* `number`: an enum review_field */
    COMMAND_ORDER,
    COMMAND_JUMP,
    COMMAND_ACCEPT,
    COMMAND_EDIT,
    COMMAND_VETO,
    COMMAND_RETRY,
    COMMAND_RUN_ON,
    COMMAND_END_RUN,
    COMMAND_UNDO,
    COMMAND_REDO,
    COMMAND_PAUSE,
    COMMAND_INTERRUPT,
    COMMAND_SAY,
    COMMAND_ATTACH,
    COMMAND_POLICY,
    COMMAND_SWITCH,
    COMMAND_PANE, /* `number`: the pane's, from 1 */
    COMMAND_NEXT_PANE,
    COMMAND_PREVIOUS_PANE,
    COMMAND_FULL,
    COMMAND_DIFF,
    COMMAND_SPLIT,
    COMMAND_BASE,
    COMMAND_WRAP,
    COMMAND_PLAN,
    COMMAND_LISTING, /* `number`: the place in candidate_query_forms */
    COMMAND_SANITIZE,
    COMMAND_LESS_CONTEXT,
    COMMAND_MORE_CONTEXT,
    COMMAND_NEXT_PLACE,
    COMMAND_PREVIOUS_PLACE,
    COMMAND_SECTION,
    COMMAND_OPEN,
    COMMAND_COMPARE,
    COMMAND_BRANCH,
    COMMAND_TAG,
    COMMAND_HOTTEST,
    COMMAND_UP,
    COMMAND_DOWN,
    COMMAND_LEFT,
    COMMAND_RIGHT,
    COMMAND_TOP,
    COMMAND_BOTTOM,
    COMMAND_HALF_UP,
    COMMAND_HALF_DOWN,
    COMMAND_SEARCH,
    COMMAND_SEARCH_NEXT,
    COMMAND_SEARCH_PREVIOUS,
    COMMAND_FILTER,
    COMMAND_COPY,
    COMMAND_PROMPT,
    COMMAND_PALETTE,
    COMMAND_HELP,
    COMMAND_MESSAGES,
    COMMAND_ABOUT,
    COMMAND_SCREEN,
    COMMAND_THEME,
    COMMAND_MOUSE,
    COMMAND_REDRAW,
    COMMAND_SHELL,
    COMMAND_SUSPEND,
    COMMAND_QUIT,
};

/* Where a command means something, as bits. */
enum context {
    CONTEXT_ALWAYS = 1,
    CONTEXT_WAITING = 2, /* a step waits for its decision */
    CONTEXT_RUNNING = 4, /* an activity is under way */
    CONTEXT_KERNEL = 8,  /* the Kernel pane has the focus */
    CONTEXT_CANDIDATES = 16,
    CONTEXT_START = 32,  /* the first screen */
    CONTEXT_REPLAY = 64, /* a session is told again */
    CONTEXT_PROFILE = 128,
    CONTEXT_LIVE = 256,      /* a session is at work, or waits */
    CONTEXT_POLICY = 512,    /* the menu of policies is open */
    CONTEXT_SESSIONS = 1024, /* the list of sessions */
    CONTEXT_REVIEW = 2048,   /* the recommendations */
    CONTEXT_PANES = 4096,    /* the panes of a session, at work or told again */
};

/* What may follow a command's name at the `:` prompt. */
enum argument {
    ARGUMENT_NONE,
    ARGUMENT_TEXT,
    ARGUMENT_FILE,
    ARGUMENT_THEME,
    ARGUMENT_POLICY, /* a kind of step, and who decides on it */
    ARGUMENT_RUN,    /* until when policies decide */
    ARGUMENT_TOOL,   /* a sanitizer's */
};

struct keymap_row {
    const char *name;
    const char *keys; /* names as key_parse() reads them, separated by blanks; "" for none */
    const char *help;
    enum context context;
    enum screen_command command;
    int number;
    enum argument argument;
};

/* Ended by a row without a name. */
extern const struct keymap_row keymap_table[];

/* The row of a command: the first, where several numbers make several rows. */
const struct keymap_row *keymap_row_of(enum screen_command command);

/* A command with what followed its name, perhaps nothing; borrows both. */
struct call {
    const struct keymap_row *row;
    const char *argument;
    struct key key; /* that was pressed; all zeros: it was typed */
};

/* Read a command line, without the colon. */
enum status call_parse(const char *line, struct call *call, struct error *err) MUST_CHECK;

/* One key. */
struct key_binding {
    struct key key;
    enum context context;
    const struct keymap_row *row; /* NULL: the key means nothing */
    char *argument;
};

/* The later a binding, the more it counts. */
struct keymap {
    struct key_binding *items;
    size_t count, capacity;
};

/* Bind the keys of the table; `keymap` must be empty. */
void keymap_fill(struct keymap *keymap);
void keymap_release(struct keymap *keymap);

/* Bind the keys of a user's file too.  On failure, which names the line, the keymap stays. */
enum status keymap_read(struct keymap *keymap, const char *path, struct error *err) MUST_CHECK;

/* What the key means in the contexts, if anything. */
bool keymap_find(const struct keymap *keymap, struct key key, unsigned contexts, struct call *call);

/* Append the keys that call a command without an argument, separated by blanks. */
void keymap_add_keys(const struct keymap *keymap, const struct keymap_row *row, struct strbuf *out);

/* Contexts in the order in which the help overlay has them, ended by one without a name. */
struct keymap_context {
    enum context context;
    const char *name;
    const char *title; /* "while a step waits" */
};

extern const struct keymap_context keymap_contexts[];

#endif
