#ifndef TUI_PANELS_TEXT_CACHE_H
#define TUI_PANELS_TEXT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/strbuf.h"
#include "core/session/state/object_id.h"

/*
 * The texts of a session that were shown last, by their ids. An id is a hash of its text, so a kept
 * text is never out of date. All zeros is empty.
 */

enum { TEXT_CACHE_TEXTS = 8, TEXT_CACHE_MAX_BYTES = 1 << 20 }; /* longer texts are not kept */

struct text_cache {
    struct {
        char id[OBJECT_ID_SIZE]; /* empty: no text */
        struct strbuf text;
        uint64_t used; /* the number of its last use */
    } items[TEXT_CACHE_TEXTS];
    uint64_t uses;
};

/* Append the text with an id; false if it is not kept. */
bool text_cache_find(struct text_cache *cache, const char *id, struct strbuf *out);

/* Keep a copy of a text. It replaces the text that was unused for the longest time. */
void text_cache_keep(struct text_cache *cache, const char *id, const char *text, size_t len);

/* Free the texts and leave it empty. */
void text_cache_release(struct text_cache *cache);

#endif
