#include <stdlib.h>

#include "core/base/osc52.h"
#include "core/system/file.h"
#include "tui/app/app_state.h"
#include "tui/term/clipboard.h"

/* What is in sight goes to a file, or to the clipboard as the terminal can reach it. */

static void save_copy(struct app *app, const char *path, const struct strbuf *text)
{
    struct error err = {0};

    if (file_write(path, strbuf_cstr(text), text->len, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    else
        chrome_say(&app->chrome, ROLE_GOOD, "%zu bytes into %s", text->len, path);
}

static void copy_by_terminal(struct app *app, const struct strbuf *text)
{
    struct strbuf sequence = {0};

    osc52_add_copy(&sequence, strbuf_cstr(text), text->len);
    term_write(app->term, strbuf_cstr(&sequence), sequence.len);
    strbuf_release(&sequence);
    chrome_say(&app->chrome, ROLE_GOOD,
               "%zu bytes to the terminal's clipboard; :copy FILE saves them", text->len);
}

static void copy_by_tmux(struct app *app, const struct strbuf *text)
{
    struct error err = {0};

    if (clipboard_give_tmux(strbuf_cstr(text), text->len, &err))
        chrome_say(&app->chrome, ROLE_BAD, "%s", err.text);
    else
        chrome_say(&app->chrome, ROLE_GOOD, "%zu bytes copied", text->len);
}

static void add_copy(struct app *app, struct strbuf *text)
{
    struct screen *top = app_top(app);
    struct panel_body body = app_body(app);

    if (top->ops->copy && !app->chrome.overlay.kind)
        top->ops->copy(top, text);
    else
        panel_body_add_text(&body, text);
}

void app_copy(struct app *app, const char *path)
{
    struct strbuf text = {0};

    add_copy(app, &text);
    if (*path)
        save_copy(app, path, &text);
    else if (!app->term)
        chrome_say(&app->chrome, ROLE_BAD, "copying needs a terminal; :copy FILE does not");
    else if (getenv("TMUX"))
        copy_by_tmux(app, &text);
    else
        copy_by_terminal(app, &text);
    strbuf_release(&text);
}
