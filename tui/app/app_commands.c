#include "tui/app/app_commands.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/file.h"
#include "tui/app/app_leaving.h"
#include "tui/app/copy.h"
#include "tui/frame/completion.h"
#include "tui/screens/screen_live.h"
#include "tui/screens/screen_replay.h"
#include "tui/screens/screen_review.h"
#include "tui/screens/screen_sessions.h"
#include "tui/screens/suite/screen_inbox.h"
#include "tui/screens/suite/screen_suites.h"

static void use_theme(struct app *app, const struct theme *theme)
{
    app->theme = *theme;
    if (app->term)
        term_redraw(app->term);
}

static void set_theme(struct app *app, const char *name)
{
    struct theme theme = theme_builtin();
    struct error err = {0};

    if (theme_load(name, &theme, &err))
        chrome_say_error(&app->chrome, &err);
    else
        use_theme(app, &theme);
}

/* While the engineer types ":theme NAME", the screen shows that theme. */
static void preview(void *data, const char *line)
{
    struct app *app = data;
    struct theme theme = theme_builtin();
    struct call call;
    bool is_theme = !call_parse(line, &call, NULL) && call.row->command == COMMAND_THEME &&
                    !theme_load(call.argument, &theme, NULL);

    if (is_theme)
        use_theme(app, &theme);
    else if (app->is_previewing)
        use_theme(app, &app->kept_theme);
    app->is_previewing = is_theme;
}

static void end_preview(void *data)
{
    preview(data, "");
}

/*
 * The list or text that scrolls and is searched: that of an open overlay, else that of the screen.
 */
static struct panel_body body_of(struct app *app)
{
    struct screen *top = app_top(app);
    const struct panel_body overlay = {.text = &app->chrome.overlay.page.view};

    return app->chrome.overlay.kind ? overlay : top->ops->body(top);
}

static void handle_prompt(struct app *app, enum prompt_line_state state)
{
    const struct screen_prompt *prompt = app->prompt;
    void *data = app->prompt_data;
    char *text = mem_strdup(prompt_line_text(app->chrome.prompt));

    if (state != PROMPT_LINE_EDITING)
        app_close_prompt(app);
    if (state == PROMPT_LINE_EDITING && prompt->changed)
        prompt->changed(data, text);
    else if (state == PROMPT_LINE_ENTERED)
        prompt->entered(data, text);
    else if (state == PROMPT_LINE_LEFT && prompt->left)
        prompt->left(data);
    free(text);
}

static void enter_command(void *data, const char *line)
{
    struct app *app = data;
    struct error err = {0};
    struct call call;

    end_preview(app);
    if (!*line)
        return;
    if (call_parse(line, &call, &err))
        chrome_say_error(&app->chrome, &err);
    else
        app_call(app, &call);
}

void app_ask_for_command(struct app *app, const char *begun)
{
    static const struct screen_prompt prompt = {
        .line = {.history = "commands", .complete = completion_of_command},
        .entered = enter_command,
        .changed = preview,
        .left = end_preview,
    };

    app_ask(app, &prompt, app, ":", begun);
}

static void find(struct app *app, int direction)
{
    struct screen *top = app_top(app);
    struct panel_body body = body_of(app);

    if (chrome_find(&app->chrome, &body, direction) && body.list && top->ops->selected)
        top->ops->selected(top);
}

static void search(void *data, const char *text)
{
    struct app *app = data;

    pattern_set(&app->chrome.search, text);
    find(app, 0);
}

static void leave_search(void *data)
{
    struct app *app = data;

    pattern_set(&app->chrome.search, "");
}

static void filter(void *data, const char *text)
{
    struct panel_body body = body_of(data);

    pattern_set(panel_body_filter(&body), text);
}

static void enter_filter(void *data, const char *text)
{
    struct app *app = data;
    const char *trouble;

    filter(app, text);
    trouble = body_of(app).trouble;
    if (trouble && *trouble)
        chrome_say(&app->chrome, ROLE_BAD, "filter: %s", trouble);
}

static void leave_filter(void *data)
{
    filter(data, "");
}

static void search_or_ask(struct app *app, const char *text)
{
    static const struct screen_prompt prompt = {.line = {.history = "searches"},
                                                .entered = search,
                                                .changed = search,
                                                .left = leave_search};

    if (*text)
        search(app, text);
    else
        app_ask(app, &prompt, app, "/", "");
}

static void filter_or_ask(struct app *app, const char *text)
{
    static const struct screen_prompt prompt = {.line = {.history = "searches"},
                                                .entered = enter_filter,
                                                .changed = filter,
                                                .left = leave_filter};

    if (*text)
        enter_filter(app, text);
    else
        app_ask(app, &prompt, app, "\\", "");
}

unsigned app_contexts(const struct app *app)
{
    return CONTEXT_ALWAYS | app_top(app)->ops->contexts(app_top(app));
}

void app_run_row(struct app *app, const struct keymap_row *row, bool needs_argument)
{
    const struct call call = {.row = row, .argument = ""};
    struct strbuf begun = {0};

    if (needs_argument) {
        strbuf_addf(&begun, "%s ", row->name);
        app_ask_for_command(app, strbuf_cstr(&begun));
    } else {
        app_call(app, &call);
    }
    strbuf_release(&begun);
}

void app_take_choice(struct app *app, const struct keymap_row *row)
{
    palette_close(&app->chrome.palette);
    if (row)
        app_run_row(app, row, row->argument != ARGUMENT_NONE);
}

static void handle_palette(struct app *app, struct key key)
{
    enum palette_state state = palette_key(&app->chrome.palette, key);

    if (state == PALETTE_CHOSEN)
        app_take_choice(app, palette_choice(&app->chrome.palette));
    else if (state == PALETTE_LEFT)
        palette_close(&app->chrome.palette);
}

static void turn_mouse(struct app *app, const char *argument)
{
    (void)argument;
    if (app->term)
        chrome_say(&app->chrome, ROLE_TEXT, "the mouse now %s",
                   term_turn_mouse(app->term) ? "works in the panes"
                                              : "selects text in the terminal");
}

static void about(struct app *app, const char *argument)
{
    const struct driver *driver = app->live ? screen_live_driver(app->live) : NULL;
    const struct device_info *device = driver ? driver_device(driver) : NULL;

    (void)argument;
    if (device) {
        app->chrome.judge.len = 0;
        strbuf_addf(&app->chrome.judge, "judge: %s\n%s: %s, %s, %s", driver_libraries(driver),
                    device->id, device->name, device->platform, device->compiler);
    }
    overlay_open(&app->chrome.overlay, OVERLAY_ABOUT);
}

/* After a command the terminal waits for Enter, so that its output can be read. */
static void run_shell(struct app *app, const char *command)
{
    static const char and_wait[] =
        "\"$1\" -c \"$2\"; printf '\\n[press Enter to return] '; read -r _";
    const char *own = getenv("SHELL"), *shell = own && *own ? own : "sh";
    const char *const alone[] = {shell, NULL};
    const char *const one[] = {"sh", "-c", and_wait, "sh", shell, command, NULL};
    struct error err = {0};

    if (!app->term)
        chrome_say(&app->chrome, ROLE_BAD, "shell: there is no terminal to run it in");
    else if (term_run(app->term, *command ? one : alone, &err))
        chrome_say_error(&app->chrome, &err);
}

static void save_screen_to(struct app *app, const char *path)
{
    free(app->screen_path);
    app->screen_path = *path ? mem_strdup(path) : NULL;
    if (!*path)
        chrome_say(&app->chrome, ROLE_BAD, "screen: name a file that ends in .txt, .ansi or .svg");
}

static void open_sessions(struct app *app, const char *argument)
{
    struct error err = {0};

    (void)argument;
    if (screen_sessions_open(&app->host, &err))
        chrome_say_error(&app->chrome, &err);
}

static void open_suites(struct app *app, const char *argument)
{
    struct error err = {0};

    (void)argument;
    if (screen_suites_open(&app->host, &err))
        chrome_say_error(&app->chrome, &err);
}

static void open_inbox(struct app *app, const char *argument)
{
    struct error err = {0};

    (void)argument;
    if (screen_inbox_open(&app->host, &err))
        chrome_say_error(&app->chrome, &err);
}

static void open_review(struct app *app, const char *session)
{
    struct error err = {0};

    if (screen_review_open(&app->host, *session ? session : NULL, NULL, &err))
        chrome_say_error(&app->chrome, &err);
}

/* Without an argument, replay the open session up to now. */
static void open_replay(struct app *app, const char *session)
{
    struct error err = {0};

    if (!*session && app->live)
        session = driver_session(screen_live_driver(app->live))->id;
    if (screen_replay_open(&app->host, session, 0, &err))
        chrome_say_error(&app->chrome, &err);
}

static void copy(struct app *app, const char *path)
{
    struct screen *top = app_top(app);
    struct panel_body body = body_of(app);
    struct strbuf text = {0};

    if (top->ops->copy && !app->chrome.overlay.kind)
        top->ops->copy(top, &text);
    else
        panel_body_add_text(&body, &text);
    copy_text(&text, path, app->term, &app->chrome);
    strbuf_release(&text);
}

static bool move(struct app *app, enum screen_command command)
{
    struct screen *top = app_top(app);
    struct panel_body body = top->ops->body(top);

    if (!panel_body_move(&body, command))
        return false;
    if (body.list && top->ops->selected)
        top->ops->selected(top);
    return true;
}

static void redraw(struct app *app, const char *argument)
{
    (void)argument;
    if (app->term)
        term_redraw(app->term);
}

static void suspend(struct app *app, const char *argument)
{
    (void)argument;
    if (app->term)
        term_suspend(app->term);
}

static void help(struct app *app, const char *argument)
{
    (void)argument;
    overlay_open(&app->chrome.overlay, OVERLAY_HELP);
}

static void legend(struct app *app, const char *argument)
{
    (void)argument;
    overlay_open(&app->chrome.overlay, OVERLAY_LEGEND);
}

static void messages(struct app *app, const char *argument)
{
    (void)argument;
    overlay_open(&app->chrome.overlay, OVERLAY_MESSAGES);
}

static void palette(struct app *app, const char *argument)
{
    (void)argument;
    palette_open(&app->chrome.palette, app_contexts(app));
}

static void find_next(struct app *app, const char *argument)
{
    (void)argument;
    find(app, 1);
}

static void find_previous(struct app *app, const char *argument)
{
    (void)argument;
    find(app, -1);
}

static void interrupt(struct app *app, const char *argument)
{
    (void)argument;
    chrome_say(&app->chrome, ROLE_TEXT, "nothing is running");
}

/* The commands that work the same on every screen, except scrolling, which move() does. */
static const struct {
    enum screen_command command;
    void (*run)(struct app *app, const char *argument);
} bindings[] = {
    {COMMAND_HELP, help},
    {COMMAND_LEGEND, legend},
    {COMMAND_MESSAGES, messages},
    {COMMAND_ABOUT, about},
    {COMMAND_PALETTE, palette},
    {COMMAND_PROMPT, app_ask_for_command},
    {COMMAND_SEARCH, search_or_ask},
    {COMMAND_SEARCH_NEXT, find_next},
    {COMMAND_SEARCH_PREVIOUS, find_previous},
    {COMMAND_FILTER, filter_or_ask},
    {COMMAND_COPY, copy},
    {COMMAND_SCREEN, save_screen_to},
    {COMMAND_THEME, set_theme},
    {COMMAND_MOUSE, turn_mouse},
    {COMMAND_REDRAW, redraw},
    {COMMAND_SHELL, run_shell},
    {COMMAND_SUSPEND, suspend},
    {COMMAND_SESSIONS, open_sessions},
    {COMMAND_REVIEW, open_review},
    {COMMAND_SUITES, open_suites},
    {COMMAND_INBOX, open_inbox},
    {COMMAND_REPLAY, open_replay},
    {COMMAND_INTERRUPT, interrupt},
    {COMMAND_BACK, app_leaving_back},
    {COMMAND_QUIT, app_leaving_quit},
};

static bool call_anywhere(struct app *app, const struct call *call)
{
    for (size_t i = 0; i < COUNT(bindings); i++) {
        if (bindings[i].command != call->row->command)
            continue;
        bindings[i].run(app, call->argument);
        return true;
    }
    return move(app, call->row->command);
}

static void call_screen(struct app *app, const struct call *call)
{
    struct screen *top = app_top(app);
    bool is_covered = app->chrome.overlay.kind != OVERLAY_NONE;

    if (call->row->command == COMMAND_INTERRUPT && app_leaving_interrupt(app))
        return;
    if (overlay_command(&app->chrome.overlay, call->row->command))
        return;
    if ((is_covered || !top->ops->command(top, call)) && !call_anywhere(app, call))
        chrome_say(&app->chrome, ROLE_WARNING, "%s: %s", call->row->name,
                   is_covered ? "first close the window that is open here, by Escape"
                              : "this screen has no such command");
}

void app_call(struct app *app, const struct call *call)
{
    bool is_file = call->row->argument == ARGUMENT_FILE;
    char *argument = is_file ? file_expand_home(call->argument) : mem_strdup(call->argument);
    struct call expanded = *call;

    expanded.argument = argument;
    call_screen(app, &expanded);
    free(argument);
}

void app_key(struct app *app, struct key key)
{
    struct call call;

    message_read(&app->chrome.messages);
    if (app->prompt)
        handle_prompt(app, prompt_line_key(app->chrome.prompt, key));
    else if (app->chrome.palette.line)
        handle_palette(app, key);
    else if (keymap_find(&app->chrome.keymap, key, app_contexts(app), &call))
        app_call(app, &call);
    app_answered(app);
}

void app_paste(struct app *app, const char *text, size_t len)
{
    if (app->prompt) {
        prompt_line_insert(app->chrome.prompt, text, len);
        handle_prompt(app, PROMPT_LINE_EDITING);
    } else if (app_top(app)->ops->paste) {
        app_top(app)->ops->paste(app_top(app), text, len);
    }
    app_answered(app);
}
