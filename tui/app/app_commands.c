#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "tui/app/app_state.h"
#include "tui/frame/completion.h"

/* Within which a second `q` leaves. */
enum { LEAVING_US = 2 * 1000000 };

static void leave(struct app *app)
{
    int64_t now = clock_now_us();

    if (app->screen_count > 1) {
        app_pop(app);
        return;
    }
    if (now < app->leaving_us || app->failure.code || !app->driver ||
        app->view_model.session->now.stage == STAGE_CLOSED) {
        loop_stop(app->loop);
        return;
    }
    app->leaving_us = now + LEAVING_US;
    chrome_say(&app->chrome, ROLE_WARNING,
               driver_can_resume(app->driver)
                   ? "q again leaves; the session can be resumed"
                   : "q again leaves; what it is resumed from was removed or replaced");
}

/* Themes. */

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
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    else
        use_theme(app, &theme);
}

/* While a theme's name is being typed, the screen shows what it would be like. */
static void preview(struct app *app, const char *line)
{
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

static void end_preview(struct app *app)
{
    preview(app, "");
}

struct panel_body app_body(struct app *app)
{
    struct screen *top = app_top(app);
    const struct panel_body overlay = {.text = &app->chrome.overlay.page.view};

    return app->chrome.overlay.kind ? overlay : top->ops->body(top);
}

/* The prompt. */

void app_ask(struct app *app, const struct app_prompt *prompt, const char *label, const char *text)
{
    app->prompt = prompt;
    app->kept_theme = app->theme;
    chrome_ask(&app->chrome, &prompt->line, "%s", label);
    prompt_line_insert(app->chrome.prompt, text, strlen(text));
}

static void close_prompt(struct app *app)
{
    app->prompt = NULL;
    chrome_close_prompt(&app->chrome);
}

static void handle_prompt(struct app *app, enum prompt_line_state state)
{
    const struct app_prompt *prompt = app->prompt;
    char *text = mem_strdup(prompt_line_text(app->chrome.prompt));

    if (state != PROMPT_LINE_EDITING)
        close_prompt(app);
    if (state == PROMPT_LINE_EDITING && prompt->changed)
        prompt->changed(app, text);
    else if (state == PROMPT_LINE_ENTERED)
        prompt->entered(app, text);
    else if (state == PROMPT_LINE_LEFT && prompt->left)
        prompt->left(app);
    free(text);
}

static void enter_command(struct app *app, const char *line)
{
    struct error err = {0};
    struct call call;

    end_preview(app);
    if (!*line)
        return;
    if (call_parse(line, &call, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    else
        app_call(app, &call);
}

void app_ask_for_command(struct app *app, const char *begun)
{
    static const struct app_prompt prompt = {
        .line = {.history = "commands", .complete = completion_of_command},
        .entered = enter_command,
        .changed = preview,
        .left = end_preview,
    };

    app_ask(app, &prompt, ":", begun);
}

static void find(struct app *app, int direction)
{
    struct screen *top = app_top(app);
    struct panel_body body = app_body(app);

    if (chrome_find(&app->chrome, &body, direction) && body.list && top->ops->selected)
        top->ops->selected(top);
}

static void search(struct app *app, const char *text)
{
    pattern_set(&app->chrome.search, text);
    find(app, 0);
}

static void leave_search(struct app *app)
{
    pattern_set(&app->chrome.search, "");
}

static void filter(struct app *app, const char *text)
{
    struct panel_body body = app_body(app);

    pattern_set(panel_body_filter(&body), text);
}

static void leave_filter(struct app *app)
{
    filter(app, "");
}

static void search_or_ask(struct app *app, const char *text)
{
    static const struct app_prompt prompt = {.line = {.history = "searches"},
                                             .entered = search,
                                             .changed = search,
                                             .left = leave_search};

    if (*text)
        search(app, text);
    else
        app_ask(app, &prompt, "/", "");
}

static void filter_or_ask(struct app *app, const char *text)
{
    static const struct app_prompt prompt = {.line = {.history = "searches"},
                                             .entered = filter,
                                             .changed = filter,
                                             .left = leave_filter};

    if (*text)
        filter(app, text);
    else
        app_ask(app, &prompt, "\\", "");
}

/* The palette. */

static void take_choice(struct app *app)
{
    const struct keymap_row *row = palette_choice(&app->chrome.palette);
    struct call call = {.row = row, .argument = ""};
    struct strbuf begun = {0};

    palette_close(&app->chrome.palette);
    if (row && row->argument != ARGUMENT_NONE) {
        strbuf_addf(&begun, "%s ", row->name);
        app_ask_for_command(app, strbuf_cstr(&begun));
    } else if (row) {
        app_call(app, &call);
    }
    strbuf_release(&begun);
}

static void handle_palette(struct app *app, struct key key)
{
    enum palette_state state = palette_key(&app->chrome.palette, key);

    if (state == PALETTE_CHOSEN)
        take_choice(app);
    else if (state == PALETTE_LEFT)
        palette_close(&app->chrome.palette);
}

/* The mouse. */

static void turn_mouse(struct app *app)
{
    if (app->term)
        chrome_say(&app->chrome, ROLE_TEXT, "the mouse is %s",
                   term_turn_mouse(app->term) ? "for the panes"
                                              : "the terminal's: it selects text");
}

void app_mouse(struct app *app, struct mouse mouse)
{
    struct screen *top = app_top(app);

    message_read(&app->chrome.messages);
    if (!app->prompt && !app->chrome.palette.line && !app->chrome.overlay.kind)
        top->ops->mouse(top, &app->canvas, mouse);
    app_changed(app);
}

/* Commands. */

static void about(struct app *app)
{
    const struct device_info *device = app->driver ? driver_device(app->driver) : NULL;

    if (device) {
        app->chrome.judge.len = 0;
        strbuf_addf(&app->chrome.judge, "judge: %s\n%s: %s, %s, %s", driver_libraries(app->driver),
                    device->id, device->name, device->platform, device->compiler);
    }
    overlay_open(&app->chrome.overlay, OVERLAY_ABOUT);
}

/* What a command says can be read before the screen comes back. */
static void run_shell(struct app *app, const char *command)
{
    static const char and_wait[] = "\"$1\" -c \"$2\"; printf '\\n[Enter goes back] '; read -r _";
    const char *own = getenv("SHELL"), *shell = own && *own ? own : "sh";
    const char *const alone[] = {shell, NULL};
    const char *const one[] = {"sh", "-c", and_wait, "sh", shell, command, NULL};
    struct error err = {0};

    if (!app->term)
        chrome_say(&app->chrome, ROLE_BAD, "a shell needs a terminal");
    else if (term_run(app->term, *command ? one : alone, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

static void save_screen_to(struct app *app, const char *path)
{
    free(app->screen_path);
    app->screen_path = *path ? mem_strdup(path) : NULL;
    if (!*path)
        chrome_say(&app->chrome, ROLE_BAD, "screen: into which file? .txt, .ansi or .svg");
}

static void open_sessions(struct app *app, const char *argument)
{
    struct error err = {0};

    (void)argument;
    if (screen_sessions_open(app, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

static void open_review(struct app *app, const char *session)
{
    struct error err = {0};

    if (screen_review_open(app, *session ? session : NULL, NULL, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

/* Without an argument, the session at work is told so far. */
static void open_replay(struct app *app, const char *session)
{
    struct error err = {0};

    if (!*session && app->driver && app->view_model.session->id)
        session = app->view_model.session->id;
    if (screen_replay_open(app, session, 0, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
}

static bool call_with_text(struct app *app, const struct call *call)
{
    static const struct {
        enum screen_command command;
        void (*run)(struct app *app, const char *argument);
    } rows[] = {
        {COMMAND_SEARCH, search_or_ask},
        {COMMAND_FILTER, filter_or_ask},
        {COMMAND_COPY, app_copy},
        {COMMAND_SCREEN, save_screen_to},
        {COMMAND_THEME, set_theme},
        {COMMAND_SHELL, run_shell},
        {COMMAND_PROMPT, app_ask_for_command},
        {COMMAND_SESSIONS, open_sessions},
        {COMMAND_REVIEW, open_review},
        {COMMAND_REPLAY, open_replay},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].command != call->row->command)
            continue;
        rows[i].run(app, call->argument);
        return true;
    }
    return false;
}

static unsigned contexts_of(const struct app *app)
{
    return CONTEXT_ALWAYS | app_top(app)->ops->contexts(app_top(app));
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

static bool call_terminal(struct app *app, enum screen_command command)
{
    if (command == COMMAND_MOUSE)
        turn_mouse(app);
    else if (command == COMMAND_REDRAW && app->term)
        term_redraw(app->term);
    else if (command == COMMAND_SUSPEND && app->term)
        term_suspend(app->term);
    return command == COMMAND_MOUSE || command == COMMAND_REDRAW || command == COMMAND_SUSPEND;
}

/* What is the same on every screen. */
static bool call_anywhere(struct app *app, const struct call *call)
{
    switch ((int)call->row->command) {
    case COMMAND_HELP:
        overlay_open(&app->chrome.overlay, OVERLAY_HELP);
        return true;
    case COMMAND_MESSAGES:
        overlay_open(&app->chrome.overlay, OVERLAY_MESSAGES);
        return true;
    case COMMAND_ABOUT:
        about(app);
        return true;
    case COMMAND_PALETTE:
        palette_open(&app->chrome.palette, contexts_of(app));
        return true;
    case COMMAND_SEARCH_NEXT:
        find(app, 1);
        return true;
    case COMMAND_SEARCH_PREVIOUS:
        find(app, -1);
        return true;
    case COMMAND_INTERRUPT:
        chrome_say(&app->chrome, ROLE_TEXT, "nothing runs; q leaves");
        return true;
    case COMMAND_QUIT:
        leave(app);
        return true;
    default:
        return call_terminal(app, call->row->command) || call_with_text(app, call) ||
               move(app, call->row->command);
    }
}

static void call_screen(struct app *app, const struct call *call)
{
    struct screen *top = app_top(app);
    bool is_covered = app->chrome.overlay.kind != OVERLAY_NONE;

    if (overlay_command(&app->chrome.overlay, call->row->command))
        return;
    if ((is_covered || !top->ops->command(top, call)) && !call_anywhere(app, call))
        chrome_say(&app->chrome, ROLE_WARNING, "%s: not on this screen", call->row->name);
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
    else if (keymap_find(&app->chrome.keymap, key, contexts_of(app), &call))
        app_call(app, &call);
    app_answered(app);
}

void app_paste(struct app *app, const char *text, size_t len)
{
    if (app->prompt) {
        prompt_line_insert(app->chrome.prompt, text, len);
        handle_prompt(app, PROMPT_LINE_EDITING);
    } else if (app_top(app) == &app->live) {
        app_take_reply(app, text, len);
    }
    app_answered(app);
}
