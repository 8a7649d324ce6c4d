#include "core/system/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void drop_consumed(struct lines *lines)
{
    struct strbuf *sb = &lines->pending;

    if (lines->consumed == 0)
        return;
    memmove(sb->data, sb->data + lines->consumed, sb->len - lines->consumed);
    sb->len -= lines->consumed;
    lines->consumed = 0;
}

enum status lines_fill(struct lines *lines, int fd, struct error *err)
{
    char chunk[1 << 16];
    ssize_t got = read(fd, chunk, sizeof(chunk));

    if (got == 0)
        return error_set(err, STATUS_UNAVAILABLE, "the other side closed the connection");
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return STATUS_OK;
    if (got < 0)
        return error_set(err, STATUS_IO, "cannot read: %s", strerror(errno));
    drop_consumed(lines);
    if (lines->pending.len + (size_t)got > LINES_MAX_BYTES)
        return error_set(err, STATUS_INVALID, "a line is longer than %d bytes", LINES_MAX_BYTES);
    strbuf_add(&lines->pending, chunk, (size_t)got);
    /* leave no second copy of a line, so that the executor can erase it */
    explicit_bzero(chunk, (size_t)got);
    return STATUS_OK;
}

char *lines_next(struct lines *lines)
{
    struct strbuf *sb = &lines->pending;
    size_t rest = sb->len - lines->consumed;
    char *line = rest ? sb->data + lines->consumed : NULL;
    char *end = line ? memchr(line, '\n', rest) : NULL;

    if (!end)
        return NULL;
    *end = '\0';
    lines->consumed += (size_t)(end - line) + 1;
    return line;
}

void lines_release(struct lines *lines)
{
    strbuf_release(&lines->pending);
    lines->consumed = 0;
}
