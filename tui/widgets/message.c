#include "tui/widgets/message.h"

#include <string.h>

#include "core/base/vec.h"

void message_add(struct message_log *log, enum role role, char *text)
{
    struct message added = {.role = role};
    bool has_waited = log->count > 0 && log->items[log->count - 1].role == ROLE_WAITING;

    added.text = text;
    if (has_waited && log->read == log->count - 1)
        log->read = log->count;
    vec_push(log, added);
}

void message_release(struct message_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        free(log->items[i].text);
    vec_release(log);
    *log = (struct message_log){0};
}

void message_read(struct message_log *log)
{
    log->read = log->drawn;
}

bool message_is_unread(const struct message_log *log)
{
    return log->read < log->count;
}

bool message_shows(const struct message_log *log, const char *text)
{
    return message_is_unread(log) && strcmp(log->items[log->count - 1].text, text) == 0;
}

void message_withdraw(struct message_log *log)
{
    if (log->count - log->read == 1)
        log->read = log->drawn = log->count;
}

void message_put(enum role role, const char *text, struct pen *pen)
{
    static const char rest[] = "... :messages";
    struct pen cut = *pen;
    int end = pen->area.rect.w - (int)strlen(rest);

    if (pen->x + canvas_text_columns(text, strlen(text)) <= pen->area.rect.w) {
        pen_puts(pen, role, text);
        return;
    }
    cut.area = area_part(pen->area, (struct rect){0, 0, end, 1});
    pen_puts(&cut, role, text);
    pen->x = end;
    pen_puts(pen, ROLE_KEY, rest);
}

void message_draw(struct message_log *log, struct area line)
{
    const struct message *latest = &log->items[log->count - 1];
    size_t before = log->count - log->read - 1;
    struct pen pen = area_pen(line, 1, 0);

    if (before)
        pen_putf(&pen, ROLE_KEY, "%zu more: :messages ", before);
    message_put(latest->role, latest->text, &pen);
    log->drawn = log->count;
}
