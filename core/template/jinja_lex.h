#ifndef CORE_TEMPLATE_JINJA_LEX_H
#define CORE_TEMPLATE_JINJA_LEX_H

#include "core/base/arena.h"
#include "core/base/status.h"
#include "core/template/jinja_text.h"

/*
 * A template cut into tokens.
 *
 * White space is settled here: trim_blocks and lstrip_blocks are on, `-` and
 * `+` beside a tag overrule them, and the text tokens that come out are what
 * is printed.  Comments and raw blocks leave nothing but text.
 */
enum jinja_token_kind {
    TOKEN_END, /* the last one of every template */
    TOKEN_TEXT,
    TOKEN_BLOCK_BEGIN,
    TOKEN_BLOCK_END,
    TOKEN_PRINT_BEGIN,
    TOKEN_PRINT_END,
    TOKEN_NAME,
    TOKEN_STRING, /* its text has the escapes resolved */
    TOKEN_INTEGER,
    TOKEN_FLOAT,
    TOKEN_OPERATOR,
};

struct jinja_token {
    enum jinja_token_kind kind;
    int line;
    struct jinja_text text;
};

/*
 * The tokens of a template, in `arena`.  Line breaks of any kind become
 * "\n".  `name` stands in errors.
 */
enum status jinja_lex(struct jinja_text source, const char *name, struct arena *arena,
                      const struct jinja_token **tokens, struct error *err) MUST_CHECK;

#endif
