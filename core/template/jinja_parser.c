#include "core/template/jinja_parser.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/base/array.h"

enum { DEPTH_MAX = 100 };

enum status jinja_parser_fail(struct jinja_parser *p, const char *fmt, ...)
{
    char message[ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    return error_set(p->err, STATUS_INVALID, "%s:%d: %s", p->name, p->at->line, message);
}

enum status jinja_parser_unexpected(struct jinja_parser *p, const char *expected)
{
    static const char *const kinds[] = {
        [TOKEN_END] = "the end of the template",
        [TOKEN_TEXT] = "text",
        [TOKEN_BLOCK_BEGIN] = "{%",
        [TOKEN_BLOCK_END] = "%}",
        [TOKEN_PRINT_BEGIN] = "{{",
        [TOKEN_PRINT_END] = "}}",
        [TOKEN_STRING] = "a string",
    };
    const struct jinja_token *token = p->at;

    if (token->kind < COUNT(kinds) && kinds[token->kind])
        return jinja_parser_fail(p, "expected %s, found %s", expected, kinds[token->kind]);
    return jinja_parser_fail(p, "expected %s, found \"%.*s\"", expected, (int)token->text.len,
                             token->text.bytes);
}

enum status jinja_parser_enter(struct jinja_parser *p)
{
    if (++p->depth > DEPTH_MAX)
        return jinja_parser_fail(p, "nested more than %d levels deep", DEPTH_MAX);
    return STATUS_OK;
}

void jinja_parser_leave(struct jinja_parser *p)
{
    p->depth--;
}

struct jinja_node *jinja_parser_node(struct jinja_parser *p, enum jinja_node_kind kind)
{
    struct jinja_node *node = arena_alloc(p->arena, 1, sizeof(*node));

    node->kind = kind;
    node->line = p->at->line;
    return node;
}

bool jinja_parser_is_operator(const struct jinja_parser *p, const char *symbol)
{
    return p->at->kind == TOKEN_OPERATOR && jinja_text_is(p->at->text, symbol);
}

bool jinja_parser_is_name(const struct jinja_parser *p, const char *word)
{
    return p->at->kind == TOKEN_NAME && jinja_text_is(p->at->text, word);
}

bool jinja_parser_skip_operator(struct jinja_parser *p, const char *symbol)
{
    bool found = jinja_parser_is_operator(p, symbol);

    p->at += found;
    return found;
}

bool jinja_parser_skip_name(struct jinja_parser *p, const char *word)
{
    bool found = jinja_parser_is_name(p, word);

    p->at += found;
    return found;
}

enum status jinja_parser_expect_operator(struct jinja_parser *p, const char *symbol)
{
    char quoted[8];

    if (jinja_parser_skip_operator(p, symbol))
        return STATUS_OK;
    snprintf(quoted, sizeof(quoted), "\"%s\"", symbol);
    return jinja_parser_unexpected(p, quoted);
}

enum status jinja_parser_expect(struct jinja_parser *p, enum jinja_token_kind kind)
{
    if (p->at->kind != kind)
        return jinja_parser_unexpected(p, kind == TOKEN_PRINT_END ? "}}" : "%}");
    p->at++;
    return STATUS_OK;
}

const char *jinja_parser_expect_name(struct jinja_parser *p)
{
    if (p->at->kind != TOKEN_NAME) {
        jinja_parser_unexpected(p, "a name");
        return NULL;
    }

    struct jinja_text text = p->at->text;

    p->at++;
    return arena_copy(p->arena, text.bytes, text.len);
}
