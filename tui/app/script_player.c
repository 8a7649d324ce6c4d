#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"
#include "tui/app/app_state.h"
#include "tui/term/screenshot.h"

/* A text or an event that has not come by then does not come. */
enum { PATIENCE_US = 30 * 1000000 };

static void fail_at(struct app *app, const struct script_line *line, const char *why)
{
    struct error err = {0};

    error_set(&err, STATUS_INVALID, "%s:%u: %s", app->script.path, line->number, why);
    app_fail(app, &err);
}

static bool is_on_screen(const struct app *app, const char *wanted)
{
    struct strbuf text = {0};
    bool is_there;

    screenshot_text(&app->canvas, &text);
    is_there = strstr(strbuf_cstr(&text), wanted) != NULL;
    strbuf_release(&text);
    return is_there;
}

static bool take_event(struct app *app, enum event_type type)
{
    bool is_heard = app->heard & 1U << type;

    if (is_heard)
        app->heard = 0;
    return is_heard;
}

static void press(struct app *app, const char *keys)
{
    while (*keys) {
        size_t len = strcspn(keys, " ");

        app_key(app, key_parse(keys, len));
        keys += len;
        keys += strspn(keys, " ");
    }
}

static void type(struct app *app, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        struct key key = {.input = INPUT_TEXT};
        size_t taken = utf8_decode(text, len, &key.code);

        app_key(app, key);
        text += taken;
        len -= taken;
    }
}

static void command(struct app *app, const struct script_line *line)
{
    struct error err = {0};
    struct call call;

    if (call_parse(line->text, &call, &err))
        fail_at(app, line, err.text);
    else
        app_call(app, &call);
}

/* Return whether the line is done; one that waits is tried again after the next frame. */
static bool carry_out(struct app *app, const struct script_line *line)
{
    switch (line->verb) {
    case SCRIPT_WAIT:
        return is_on_screen(app, line->text);
    case SCRIPT_EVENT:
        return take_event(app, line->event);
    case SCRIPT_PRESS:
        press(app, line->text);
        break;
    case SCRIPT_TYPE:
        type(app, line->text);
        break;
    case SCRIPT_RESIZE:
        app->size = (struct rect){.w = line->size.w, .h = line->size.h};
        break;
    case SCRIPT_COMMAND:
        command(app, line);
        break;
    }
    return true;
}

static void give_up(void *data)
{
    struct app *app = data;
    const struct script_line *line = script_next(&app->script);
    struct strbuf why = {0};

    strbuf_addf(&why, "never came: %s; the screen is\n", line->text);
    screenshot_text(&app->canvas, &why);
    fputs(strbuf_cstr(&why), stderr);
    fail_at(app, line, "waited in vain");
    strbuf_release(&why);
}

void app_play(struct app *app)
{
    const struct script_line *line = script_next(&app->script);

    if (!line) {
        if (app->script.path && !app->term)
            loop_stop(app->loop);
        return;
    }
    if (!carry_out(app, line)) {
        if (!app->patience.is_set)
            loop_set_timer(app->loop, &app->patience, PATIENCE_US, give_up, app);
        return;
    }
    loop_clear_timer(app->loop, &app->patience);
    app->script.next++;
    app_changed(app);
}
