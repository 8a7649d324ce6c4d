#ifndef TUI_MANUAL_PAGES_H
#define TUI_MANUAL_PAGES_H

#include "core/base/strbuf.h"

/* The manual pages, written from the tables of commands, options, keys and themes. */

/* kforge(1): the subcommands, and the commands and keys of the screen. */
void pages_add_program(struct strbuf *page);

/* kforge-worker(1). */
void pages_add_worker(struct strbuf *page);

/* kforge(5): key files and themes, then the text of FORMATS.md in `formats`. */
void pages_add_formats(struct strbuf *page, const char *formats);

#endif
