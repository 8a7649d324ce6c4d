#ifndef CORE_SYSTEM_LINES_H
#define CORE_SYSTEM_LINES_H

#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Splits a stream of bytes, which arrives in pieces, into lines. All zeros is an empty reader. The
 * peer chooses the length of a line, so there is a limit: lines_fill() fails with STATUS_INVALID
 * beyond it.
 */
struct lines {
    struct strbuf pending;
    size_t consumed;
};

enum { LINES_MAX_BYTES = 64 << 20 };

/*
 * Read from `fd` once. STATUS_UNAVAILABLE at the end of the stream. STATUS_OK without new data when
 * the read would block.
 */
enum status lines_fill(struct lines *lines, int fd, struct error *err) MUST_CHECK;

/* The next complete line without its newline, or NULL. Valid until the next call. */
char *lines_next(struct lines *lines);

/* Drop the lines that were read but not taken. */
void lines_release(struct lines *lines);

#endif
