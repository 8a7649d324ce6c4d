#ifndef CORE_TEMPLATE_JINJA_TEXT_H
#define CORE_TEMPLATE_JINJA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Text as Jinja sees it: UTF-8 with a length, classed by Python's rules.
 *
 * A template is not trusted to stop writing, so whatever it writes goes into
 * a sink, which takes up to JINJA_TEXT_MAX bytes and then only remembers
 * that it is full.
 */
enum { JINJA_TEXT_MAX = 16 << 20 };

struct jinja_text {
    const char *bytes; /* borrowed; NULL only with len 0 */
    size_t len;
};

/* A text that is borrowed; and whether one is the same as a word. */
struct jinja_text jinja_text_of(const char *text);
bool jinja_text_is(struct jinja_text text, const char *word);

/* Negative, zero or positive, in the order of code points. */
int jinja_text_compare(struct jinja_text a, struct jinja_text b);

/* Cut one code point off the front of `rest` (not empty); returns its bytes, `code` its value. */
struct jinja_text jinja_text_next(struct jinja_text *rest, uint32_t *code);

size_t jinja_text_length(struct jinja_text text); /* in code points */

/* Without the characters of `chars` (NULL: white space) at its two ends, or at its end only. */
struct jinja_text jinja_text_trim(struct jinja_text text, const struct jinja_text *chars);
struct jinja_text jinja_text_trim_end(struct jinja_text text, const struct jinja_text *chars);

bool jinja_is_space(uint32_t code);   /* str.isspace() */
bool jinja_is_newline(uint32_t code); /* what str.splitlines() splits at */

struct jinja_sink {
    struct strbuf text;
    bool full;
};

/* Append, unless the sink is full. */
void jinja_sink_add(struct jinja_sink *sink, struct jinja_text text);
void jinja_sink_adds(struct jinja_sink *sink, const char *text);
void jinja_sink_repeat(struct jinja_sink *sink, struct jinja_text text, size_t count);

/* Move what the sink holds into the arena; an error when it was full.  The sink becomes empty. */
enum status jinja_sink_take(struct jinja_sink *sink, struct arena *arena, struct jinja_text *out,
                            struct error *err) MUST_CHECK;

#endif
