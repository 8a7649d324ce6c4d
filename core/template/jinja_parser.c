#include "core/template/jinja_parser.h"

#include <stdarg.h>
#include <stdio.h>

enum { DEPTH_MAX = 100 };

void jinja_parser_fail(struct jinja_parser *p, const char *fmt, ...)
{
    char message[ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    if (p->err->code == STATUS_OK)
        error_set(p->err, STATUS_INVALID, "%s:%d: %s", p->name, p->at->line, message);
    while (p->at->kind != TOKEN_END)
        p->at++;
}

void jinja_parser_unexpected(struct jinja_parser *p, const char *expected)
{
    static const char *const kinds[] = {
        [TOKEN_END] = "the end of the template",
        [TOKEN_TEXT] = "text",
        [TOKEN_BLOCK_BEGIN] = "{%",
        [TOKEN_BLOCK_END] = "%}",
        [TOKEN_PRINT_BEGIN] = "{{",
        [TOKEN_PRINT_END] = "}}",
        [TOKEN_STRING] = "a string",
        [TOKEN_OPERATOR] = NULL,
    };
    const struct jinja_token *token = p->at;

    if (kinds[token->kind])
        jinja_parser_fail(p, "expected %s, found %s", expected, kinds[token->kind]);
    else
        jinja_parser_fail(p, "expected %s, found \"%.*s\"", expected, (int)token->text.len,
                          token->text.bytes);
}

void jinja_parser_enter(struct jinja_parser *p)
{
    if (++p->depth > DEPTH_MAX)
        jinja_parser_fail(p, "nested more than %d levels deep", DEPTH_MAX);
}

struct jinja_node *jinja_parser_node(struct jinja_parser *p, enum jinja_node_kind kind)
{
    struct jinja_node *node = arena_alloc(p->arena, 1, sizeof(*node));

    node->kind = kind;
    node->line = p->at->line;
    return node;
}

bool jinja_parser_sees(const struct jinja_parser *p, const char *symbol)
{
    return (p->at->kind == TOKEN_OPERATOR || p->at->kind == TOKEN_NAME) &&
           jinja_text_is(p->at->text, symbol);
}

bool jinja_parser_skip(struct jinja_parser *p, const char *symbol)
{
    bool found = jinja_parser_sees(p, symbol);

    p->at += found;
    return found;
}

void jinja_parser_expect(struct jinja_parser *p, const char *symbol)
{
    char quoted[16];

    if (jinja_parser_skip(p, symbol))
        return;
    snprintf(quoted, sizeof(quoted), "\"%s\"", symbol);
    jinja_parser_unexpected(p, quoted);
}

struct jinja_text jinja_parser_take(struct jinja_parser *p, enum jinja_token_kind kind,
                                    const char *what)
{
    if (p->at->kind == kind)
        return p->at++->text;
    jinja_parser_unexpected(p, what);
    return jinja_text_of("");
}

const char *jinja_parser_take_name(struct jinja_parser *p)
{
    struct jinja_text text = jinja_parser_take(p, TOKEN_NAME, "a name");

    return arena_copy(p->arena, text.bytes, text.len);
}
