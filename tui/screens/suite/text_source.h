#ifndef TUI_SCREENS_SUITE_TEXT_SOURCE_H
#define TUI_SCREENS_SUITE_TEXT_SOURCE_H

#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * Reads the texts of sessions from their repositories.  The repository that was read last stays
 * open, because sessions of a suite share one.  All zeros is valid.
 */
struct text_source {
    struct history *history; /* NULL if none is open */
    char *path;              /* path of its repository */
};

/* Append the text that has an object id. */
enum status text_source_read(struct text_source *source, const struct session *session,
                             const char *id, struct strbuf *out, struct error *err) MUST_CHECK;

/* Close the repository and leave it empty. */
void text_source_close(struct text_source *source);

#endif
