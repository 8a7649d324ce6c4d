#ifndef CORE_TEMPLATE_JINJA_PARSER_H
#define CORE_TEMPLATE_JINJA_PARSER_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/attr.h"
#include "core/base/status.h"
#include "core/template/jinja_lex.h"
#include "core/template/jinja_tree.h"

/*
 * Walking over the tokens of a template: what the parsers of expressions and
 * of statements share.
 *
 * The skip functions go past the token if it is the one asked for.  The
 * expect functions fail without it.
 */
struct jinja_parser {
    const struct jinja_token *at;
    const char *name; /* of the template, for errors */
    struct arena *arena;
    int depth; /* of nested expressions and statements */
    struct error *err;
};

/* Fail at the current token. */
enum status jinja_parser_fail(struct jinja_parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
enum status jinja_parser_unexpected(struct jinja_parser *p, const char *expected);

/* One level deeper; every call needs a jinja_parser_leave(), after a failure too. */
enum status jinja_parser_enter(struct jinja_parser *p) MUST_CHECK;
void jinja_parser_leave(struct jinja_parser *p);

/* A node at the place of the next token, of the parser's arena. */
struct jinja_node *jinja_parser_node(struct jinja_parser *p, enum jinja_node_kind kind);

/* Whether the next token is that one; the last two go past it where it is. */
bool jinja_parser_is_operator(const struct jinja_parser *p, const char *symbol);
bool jinja_parser_is_name(const struct jinja_parser *p, const char *word);
bool jinja_parser_skip_operator(struct jinja_parser *p, const char *symbol);
bool jinja_parser_skip_name(struct jinja_parser *p, const char *word);
enum status jinja_parser_expect_operator(struct jinja_parser *p, const char *symbol) MUST_CHECK;
enum status jinja_parser_expect(struct jinja_parser *p, enum jinja_token_kind kind) MUST_CHECK;

/* Go past a name of any kind; NULL and an error if there is none. */
const char *jinja_parser_expect_name(struct jinja_parser *p);

#endif
