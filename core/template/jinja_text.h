#ifndef CORE_TEMPLATE_JINJA_TEXT_H
#define CORE_TEMPLATE_JINJA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/strbuf.h"

/*
 * Text for templates: UTF-8 with a length, borrowed, not terminated.
 *
 * A template could write without end, so its output goes into a sink. A sink accepts JINJA_TEXT_MAX
 * bytes; after that it drops text and `full` is set.
 */
enum { JINJA_TEXT_MAX = 16 << 20 };

struct jinja_text {
    const char *bytes; /* NULL only with len 0 */
    size_t len;
};

/* A terminated string as a text, and the comparison with one. */
struct jinja_text jinja_text_of(const char *text);
bool jinja_text_is(struct jinja_text text, const char *word);

/* Negative, zero or positive, in the order of code points. */
int jinja_text_compare(struct jinja_text a, struct jinja_text b);

/* Remove the first code point of `rest`, which is not empty; returns its bytes, `code` its value.
 */
struct jinja_text jinja_text_next(struct jinja_text *rest, uint32_t *code);

/* The number of code points. */
size_t jinja_text_length(struct jinja_text text);

/* The text without ASCII white space at both ends, or only at the end. */
struct jinja_text jinja_text_trim(struct jinja_text text);
struct jinja_text jinja_text_trim_end(struct jinja_text text);

/* True for ASCII white space. */
bool jinja_is_space(char c);

struct jinja_sink {
    struct strbuf text; /* the owner releases it */
    bool full;
};

/* Append, unless the sink is full. */
void jinja_sink_add(struct jinja_sink *sink, struct jinja_text text);
void jinja_sink_adds(struct jinja_sink *sink, const char *text);

#endif
