#ifndef CORE_TEMPLATE_JINJA_LEXER_H
#define CORE_TEMPLATE_JINJA_LEXER_H

#include "core/base/arena.h"
#include "core/base/status.h"
#include "core/template/jinja_text.h"

/*
 * Cuts a template into tokens.
 *
 * The lexer applies all white-space rules (trim_blocks, lstrip_blocks, and the `-` and `+` in a
 * tag), so a text token is exactly what is printed. Comments disappear, and a raw block becomes a
 * text token.
 */
enum jinja_token_kind {
    TOKEN_END, /* the last token of every template */
    TOKEN_TEXT,
    TOKEN_BLOCK_BEGIN,
    TOKEN_BLOCK_END,
    TOKEN_PRINT_BEGIN,
    TOKEN_PRINT_END,
    TOKEN_NAME,
    TOKEN_STRING, /* a string; escapes are resolved in its text */
    TOKEN_NUMBER,
    TOKEN_OPERATOR,
};

struct jinja_token {
    enum jinja_token_kind kind;
    int line;
    struct jinja_text text;
};

/*
 * The tokens of `source`, in `arena`.  Line breaks of any kind become "\n".
 * Errors begin with "<name>:<line>: ".
 */
enum status jinja_lex(struct jinja_text source, const char *name, struct arena *arena,
                      const struct jinja_token **tokens, struct error *err) MUST_CHECK;

#endif
