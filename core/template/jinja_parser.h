#ifndef CORE_TEMPLATE_JINJA_PARSER_H
#define CORE_TEMPLATE_JINJA_PARSER_H

#include "core/base/attr.h"
#include "core/template/jinja_lexer.h"
#include "core/template/jinja_tree.h"

/*
 * The state and the helpers that the parsers of expressions and statements
 * share: the tokens, and the current one.
 *
 * A parser keeps its first error and goes to the end of the template, where
 * every loop of a parser ends.  So parse functions return a node in any case,
 * and need no status.
 */
struct jinja_parser {
    const char *name; /* name of the template, for errors */
    const struct jinja_token *at;
    struct arena *arena;
    struct error *err; /* code STATUS_OK: no error so far */
    int depth;
};

/* Fail on the line of the current token, unless the parser has failed before. */
void jinja_parser_fail(struct jinja_parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Fail with "expected <expected>, found <token>". */
void jinja_parser_unexpected(struct jinja_parser *p, const char *expected);

/* One level deeper; beyond the limit it fails.  `p->depth--` goes back. */
void jinja_parser_enter(struct jinja_parser *p);

/* A node on the line of the current token. */
struct jinja_node *jinja_parser_node(struct jinja_parser *p, enum jinja_node_kind kind);

/* True if the current token is the operator or the word. */
bool jinja_parser_sees(const struct jinja_parser *p, const char *symbol);

/* Go past the operator or the word.  If the current token is another one, `skip` returns false and
 * `expect` fails. */
bool jinja_parser_skip(struct jinja_parser *p, const char *symbol);
void jinja_parser_expect(struct jinja_parser *p, const char *symbol);

/* Go past a token of the kind, which `what` describes in the error. */
struct jinja_text jinja_parser_take(struct jinja_parser *p, enum jinja_token_kind kind,
                                    const char *what);

/* Go past a name, and return a terminated copy. */
const char *jinja_parser_take_name(struct jinja_parser *p);

#endif
