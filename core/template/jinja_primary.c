#include "core/template/jinja_primary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/template/jinja_expression.h"

static struct jinja_node *literal(struct jinja_parser *p, struct jinja_value value)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_LITERAL);

    node->literal = value;
    return node;
}

/* The digits of a number, without underscores between them. */
static char *copy_digits(struct jinja_parser *p)
{
    struct jinja_text text = p->at->text;
    char *copy = arena_copy(p->arena, text.bytes, text.len);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++)
        if (text.bytes[i] != '_')
            copy[len++] = text.bytes[i];
    copy[len] = '\0';
    return copy;
}

struct jinja_node *jinja_primary_integer(struct jinja_parser *p)
{
    const char *digits = copy_digits(p);
    bool padded = *digits == '0' && digits[strspn(digits, "0")];

    errno = 0;

    long long integer = strtoll(digits, NULL, 10);
    struct jinja_node *node = literal(p, jinja_int(integer));

    if (padded || errno) {
        jinja_parser_fail(p, padded ? "an integer with a leading zero"
                                    : "an integer of more than 64 bits");
        return NULL;
    }
    p->at++;
    return node;
}

static struct jinja_node *parse_float(struct jinja_parser *p)
{
    struct jinja_node *node = literal(p, jinja_float(strtod(copy_digits(p), NULL)));

    p->at++;
    return node;
}

/* Strings in a row are one string. */
static struct jinja_node *parse_string(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_LITERAL);
    struct strbuf text = {0};

    for (; p->at->kind == TOKEN_STRING; p->at++)
        strbuf_add(&text, p->at->text.bytes, p->at->text.len);
    node->literal = jinja_string(
        (struct jinja_text){arena_copy(p->arena, strbuf_cstr(&text), text.len), text.len});
    strbuf_release(&text);
    return node;
}

static const struct constant {
    const char *name;
    struct jinja_value value;
} constants[] = {
    {"true", {JINJA_BOOL, {.truth = true}}},
    {"True", {JINJA_BOOL, {.truth = true}}},
    {"false", {JINJA_BOOL, {.truth = false}}},
    {"False", {JINJA_BOOL, {.truth = false}}},
    {"none", {.type = JINJA_NONE}},
    {"None", {.type = JINJA_NONE}},
};

/* The value of a name that stands for a constant, absent for others. */
static struct jinja_value constant(struct jinja_text name)
{
    for (size_t i = 0; i < COUNT(constants); i++)
        if (jinja_text_is(name, constants[i].name))
            return constants[i].value;
    return (struct jinja_value){0};
}

static struct jinja_node *parse_name(struct jinja_parser *p)
{
    struct jinja_node *node = literal(p, constant(p->at->text));
    struct jinja_text name = p->at->text;

    p->at++;
    if (node->literal.type == JINJA_ABSENT) {
        node->kind = NODE_NAME;
        node->name = arena_copy(p->arena, name.bytes, name.len);
    }
    return node;
}

/* NOLINTBEGIN(misc-no-recursion): recursive descent, as deep as the parser lets it */

static struct jinja_node *parse_parentheses(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_TUPLE);

    p->at++;
    if (jinja_parser_skip_operator(p, ")"))
        return node;
    node = jinja_expression_tuple(p);
    return node && !jinja_parser_expect_operator(p, ")") ? node : NULL;
}

static struct jinja_node *parse_list(struct jinja_parser *p)
{
    struct jinja_node *list = jinja_parser_node(p, NODE_LIST);
    struct jinja_node **end = &list->items;

    p->at++;
    while (!jinja_parser_is_operator(p, "]")) {
        if (list->items && jinja_parser_expect_operator(p, ","))
            return NULL;
        if (jinja_parser_is_operator(p, "]"))
            break;
        *end = jinja_expression(p);
        if (!*end)
            return NULL;
        end = &(*end)->next;
    }
    p->at++;
    return list;
}

/* "key: value", linked. */
static struct jinja_node *parse_pair(struct jinja_parser *p)
{
    struct jinja_node *key = jinja_expression(p);

    if (!key || jinja_parser_expect_operator(p, ":"))
        return NULL;
    key->next = jinja_expression(p);
    return key->next ? key : NULL;
}

static struct jinja_node *parse_dict(struct jinja_parser *p)
{
    struct jinja_node *dict = jinja_parser_node(p, NODE_DICT);
    struct jinja_node **end = &dict->items;

    p->at++;
    while (!jinja_parser_is_operator(p, "}")) {
        if (dict->items && jinja_parser_expect_operator(p, ","))
            return NULL;
        if (jinja_parser_is_operator(p, "}"))
            break;
        *end = parse_pair(p);
        if (!*end)
            return NULL;
        end = &(*end)->next->next;
    }
    p->at++;
    return dict;
}

struct jinja_node *jinja_primary(struct jinja_parser *p)
{
    switch (p->at->kind) {
    case TOKEN_NAME:
        return parse_name(p);
    case TOKEN_STRING:
        return parse_string(p);
    case TOKEN_INTEGER:
        return jinja_primary_integer(p);
    case TOKEN_FLOAT:
        return parse_float(p);
    case TOKEN_END:
    case TOKEN_TEXT:
    case TOKEN_BLOCK_BEGIN:
    case TOKEN_BLOCK_END:
    case TOKEN_PRINT_BEGIN:
    case TOKEN_PRINT_END:
    case TOKEN_OPERATOR:
    default:
        break;
    }
    if (jinja_parser_is_operator(p, "("))
        return parse_parentheses(p);
    if (jinja_parser_is_operator(p, "["))
        return parse_list(p);
    if (jinja_parser_is_operator(p, "{"))
        return parse_dict(p);
    jinja_parser_unexpected(p, "an expression");
    return NULL;
}

/* NOLINTEND(misc-no-recursion) */
