#ifndef TUI_KEYS_KEYMAP_H
#define TUI_KEYS_KEYMAP_H

#include "core/base/status.h"
#include "tui/keys/key.h"

/*
 * All commands of the screen, in one table. From it kforge makes the keys, the `:` prompt and its
 * completion, the palette, the help, the manual page and the completions for shells.
 *
 * A keymap assigns commands to keys: those of the table, and after keymap_read() also those of the
 * user's file, which take precedence. A key file has lines such as
 *
 * [kernel] D = :diff C-t = :theme light x = none
 *
 * where the name in brackets is a context. The lines above the first name are in `always`.
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
    COMMAND_BY_STEP,  /* `number`: 1 forward, -1 back */
    COMMAND_BY_EVENT, /* `number`: 1 forward, -1 back */
    COMMAND_TENTH,    /* the digit is the key, or the argument at the prompt */
    COMMAND_STEP,
    COMMAND_MARK,
    COMMAND_FORK,
    COMMAND_OPEN_SESSION,
    COMMAND_SELECT,     /* mark a problem for a suite */
    COMMAND_RUN_SUITE,  /* run a suite of the marked problems */
    COMMAND_OPEN_SUITE, /* the selected suite, or the named one */
    COMMAND_RESUME_SUITE,
    COMMAND_OPEN_TASK, /* the session of the selected row */
    COMMAND_GROUP,
    COMMAND_NEXT_DECISION, /* `number`: 1 next, -1 previous */
    COMMAND_SUITES,
    COMMAND_INBOX,
    COMMAND_REPLAY,
    COMMAND_EXPORT,
    COMMAND_ADVICE, /* the recommendations of the selected session */
    COMMAND_SESSIONS,
    COMMAND_REVIEW,
    COMMAND_FIELD, /* `number`: an enum review_field */
    COMMAND_ORDER,
    COMMAND_SHOWN,
    COMMAND_STAR,
    COMMAND_REVIEWED,
    COMMAND_REMARK,
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
    COMMAND_WATCH, /* judge a kernel's file at each save */
    COMMAND_POLICY,
    COMMAND_LANGUAGE,
    COMMAND_SWITCH,
    COMMAND_PANE, /* `number`: `number` of the pane, from 1 */
    COMMAND_NEXT_PANE,
    COMMAND_PREVIOUS_PANE,
    COMMAND_FULL,
    COMMAND_LAYOUT,
    COMMAND_DIFF,
    COMMAND_SPLIT,
    COMMAND_BASE,
    COMMAND_WRAP,
    COMMAND_PLAN,
    COMMAND_PTX,
    COMMAND_SASS,
    COMMAND_SANITIZE,
    COMMAND_LESS_CONTEXT,
    COMMAND_MORE_CONTEXT,
    COMMAND_NEXT_PLACE,
    COMMAND_PREVIOUS_PLACE,
    COMMAND_SECTION,
    COMMAND_OPEN,
    COMMAND_COMPARE,
    COMMAND_MARK_CANDIDATE,
    COMMAND_COLUMNS,
    COMMAND_SORT_BY,
    COMMAND_REVERSE,
    COMMAND_BRANCH,
    COMMAND_TAG,
    COMMAND_HOTTEST,
    COMMAND_COUNTERS,
    COMMAND_TRAJECTORY,
    COMMAND_PICTURE, /* show the picture of a profiler's window */
    COMMAND_AXIS,
    COMMAND_THINKING,
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
    COMMAND_LEGEND,
    COMMAND_ABOUT,
    COMMAND_SCREEN,
    COMMAND_THEME,
    COMMAND_MOUSE,
    COMMAND_REDRAW,
    COMMAND_SHELL,
    COMMAND_SUSPEND,
    COMMAND_BACK,
    COMMAND_QUIT,
};

/* The situations in which a key calls a command, as bits. */
enum context {
    CONTEXT_ALWAYS = 1,
    CONTEXT_WAITING = 2, /* a step waits for its decision */
    CONTEXT_RUNNING = 4, /* the agent or the judge is at work */
    CONTEXT_KERNEL = 8,  /* the Kernel pane has the focus */
    CONTEXT_CANDIDATES = 16,
    CONTEXT_START = 32,  /* the start screen is shown */
    CONTEXT_REPLAY = 64, /* a session is replayed */
    CONTEXT_PROFILE = 128,
    CONTEXT_LIVE = 256,      /* a session is open and not replayed */
    CONTEXT_POLICY = 512,    /* the policy menu is open */
    CONTEXT_SESSIONS = 1024, /* the list of sessions is shown */
    CONTEXT_REVIEW = 2048,   /* the list of recommendations is shown */
    CONTEXT_PANES = 4096,    /* the panes of a session are shown, live or replayed */
    CONTEXT_AGENTS = 16384,  /* the Agents pane has the focus */
    CONTEXT_CLOSED = 8192,   /* a session is shown that is closed, and not replayed */
    CONTEXT_SUITE = 32768,   /* the table of a suite is shown */
    CONTEXT_SUITES = 65536,  /* the list of suites is shown */
    CONTEXT_INBOX = 131072,  /* the decisions that wait are shown */
};

/* The argument of a command at the `:` prompt, which completion depends on. */
enum argument {
    ARGUMENT_NONE,
    ARGUMENT_TEXT,
    ARGUMENT_FILE,
    ARGUMENT_THEME,
    ARGUMENT_LANGUAGE, /* a language of kernels, by its name */
    ARGUMENT_POLICY,   /* a kind of step and who decides on it: "keep auto" */
    ARGUMENT_RUN,      /* the limits of a run, as run_limits_parse() reads them */
    ARGUMENT_TOOL,     /* one of sanitizer_tools */
    ARGUMENT_LAYOUT,   /* the name of a scene, or "follow" */
};

struct keymap_row {
    const char *name;
    const char *keys; /* keys in the form of key_parse(), separated by blanks; "" if it has none */
    const char *help;
    unsigned context; /* enum context bits, mostly one */
    enum screen_command command;
    int number; /* distinguishes rows with the same command */
    enum argument argument;
};

/* The last row has no name. */
extern const struct keymap_row keymap_table[];

/* The first row of a command, and the row with a name. The row must exist. */
const struct keymap_row *keymap_row_of(enum screen_command command);
const struct keymap_row *keymap_row_named(const char *name);

/* The index of a row in the table. */
int keymap_index(const struct keymap_row *row);

/* A command and its argument, "" if there is none; borrows both. */
struct call {
    const struct keymap_row *row;
    const char *argument;
    struct key key; /* the key that was pressed; all zeros: typed at the prompt */
};

/* Read a command line, without its colon: "theme light". */
enum status call_parse(const char *line, struct call *call, struct error *err) MUST_CHECK;

/* A key and its command. */
struct key_binding {
    struct key key;
    unsigned context;             /* enum context bits */
    const struct keymap_row *row; /* NULL: the key calls nothing ("none") */
    char *argument;
};

/* The bindings of keys. If a key has several bindings, the last one counts. */
struct keymap {
    struct key_binding *items;
    size_t count, capacity;
};

/* Bind the keys of the table; `keymap` must be empty. */
void keymap_fill(struct keymap *keymap);
void keymap_release(struct keymap *keymap);

/* Bind the keys of a user's file too.  A failure names the line and leaves the keymap unchanged. */
enum status keymap_read(struct keymap *keymap, const char *path, struct error *err) MUST_CHECK;

/* Find the command of a key in any of the contexts (enum context bits); false if there is none. */
bool keymap_find(const struct keymap *keymap, struct key key, unsigned contexts, struct call *call);

/* Append the keys that call a command without an argument, separated by blanks: "k Up", "1-7". */
void keymap_add_keys(const struct keymap *keymap, const struct keymap_row *row, struct strbuf *out);

/*
 * The first key that calls a command without an argument, for texts that name the key; ":name" if
 * there is none. With `keymap` NULL, the keys of the table are used.
 */
enum { KEYMAP_KEY_SIZE = 32 };
const char *keymap_key(const struct keymap *keymap, const struct keymap_row *row,
                       char text[KEYMAP_KEY_SIZE]);

/* Like keymap_key(), for the first row of a command. */
const char *keymap_key_of(const struct keymap *keymap, enum screen_command command,
                          char text[KEYMAP_KEY_SIZE]);

/* The contexts in the order of the help overlay.  The last has no name. */
struct keymap_context {
    enum context context;
    const char *name;  /* in a key file */
    const char *title; /* "while a step waits for you" */
};

extern const struct keymap_context keymap_contexts[];

#endif
