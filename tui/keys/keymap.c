#include "tui/keys/keymap.h"

#include <stdio.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/system/file.h"

enum { KEYS_MAX_BYTES = 1 << 20 };

/* clang-format off */
const struct keymap_row keymap_table[] = {
    {"start",         "Enter",      "start with the selected problem",  CONTEXT_START, COMMAND_START, 0, 0},
    {"device",        "d",          "switch to the next device",        CONTEXT_START, COMMAND_DEVICE, 0, 0},
    {"agent",         "a",          "choose an agent: openai:MODEL, ...", CONTEXT_START, COMMAND_AGENT, 0, ARGUMENT_TEXT},
    {"preset",        "p",          "who decides: guided, manual, auto", CONTEXT_START, COMMAND_PRESET, 0, 0},
    {"limits",        "b",          "attempts and budget: usd 2, minutes 30", CONTEXT_START, COMMAND_LIMITS, 0, ARGUMENT_TEXT},
    {"problem",       "o",          "open a problem file of your own",    CONTEXT_START, COMMAND_PROBLEM, 0, ARGUMENT_FILE},
    {"tolerance",     "t",          "f32 or mixed, for the next PyTorch file", CONTEXT_START, COMMAND_TOLERANCE, 0, ARGUMENT_TEXT},
    {"select",        "Space",      "mark it for a suite, or not",      CONTEXT_START, COMMAND_SELECT, 0, 0},
    {"run-suite",     "s",          "run the marked problems as a suite, N times", CONTEXT_START, COMMAND_RUN_SUITE, 0, ARGUMENT_TEXT},
    {"switch",        "Space Enter", "switch between you and policy",   CONTEXT_POLICY, COMMAND_SWITCH, 0, 0},
    {"play",          "Space",      "play, or stop playing",            CONTEXT_REPLAY, COMMAND_PLAY, 0, 0},
    {"next-step",     "Right",      "go to the result of the next step", CONTEXT_REPLAY, COMMAND_BY_STEP, 1, 0},
    {"previous-step", "Left",       "go to the result of the previous step", CONTEXT_REPLAY, COMMAND_BY_STEP, -1, 0},
    {"next-event",    ".",          "go to the next event",             CONTEXT_REPLAY, COMMAND_BY_EVENT, 1, 0},
    {"previous-event", ",",         "go to the previous event",         CONTEXT_REPLAY, COMMAND_BY_EVENT, -1, 0},
    {"faster",        ">",          "play twice as fast",               CONTEXT_REPLAY, COMMAND_SPEED, 1, 0},
    {"slower",        "<",          "play at half the speed",           CONTEXT_REPLAY, COMMAND_SPEED, -1, 0},
    {"tenth",         "0 1 2 3 4 5 6 7 8 9", "jump to that many tenths of the time", CONTEXT_REPLAY, COMMAND_TENTH, 0, ARGUMENT_TEXT},
    {"step",          "",           "go to the result of step N",       CONTEXT_REPLAY, COMMAND_STEP, 0, ARGUMENT_TEXT},
    {"mark",          "x",          "mark here; at another point: compare", CONTEXT_REPLAY, COMMAND_MARK, 0, 0},
    {"fork",          "b",          "fork: continue live from this step", CONTEXT_REPLAY, COMMAND_FORK, 0, 0},
    {"open-session",  "Enter",      "resume it, or replay it",     CONTEXT_SESSIONS, COMMAND_OPEN_SESSION, 0, 0},
    {"replay",        "r",          "replay it, or :replay SESSION",     CONTEXT_SESSIONS | CONTEXT_CLOSED, COMMAND_REPLAY, 0, ARGUMENT_TEXT},
    {"branch-off",    "b",          "choose a step to fork from",       CONTEXT_SESSIONS, COMMAND_FORK, 0, 0},
    {"export",        "e",          "write its best kernel to files",   CONTEXT_SESSIONS | CONTEXT_CLOSED, COMMAND_EXPORT, 0, ARGUMENT_FILE},
    {"advice",        "v",          "list its recommendations",         CONTEXT_SESSIONS, COMMAND_ADVICE, 0, 0},
    {"sort",          "o",          "sort by time, speed, cost",        CONTEXT_SESSIONS, COMMAND_ORDER, 0, 0},
    {"open-suite",    "Enter",      "open it, or :open-suite SUITE",    CONTEXT_SUITES, COMMAND_OPEN_SUITE, 0, ARGUMENT_TEXT},
    {"open-task",     "Enter",      "open its session, the most urgent one", CONTEXT_SUITE | CONTEXT_INBOX, COMMAND_OPEN_TASK, 0, 0},
    {"resume-suite",  "r",          "continue the suite in the background", CONTEXT_SUITE | CONTEXT_SUITES, COMMAND_RESUME_SUITE, 0, 0},
    {"sort-rows",     "o",          "sort by state, speed, share, tries, cost", CONTEXT_SUITE, COMMAND_ORDER, 0, ARGUMENT_TEXT},
    {"group",         "b",          "group by problem, arm, state, device", CONTEXT_SUITE, COMMAND_GROUP, 0, ARGUMENT_TEXT},
    {"only-state",    "v",          "show one state only; again: the next one", CONTEXT_SUITE, COMMAND_SHOWN, 0, ARGUMENT_TEXT},
    {"next-decision", "J",          "go to the next decision",          CONTEXT_INBOX, COMMAND_NEXT_DECISION, 1, 0},
    {"previous-decision", "K",      "go to the previous decision",      CONTEXT_INBOX, COMMAND_NEXT_DECISION, -1, 0},
    {"go-to-step",    "Enter",      "go to the step in its session",    CONTEXT_REVIEW, COMMAND_JUMP, 0, 0},
    {"tag",           "t",          "show one tag only; again: the next tag", CONTEXT_REVIEW, COMMAND_FIELD, 0, ARGUMENT_TEXT},
    {"on-device",     "d",          "show one device only",             CONTEXT_REVIEW, COMMAND_FIELD, 1, ARGUMENT_TEXT},
    {"of-problem",    "p",          "show one problem only",            CONTEXT_REVIEW, COMMAND_FIELD, 2, ARGUMENT_TEXT},
    {"order",         "o",          "sort by time, promise, gain, share kept",   CONTEXT_REVIEW, COMMAND_ORDER, 0, 0},
    {"only",          "v",          "show unreviewed, reviewed, starred, noted, kept", CONTEXT_REVIEW, COMMAND_SHOWN, 0, ARGUMENT_TEXT},
    {"star",          "*",          "star it, or remove the star",      CONTEXT_REVIEW, COMMAND_STAR, 0, 0},
    {"reviewed",      "r Space",    "mark it as reviewed, or not",      CONTEXT_REVIEW, COMMAND_REVIEWED, 0, 0},
    {"remark",        "c",          "write a note on it",               CONTEXT_REVIEW, COMMAND_REMARK, 0, ARGUMENT_TEXT},
    {"write",         "e",          "write these to FILE.md or FILE.json", CONTEXT_REVIEW, COMMAND_EXPORT, 1, ARGUMENT_FILE},
    {"accept",        "a",          "accept the proposal",              CONTEXT_WAITING, COMMAND_ACCEPT, 0, 0},
    {"edit",          "e",          "edit it in $EDITOR, then accept it", CONTEXT_WAITING, COMMAND_EDIT, 0, 0},
    {"veto",          "v",          "refuse it and say why",            CONTEXT_WAITING, COMMAND_VETO, 0, ARGUMENT_TEXT},
    {"retry",         "r",          "ask again, with an instruction",   CONTEXT_WAITING, COMMAND_RETRY, 0, ARGUMENT_TEXT},
    {"run-on",        "A",          "accept; policy decides for a while", CONTEXT_WAITING, COMMAND_RUN_ON, 0, ARGUMENT_RUN},
    {"pause",         "Space",      "stop after this step",             CONTEXT_RUNNING, COMMAND_PAUSE, 0, 0},
    {"end-run",       "A",          "decide yourself again",            CONTEXT_RUNNING, COMMAND_END_RUN, 0, 0},
    {"undo",          "u",          "undo your last decision",          CONTEXT_LIVE, COMMAND_UNDO, 0, 0},
    {"redo",          "U",          "redo the decision you undid",      CONTEXT_LIVE, COMMAND_REDO, 0, 0},
    {"interrupt",     "C-c",        "cancel this activity; again: quit", CONTEXT_ALWAYS, COMMAND_INTERRUPT, 0, 0},
    {"say",           "",           "add a note to the next prompt",       CONTEXT_LIVE, COMMAND_SAY, 0, ARGUMENT_TEXT},
    {"attach",        "",           "attach a file to the next analysis", CONTEXT_LIVE, COMMAND_ATTACH, 0, ARGUMENT_FILE},
    {"watch",         "W",          "judge a file at each save; :watch off", CONTEXT_LIVE, COMMAND_WATCH, 0, ARGUMENT_TEXT},
    {"policy",        "P",          "who decides; or :policy keep auto", CONTEXT_LIVE, COMMAND_POLICY, 0, ARGUMENT_POLICY},
    {"language",      "",           "write another language from now on", CONTEXT_LIVE, COMMAND_LANGUAGE, 0, ARGUMENT_LANGUAGE},
    {"diff",          "d",          "show the source or the difference", CONTEXT_KERNEL, COMMAND_DIFF, 0, 0},
    {"split",         "s",          "one column, or side by side",      CONTEXT_KERNEL, COMMAND_SPLIT, 0, 0},
    {"wrap",          "w",          "wrap long lines",                  CONTEXT_KERNEL, COMMAND_WRAP, 0, 0},
    {"plan",          "p",          "show the kernel, its plan, the reference", CONTEXT_KERNEL, COMMAND_PLAN, 0, 0},
    {"base",          "m",          "compare with best, parent, or :base N",    CONTEXT_KERNEL, COMMAND_BASE, 0, ARGUMENT_TEXT},
    {"ptx",           "i",          "show its PTX, and back",           CONTEXT_KERNEL, COMMAND_PTX, 0, 0},
    {"sass",          "I",          "show its machine code, and back",  CONTEXT_KERNEL, COMMAND_SASS, 0, 0},
    {"sanitize",      "z",          "run a sanitizer: memcheck, ...",         CONTEXT_KERNEL, COMMAND_SANITIZE, 0, ARGUMENT_TOOL},
    {"less-context",  "{",          "fewer lines around changes",       CONTEXT_KERNEL, COMMAND_LESS_CONTEXT, 0, 0},
    {"more-context",  "}",          "more lines around changes",        CONTEXT_KERNEL, COMMAND_MORE_CONTEXT, 0, 0},
    {"compare",       "c",          "compare the last kernel with this one", CONTEXT_CANDIDATES, COMMAND_COMPARE, 0, 0},
    {"mark-candidate", "m",         "mark it; at another one: compare both", CONTEXT_CANDIDATES, COMMAND_MARK_CANDIDATE, 0, 0},
    {"columns",       "C",          "next columns, or :columns speedup registers", CONTEXT_CANDIDATES, COMMAND_COLUMNS, 0, ARGUMENT_TEXT},
    {"sort-by",       "o",          "sort by the next column, or :sort-by NAME", CONTEXT_CANDIDATES, COMMAND_SORT_BY, 0, ARGUMENT_TEXT},
    {"reverse",       "O",          "sort the other way round",         CONTEXT_CANDIDATES, COMMAND_REVERSE, 0, 0},
    {"name",          "t",          "give this candidate a name",       CONTEXT_CANDIDATES, COMMAND_TAG, 0, ARGUMENT_TEXT},
    {"branch",        "b",          "fork a new session from here",            CONTEXT_LIVE, COMMAND_BRANCH, 0, 0},
    {"hottest",       "H",          "go to the hottest kernel",               CONTEXT_PROFILE, COMMAND_HOTTEST, 0, 0},
    {"counters",      "c",          "profile this candidate: read its counters", CONTEXT_PROFILE, COMMAND_COUNTERS, 0, 0},
    {"axis",          "X",          "trajectory: by attempt, or by time", CONTEXT_PROFILE, COMMAND_AXIS, 0, 0},
    {"thinking",      "t",          "unfold what the model thinks, and fold it", CONTEXT_AGENTS, COMMAND_THINKING, 0, 0},
    {"trajectory",    "T",          "speed of all attempts, and back",  CONTEXT_PANES, COMMAND_TRAJECTORY, 0, 0},
    {"picture",       "V",          "show the picture of a profiler",   CONTEXT_PANES, COMMAND_PICTURE, 0, 0},
    {"open",          "Enter",      "open what this row points to",     CONTEXT_PANES, COMMAND_OPEN, 0, 0},
    {"next-place",    "]",          "next change, message, mismatch, answer", CONTEXT_ALWAYS, COMMAND_NEXT_PLACE, 0, 0},
    {"previous-place", "[",         "previous change, message or mismatch", CONTEXT_ALWAYS, COMMAND_PREVIOUS_PLACE, 0, 0},
    {"section",       "o",          "go to the next section of this pane", CONTEXT_PANES, COMMAND_SECTION, 0, 0},
    {"steps",         "1",          "go to the Steps pane",             CONTEXT_PANES, COMMAND_PANE, 1, 0},
    {"candidates",    "2",          "go to the Candidates pane",        CONTEXT_PANES, COMMAND_PANE, 2, 0},
    {"kernel",        "3",          "go to the Kernel pane",            CONTEXT_PANES, COMMAND_PANE, 3, 0},
    {"diagnostics",   "4",          "go to the Diagnostics pane",       CONTEXT_PANES, COMMAND_PANE, 4, 0},
    {"correctness",   "5",          "go to the Correctness pane",       CONTEXT_PANES, COMMAND_PANE, 5, 0},
    {"profile",       "6",          "go to the Profile pane",           CONTEXT_PANES, COMMAND_PANE, 6, 0},
    {"agents",        "7",          "go to the Agents pane",            CONTEXT_PANES, COMMAND_PANE, 7, 0},
    {"next-pane",     "Tab",        "go to the next pane",              CONTEXT_ALWAYS, COMMAND_NEXT_PANE, 0, 0},
    {"previous-pane", "S-Tab",      "go to the previous pane",          CONTEXT_ALWAYS, COMMAND_PREVIOUS_PANE, 0, 0},
    {"full",          "f",          "show this pane alone, and back",   CONTEXT_PANES, COMMAND_FULL, 0, 0},
    {"layout",        "F",          "pin the layout; again: it follows the step", CONTEXT_PANES, COMMAND_LAYOUT, 0, ARGUMENT_LAYOUT},
    {"up",            "k Up",       "go up a line",                     CONTEXT_ALWAYS, COMMAND_UP, 0, 0},
    {"down",          "j Down",     "go down a line",                   CONTEXT_ALWAYS, COMMAND_DOWN, 0, 0},
    {"left",          "h Left",     "scroll left",                      CONTEXT_ALWAYS, COMMAND_LEFT, 0, 0},
    {"right",         "l Right",    "scroll right",                     CONTEXT_ALWAYS, COMMAND_RIGHT, 0, 0},
    {"top",           "g Home",     "go to the first line",             CONTEXT_ALWAYS, COMMAND_TOP, 0, 0},
    {"bottom",        "G End",      "go to the last line",              CONTEXT_ALWAYS, COMMAND_BOTTOM, 0, 0},
    {"half-up",       "C-u PageUp", "go up half a pane",                CONTEXT_ALWAYS, COMMAND_HALF_UP, 0, 0},
    {"half-down",     "C-d PageDown", "go down half a pane",            CONTEXT_ALWAYS, COMMAND_HALF_DOWN, 0, 0},
    {"search",        "/",          "search this pane for a text",      CONTEXT_ALWAYS, COMMAND_SEARCH, 0, ARGUMENT_TEXT},
    {"search-next",   "n",          "go to the next match",             CONTEXT_ALWAYS, COMMAND_SEARCH_NEXT, 0, 0},
    {"search-previous", "N",        "go to the previous match",         CONTEXT_ALWAYS, COMMAND_SEARCH_PREVIOUS, 0, 0},
    {"filter",        "\\",         "show only lines with a text; empty: all", CONTEXT_ALWAYS, COMMAND_FILTER, 0, ARGUMENT_TEXT},
    {"copy",          "y",          "copy this pane, or write it to a file",   CONTEXT_ALWAYS, COMMAND_COPY, 0, ARGUMENT_FILE},
    {"prompt",        ":",          "type a command",                   CONTEXT_ALWAYS, COMMAND_PROMPT, 0, 0},
    {"palette",       "C-p",        "choose a command from a list",     CONTEXT_ALWAYS, COMMAND_PALETTE, 0, 0},
    {"help",          "?",          "show this list",                   CONTEXT_ALWAYS, COMMAND_HELP, 0, 0},
    {"legend",        "L",          "show what the marks mean",         CONTEXT_ALWAYS, COMMAND_LEGEND, 0, 0},
    {"messages",      "",           "show all messages so far",         CONTEXT_ALWAYS, COMMAND_MESSAGES, 0, 0},
    {"about",         "",           "show versions: kforge, libraries, judge", CONTEXT_ALWAYS, COMMAND_ABOUT, 0, 0},
    {"sessions",      "S",          "list all sessions",                CONTEXT_ALWAYS, COMMAND_SESSIONS, 0, 0},
    {"review",        "R",          "list recommendations, or :review SESSION",    CONTEXT_ALWAYS, COMMAND_REVIEW, 0, ARGUMENT_TEXT},
    {"suites",        "B",          "list all suites",                  CONTEXT_ALWAYS, COMMAND_SUITES, 0, 0},
    {"inbox",         "D",          "decide what waits, in all suites", CONTEXT_ALWAYS, COMMAND_INBOX, 0, 0},
    {"screen",        "",           "save the screen: .txt .ansi .svg", CONTEXT_ALWAYS, COMMAND_SCREEN, 0, ARGUMENT_FILE},
    {"theme",         "",           "change the colours",               CONTEXT_ALWAYS, COMMAND_THEME, 0, ARGUMENT_THEME},
    {"mouse",         "M",          "turn the mouse off or on",           CONTEXT_ALWAYS, COMMAND_MOUSE, 0, 0},
    {"redraw",        "C-l",        "redraw the screen",                CONTEXT_ALWAYS, COMMAND_REDRAW, 0, 0},
    {"shell",         "!",          "open a shell, or :shell COMMAND",  CONTEXT_ALWAYS, COMMAND_SHELL, 0, ARGUMENT_TEXT},
    {"suspend",       "C-z",        "suspend kforge; fg resumes it",    CONTEXT_ALWAYS, COMMAND_SUSPEND, 0, 0},
    {"back",          "Escape",     "close what is open, or go back a screen", CONTEXT_ALWAYS, COMMAND_BACK, 0, 0},
    {"quit",          "q",          "go back; from the first screen, leave", CONTEXT_ALWAYS, COMMAND_QUIT, 0, 0},
    {0},
};
/* clang-format on */

const struct keymap_context keymap_contexts[] = {
    {CONTEXT_START, "start", "on the start screen"},
    {CONTEXT_SESSIONS, "sessions", "in the list of sessions"},
    {CONTEXT_REVIEW, "review", "in the list of recommendations"},
    {CONTEXT_SUITE, "suite", "in the table of a suite"},
    {CONTEXT_SUITES, "suites", "in the list of suites"},
    {CONTEXT_INBOX, "inbox", "in the inbox of decisions"},
    {CONTEXT_REPLAY, "replay", "while a session is replayed"},
    {CONTEXT_WAITING, "waiting", "while a step waits for you"},
    {CONTEXT_RUNNING, "running", "while an activity runs"},
    {CONTEXT_LIVE, "live", "in a session"},
    {CONTEXT_CLOSED, "closed", "in a closed session"},
    {CONTEXT_POLICY, "policy", "in the policy menu"},
    {CONTEXT_ALWAYS, "always", "always"},
    {CONTEXT_PANES, "panes", "in any pane"},
    {CONTEXT_KERNEL, "kernel", "in the Kernel pane"},
    {CONTEXT_CANDIDATES, "candidates", "in the Candidates pane"},
    {CONTEXT_PROFILE, "profile", "in the Profile pane"},
    {CONTEXT_AGENTS, "agents", "in the Agents pane"},
    {0},
};

const struct keymap_row *keymap_row_of(enum screen_command command)
{
    const struct keymap_row *row = keymap_table;

    while (row->name && row->command != command)
        row++;
    return row;
}

const struct keymap_row *keymap_row_named(const char *name)
{
    const struct keymap_row *row = keymap_table;

    while (row->name && strcmp(row->name, name) != 0)
        row++;
    return row;
}

int keymap_index(const struct keymap_row *row)
{
    return (int)(row - keymap_table);
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

enum status call_parse(const char *line, struct call *call, struct error *err)
{
    const char *name = skip_blanks(line);
    size_t len = strcspn(name, " \t");

    if (*name == '!') { /* as in vi and less: run a shell command */
        *call =
            (struct call){.row = keymap_row_of(COMMAND_SHELL), .argument = skip_blanks(name + 1)};
        return STATUS_OK;
    }
    for (const struct keymap_row *row = keymap_table; row->name; row++) {
        if (strlen(row->name) != len || memcmp(row->name, name, len) != 0)
            continue;
        *call = (struct call){.row = row, .argument = skip_blanks(name + len)};
        if (*call->argument && row->argument == ARGUMENT_NONE)
            return error_set(err, STATUS_INVALID, "%s takes no argument", row->name);
        return STATUS_OK;
    }
    return error_set(err, STATUS_INVALID, "no command \"%.*s\": Tab lists them", (int)len, name);
}

static void bind(struct keymap *keymap, struct key key, unsigned context, const struct call *call)
{
    struct key_binding binding = {.key = key,
                                  .context = context,
                                  .row = call ? call->row : NULL,
                                  .argument = mem_strdup(call ? call->argument : "")};

    vec_push(keymap, binding);
}

static void bind_row(struct keymap *keymap, const struct keymap_row *row)
{
    const struct call call = {.row = row, .argument = ""};

    for (const char *keys = row->keys; *keys; keys = skip_blanks(keys + strcspn(keys, " ")))
        bind(keymap, key_parse(keys, strcspn(keys, " ")), row->context, &call);
}

/* Binds from the last row to the first, because the last binding of a key counts. */
void keymap_fill(struct keymap *keymap)
{
    const struct keymap_row *row = keymap_table;

    while (row->name)
        row++;
    while (row-- > keymap_table)
        bind_row(keymap, row);
}

static void cut(struct keymap *keymap, size_t count)
{
    while (keymap->count > count)
        free(keymap->items[--keymap->count].argument);
}

void keymap_release(struct keymap *keymap)
{
    cut(keymap, 0);
    vec_release(keymap);
}

static enum status read_context(const char *line, enum context *context, struct error *err)
{
    size_t len = strcspn(line, "]");

    for (const struct keymap_context *row = keymap_contexts; row->name; row++) {
        if (strlen(row->name) == len && memcmp(row->name, line, len) == 0) {
            *context = row->context;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_INVALID, "no context \"%.*s\": write one such as always or kernel",
                     (int)len, line);
}

static enum status read_binding(struct keymap *keymap, const char *line, enum context context,
                                struct error *err)
{
    size_t len = strcspn(line, " \t");
    struct key key = key_parse(line, len);
    const char *meaning = skip_blanks(line + len);
    struct call call = {0};
    enum status st;

    if (!key.input)
        return error_set(err, STATUS_INVALID,
                         "no key \"%.*s\": write one such as a, C-d, Enter or PageDown", (int)len,
                         line);
    if (*meaning != '=')
        return error_set(err, STATUS_INVALID, "expected \"%.*s = :command\"", (int)len, line);
    meaning = skip_blanks(meaning + 1);
    if (strcmp(meaning, "none") == 0) {
        bind(keymap, key, context, NULL);
        return STATUS_OK;
    }
    if (*meaning != ':')
        return error_set(err, STATUS_INVALID, "expected \":command\" or \"none\", not \"%s\"",
                         meaning);
    st = call_parse(meaning + 1, &call, err);
    if (!st)
        bind(keymap, key, context, &call);
    return st;
}

/* Cuts `text` into strings, one for each line. */
static enum status read_lines(struct keymap *keymap, const char *path, char *text,
                              struct error *err)
{
    enum context context = CONTEXT_ALWAYS;
    struct error why = {0};

    for (unsigned number = 1; text; number++) {
        const char *line = skip_blanks(strsep(&text, "\n"));
        enum status st = STATUS_OK;

        if (*line == '[')
            st = read_context(line + 1, &context, &why);
        else if (*line && *line != '#')
            st = read_binding(keymap, line, context, &why);
        if (st)
            return error_set(err, st, "%s:%u: %s", path, number, why.text);
    }
    return STATUS_OK;
}

enum status keymap_read(struct keymap *keymap, const char *path, struct error *err)
{
    struct strbuf text = {0};
    size_t count = keymap->count;
    enum status st = file_read(path, KEYS_MAX_BYTES, &text, err);

    if (!st && text.len)
        st = read_lines(keymap, path, text.data, err);
    if (st)
        cut(keymap, count);
    strbuf_release(&text);
    return st;
}

bool keymap_find(const struct keymap *keymap, struct key key, unsigned contexts, struct call *call)
{
    for (size_t i = keymap->count; i-- > 0;) {
        const struct key_binding *binding = &keymap->items[i];

        if (!(binding->context & contexts) || !key_equals(binding->key, key))
            continue;
        *call = (struct call){.row = binding->row, .argument = binding->argument, .key = key};
        return binding->row != NULL;
    }
    return false;
}

/* True if the key still calls the row's command, and without an argument. */
static bool is_key_of(const struct keymap *keymap, const struct key_binding *binding,
                      const struct keymap_row *row)
{
    struct call call;

    return binding->row == row && !*binding->argument &&
           keymap_find(keymap, binding->key, binding->context, &call) && call.row == row;
}

/* True if `key` is the character that follows `before`, as 4 follows 3. */
static bool is_next(struct key key, struct key before)
{
    return key.input == INPUT_TEXT && before.input == INPUT_TEXT && !key.modifiers &&
           !before.modifiers && key.code == before.code + 1;
}

/* Append "1", "1 2" or, for more than two keys, "1-7". */
static void add_run(struct key first, struct key last, struct strbuf *out)
{
    key_format(first, out);
    if (key_equals(first, last))
        return;
    strbuf_adds(out, is_next(last, first) ? " " : "-");
    key_format(last, out);
}

void keymap_add_keys(const struct keymap *keymap, const struct keymap_row *row, struct strbuf *out)
{
    struct key first = {0}, last = {0};

    for (size_t i = 0; i < keymap->count; i++) {
        const struct key_binding *binding = &keymap->items[i];

        if (!is_key_of(keymap, binding, row))
            continue;
        if (first.input && !is_next(binding->key, last)) {
            add_run(first, last, out);
            strbuf_adds(out, " ");
        }
        if (!first.input || !is_next(binding->key, last))
            first = binding->key;
        last = binding->key;
    }
    if (first.input)
        add_run(first, last, out);
}

const char *keymap_key(const struct keymap *keymap, const struct keymap_row *row,
                       char text[KEYMAP_KEY_SIZE])
{
    struct strbuf keys = {0};

    if (keymap)
        keymap_add_keys(keymap, row, &keys);
    else
        strbuf_adds(&keys, row->keys);
    if (keys.len)
        snprintf(text, KEYMAP_KEY_SIZE, "%.*s", (int)strcspn(strbuf_cstr(&keys), " "),
                 strbuf_cstr(&keys));
    else
        snprintf(text, KEYMAP_KEY_SIZE, ":%s", row->name);
    strbuf_release(&keys);
    return text;
}

const char *keymap_key_of(const struct keymap *keymap, enum screen_command command,
                          char text[KEYMAP_KEY_SIZE])
{
    return keymap_key(keymap, keymap_row_of(command), text);
}
