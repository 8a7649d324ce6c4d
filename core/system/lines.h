#ifndef CORE_SYSTEM_LINES_H
#define CORE_SYSTEM_LINES_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Lines out of a stream of bytes that arrives in pieces.  All zeros is an
 * empty reader.  The other side decides how long a line is, so there is a
 * ceiling: past it filling fails.
 */
struct lines {
    struct strbuf pending;
    size_t consumed;
};

enum { LINES_MAX_BYTES = 64 << 20 };

/* Read once.  STATUS_UNAVAILABLE at the end of the stream; OK with nothing new if it would block.
 */
enum status lines_fill(struct lines *lines, int fd, struct error *err) MUST_CHECK;

/* The next whole line without its newline, or NULL.  Valid until the next call. */
char *lines_next(struct lines *lines);

/* Drop what has been read and not taken. */
void lines_release(struct lines *lines);

#endif
