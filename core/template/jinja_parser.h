#ifndef CORE_TEMPLATE_JINJA_PARSER_H
#define CORE_TEMPLATE_JINJA_PARSER_H

#include "core/base/attr.h"
#include "core/template/jinja_lexer.h"
#include "core/template/jinja_tree.h"

/*
 * The state and the helpers that the parsers of expressions and statements share: the tokens, and
 * the current one.
 *
 * After its first error a parser skips to the end of the template, where each of its loops ends. So
 * the parse functions always return a node and need no status.
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

/* Enter one more level of nesting; fails beyond the limit. `p->depth--` leaves the level. */
void jinja_parser_enter(struct jinja_parser *p);

/* Make a node on the line of the current token. */
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
