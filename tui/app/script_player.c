#include "tui/app/script_player.h"

#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"
#include "tui/term/screenshot.h"

enum { PATIENCE_US = 30 * 1000000 };

static void fail_at(struct script_player *player, const struct script_line *line, const char *why)
{
    struct error err = {0};

    error_set(&err, STATUS_INVALID, "%s:%u: %s", player->script.path, line->number, why);
    player->actor.failed(player->actor.data, &err);
}

static bool is_on_screen(const struct canvas *canvas, const char *wanted)
{
    struct strbuf text = {0};
    bool is_there;

    screenshot_text(canvas, &text);
    is_there = strstr(strbuf_cstr(&text), wanted) != NULL;
    strbuf_release(&text);
    return is_there;
}

static bool take_event(struct script_player *player, enum event_type type)
{
    bool is_noted = player->noted & 1U << type;

    if (is_noted)
        player->noted = 0;
    return is_noted;
}

static void press(const struct script_actor *actor, const char *keys)
{
    while (*keys) {
        size_t len = strcspn(keys, " ");

        actor->key(actor->data, key_parse(keys, len));
        keys += len;
        keys += strspn(keys, " ");
    }
}

static void type(const struct script_actor *actor, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        struct key key = {.input = INPUT_TEXT};
        size_t taken = utf8_decode(text, len, &key.code);

        actor->key(actor->data, key);
        text += taken;
        len -= taken;
    }
}

static void command(struct script_player *player, const struct script_line *line)
{
    struct error err = {0};
    struct call call;

    if (call_parse(line->text, &call, &err))
        fail_at(player, line, err.text);
    else
        player->actor.call(player->actor.data, &call);
}

/* Return whether the line is done; otherwise it is tried again after the next frame. */
static bool carry_out(struct script_player *player, const struct script_line *line)
{
    const struct script_actor *actor = &player->actor;

    switch (line->verb) {
    case SCRIPT_WAIT:
        return is_on_screen(player->canvas, line->text);
    case SCRIPT_EVENT:
        return take_event(player, line->event);
    case SCRIPT_PRESS:
        press(actor, line->text);
        break;
    case SCRIPT_TYPE:
        type(actor, line->text);
        break;
    case SCRIPT_RESIZE:
        actor->resize(actor->data, line->size.w, line->size.h);
        break;
    case SCRIPT_COMMAND:
        command(player, line);
        break;
    }
    return true;
}

static void give_up(void *data)
{
    struct script_player *player = data;
    const struct script_line *line = script_next(&player->script);
    struct strbuf screen = {0};

    screenshot_text(player->canvas, &screen);
    fprintf(stderr, "waited for: %s; the screen is\n%s", line->text, strbuf_cstr(&screen));
    strbuf_release(&screen);
    fail_at(player, line, "gave up after 30 s");
}

enum status script_player_open(struct script_player *player, const char *path, struct loop *loop,
                               const struct script_actor *actor, struct error *err)
{
    *player = (struct script_player){.loop = loop, .actor = *actor};
    return script_read(&player->script, path, err);
}

void script_player_release(struct script_player *player)
{
    if (player->loop)
        loop_clear_timer(player->loop, &player->patience);
    script_release(&player->script);
}

bool script_player_is_playing(const struct script_player *player)
{
    return script_next(&player->script) != NULL;
}

void script_player_step(struct script_player *player, const struct canvas *canvas)
{
    const struct script_line *line = script_next(&player->script);

    player->canvas = canvas;
    if (!line) {
        if (player->script.path)
            player->actor.finished(player->actor.data);
        return;
    }
    if (!carry_out(player, line)) {
        if (!player->patience.is_set)
            loop_set_timer(player->loop, &player->patience, PATIENCE_US, give_up, player);
        return;
    }
    loop_clear_timer(player->loop, &player->patience);
    player->script.next++;
    player->actor.changed(player->actor.data);
}

void script_player_note_event(struct script_player *player, enum event_type type)
{
    player->noted |= 1U << type;
}
