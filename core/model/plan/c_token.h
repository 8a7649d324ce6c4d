#ifndef CORE_MODEL_PLAN_C_TOKEN_H
#define CORE_MODEL_PLAN_C_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the text of a source in C, or in a language that is based on it, token by token. Blanks,
 * comments and literals between quotation marks are skipped. Macros are not expanded.
 */

enum c_token_kind {
    C_TOKEN_END,
    C_TOKEN_WORD,      /* a name, a keyword or a number */
    C_TOKEN_SIGN,      /* any other character */
    C_TOKEN_DIRECTIVE, /* of the preprocessor, with the lines that continue it */
    C_TOKEN_LOST       /* an open comment or literal, or a raw literal; nothing is read after it */
};

/* Borrows the text. Empty at the end and where the reader is lost. */
struct c_token {
    enum c_token_kind kind;
    const char *text;
    size_t len;
};

/* Read the next token, and move `at` behind it. */
struct c_token c_token_next(const char **at);

/* True if the token is this word or sign. */
bool c_token_is(const struct c_token *token, const char *text);

/* True if it is one of these; the last one is NULL. */
bool c_token_is_one_of(const struct c_token *token, const char *const *texts);

#endif
