#include "core/template/jinja_expression.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/template/jinja_filter.h"

/* NOLINTBEGIN(misc-no-recursion): recursive descent, as deep as jinja_parser_enter() lets it */

static struct jinja_node *parse_unary(struct jinja_parser *p);

static struct jinja_node *binary(struct jinja_parser *p, enum jinja_node_kind kind,
                                 struct jinja_node *left, struct jinja_node *right)
{
    struct jinja_node *node = jinja_parser_node(p, kind);

    node->line = left->line;
    node->a = left;
    node->b = right;
    return node;
}

static struct jinja_node *parse_number(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_LITERAL);
    struct jinja_text text = jinja_parser_take(p, TOKEN_NUMBER, "a number");
    const char *digits = arena_copy(p->arena, text.bytes, text.len);
    bool is_float = strpbrk(digits, ".eE");

    errno = 0;
    node->literal =
        is_float ? jinja_float(strtod(digits, NULL)) : jinja_int(strtoll(digits, NULL, 10));
    if (errno && !is_float)
        jinja_parser_fail(p, "%s needs more than 64 bits", digits);
    if (*digits == '0' && strspn(digits, "0123456789") > 1)
        jinja_parser_fail(p, "%s begins with a zero", digits);
    return node;
}

/* Parse expressions separated by commas, up to and including `close`. */
static struct jinja_node *parse_items(struct jinja_parser *p, const char *close)
{
    struct jinja_node *first = NULL;
    struct jinja_node **end = &first;

    while (!jinja_parser_sees(p, close) && p->at->kind != TOKEN_END) {
        *end = jinja_expression(p);
        end = &(*end)->next;
        if (!jinja_parser_skip(p, ","))
            break;
    }
    jinja_parser_expect(p, close);
    return first;
}

static const struct {
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

static struct jinja_node *parse_name(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_NAME);

    node->name = jinja_parser_take_name(p);
    for (size_t i = 0; i < COUNT(constants); i++) {
        if (strcmp(constants[i].name, node->name) != 0)
            continue;
        node->kind = NODE_LITERAL;
        node->literal = constants[i].value;
        return node;
    }
    if (jinja_parser_skip(p, "(")) {
        node->kind = NODE_CALL;
        node->items = parse_items(p, ")");
    }
    return node;
}

static struct jinja_node *parse_primary(struct jinja_parser *p)
{
    struct jinja_node *node;

    if (p->at->kind == TOKEN_NUMBER)
        return parse_number(p);
    if (p->at->kind == TOKEN_NAME)
        return parse_name(p);
    if (p->at->kind == TOKEN_STRING) {
        node = jinja_parser_node(p, NODE_LITERAL);
        node->literal = jinja_string(p->at++->text);
        return node;
    }
    if (jinja_parser_skip(p, "[")) {
        node = jinja_parser_node(p, NODE_LIST);
        node->items = parse_items(p, "]");
        return node;
    }
    if (jinja_parser_skip(p, "(")) {
        node = jinja_expression(p);
        jinja_parser_expect(p, ")");
        return node;
    }
    if (jinja_parser_sees(p, "{"))
        jinja_parser_fail(p, "a dict cannot be written in a template: use one of the variables");
    jinja_parser_unexpected(p, "an expression");
    return jinja_parser_node(p, NODE_LITERAL);
}

/* From after "[" to after "]". */
static struct jinja_node *parse_subscript(struct jinja_parser *p, struct jinja_node *of)
{
    struct jinja_node *node = binary(p, NODE_SUBSCRIPT, of, jinja_expression(p));

    jinja_parser_expect(p, "]");
    return node;
}

static struct jinja_node *parse_postfix(struct jinja_parser *p, struct jinja_node *node)
{
    for (;;) {
        if (jinja_parser_skip(p, ".")) {
            node = binary(p, NODE_ATTRIBUTE, node, NULL);
            node->name = jinja_parser_take_name(p);
        } else if (jinja_parser_skip(p, "[")) {
            node = parse_subscript(p, node);
        } else if (jinja_parser_sees(p, "(")) {
            jinja_parser_fail(p, "no such method: write a filter instead, as in text | upper");
        } else {
            return node;
        }
    }
}

/* The words that may follow `is`, and the types for which each holds; Jinja calls them tests. */
static const struct predicate {
    const char *name;
    unsigned types; /* bit 1 << enum jinja_type */
} predicates[] = {
    {"boolean", 1U << JINJA_BOOL},
    {"defined", ~(1U << JINJA_UNDEFINED)},
    {"float", 1U << JINJA_FLOAT},
    {"integer", 1U << JINJA_INT},
    {"mapping", 1U << JINJA_DICT},
    {"none", 1U << JINJA_NONE},
    {"number", 1U << JINJA_BOOL | 1U << JINJA_INT | 1U << JINJA_FLOAT},
    {"sequence", 1U << JINJA_STRING | 1U << JINJA_LIST | 1U << JINJA_DICT},
    {"string", 1U << JINJA_STRING},
    {"undefined", 1U << JINJA_UNDEFINED},
};

static void list_predicates(struct strbuf *out)
{
    for (size_t i = 0; i < COUNT(predicates); i++)
        strbuf_add_item(out, predicates[i].name);
}

/* "kforge knows a, b, c", from the function that lists the names. */
static void fail_unknown(struct jinja_parser *p, const char *what, void (*list)(struct strbuf *))
{
    struct strbuf known = {0};

    list(&known);
    jinja_parser_fail(p, "unknown %s \"%.*s\": kforge knows %s", what, (int)p->at->text.len,
                      p->at->text.bytes, strbuf_cstr(&known));
    strbuf_release(&known);
}

static struct jinja_node *parse_filter(struct jinja_parser *p, struct jinja_node *input)
{
    struct jinja_node *node = binary(p, NODE_FILTER, input, NULL);

    node->filter = jinja_filter_find(p->at->text);
    if (p->at->kind == TOKEN_NAME && !node->filter)
        fail_unknown(p, "filter", jinja_filter_list);
    jinja_parser_take(p, TOKEN_NAME, "the name of a filter");
    if (jinja_parser_skip(p, "("))
        node->items = parse_items(p, ")");
    return node;
}

/* From after "is". */
static struct jinja_node *parse_test(struct jinja_parser *p, struct jinja_node *input)
{
    bool is_negated = jinja_parser_skip(p, "not");
    struct jinja_node *node = binary(p, NODE_TEST, input, NULL);

    for (size_t i = 0; i < COUNT(predicates); i++)
        if (jinja_text_is(p->at->text, predicates[i].name))
            node->types = predicates[i].types;
    if (p->at->kind == TOKEN_NAME && !node->types)
        fail_unknown(p, "test", list_predicates);
    jinja_parser_take(p, TOKEN_NAME, "the name of a test");
    if (jinja_parser_sees(p, "is"))
        jinja_parser_fail(p, "two tests in a row: join them with \"and\"");
    return is_negated ? binary(p, NODE_NOT, node, NULL) : node;
}

static struct jinja_node *parse_operand(struct jinja_parser *p)
{
    struct jinja_node *node = parse_unary(p);

    for (;;) {
        if (jinja_parser_skip(p, "|"))
            node = parse_filter(p, node);
        else if (jinja_parser_skip(p, "is"))
            node = parse_test(p, node);
        else
            return node;
    }
}

static struct jinja_node *parse_unary(struct jinja_parser *p)
{
    struct jinja_node *node;

    if (!jinja_parser_skip(p, "-"))
        return parse_postfix(p, parse_primary(p));
    jinja_parser_enter(p);
    node = parse_unary(p);
    p->depth--;
    return binary(p, NODE_NEGATE, node, NULL);
}

/* The levels of binary operators, from the loosest to the tightest; all are left-associative. */
enum { LEVEL_SUM, LEVEL_CONCATENATION, LEVEL_PRODUCT, LEVELS };

static const struct infix {
    const char *symbol;
    int level;
    enum jinja_node_kind kind;
    enum jinja_operator op;
} infixes[] = {
    {"+", LEVEL_SUM, NODE_BINARY, OPERATOR_ADD},
    {"-", LEVEL_SUM, NODE_BINARY, OPERATOR_SUBTRACT},
    {"~", LEVEL_CONCATENATION, NODE_CONCATENATE, OPERATOR_ADD},
    {"*", LEVEL_PRODUCT, NODE_BINARY, OPERATOR_MULTIPLY},
    {"/", LEVEL_PRODUCT, NODE_BINARY, OPERATOR_DIVIDE},
    {"//", LEVEL_PRODUCT, NODE_BINARY, OPERATOR_FLOOR_DIVIDE},
    {"%", LEVEL_PRODUCT, NODE_BINARY, OPERATOR_MODULO},
};

/* Go past the current token if it is an operator of the level; else NULL. */
static const struct infix *skip_infix(struct jinja_parser *p, int level)
{
    for (size_t i = 0; i < COUNT(infixes); i++)
        if (infixes[i].level == level && jinja_parser_skip(p, infixes[i].symbol))
            return &infixes[i];
    return NULL;
}

static struct jinja_node *parse_level(struct jinja_parser *p, int level)
{
    if (level == LEVELS)
        return parse_operand(p);

    struct jinja_node *node = parse_level(p, level + 1);
    const struct infix *infix;

    while ((infix = skip_infix(p, level))) {
        node = binary(p, infix->kind, node, parse_level(p, level + 1));
        node->op = infix->op;
    }
    return node;
}

/* Go past "==", "in", "not in" or another comparison; false if the current token is none. */
static bool skip_relation(struct jinja_parser *p, enum jinja_operator *relation)
{
    static const char *const symbols[] = {"==", "!=", "<", "<=", ">", ">=", "in"};
    const struct jinja_token *start = p->at;

    for (size_t i = 0; i < COUNT(symbols); i++) {
        if (jinja_parser_skip(p, symbols[i])) {
            *relation = (enum jinja_operator)(OPERATOR_EQUAL + i);
            return true;
        }
    }
    *relation = OPERATOR_NOT_IN;
    if (jinja_parser_skip(p, "not") && jinja_parser_skip(p, "in"))
        return true;
    p->at = start;
    return false;
}

static struct jinja_node *parse_compare(struct jinja_parser *p)
{
    struct jinja_node *node = parse_level(p, LEVEL_SUM);
    enum jinja_operator relation;

    if (!skip_relation(p, &relation))
        return node;
    node = binary(p, NODE_BINARY, node, parse_level(p, LEVEL_SUM));
    node->op = relation;
    if (skip_relation(p, &relation))
        jinja_parser_fail(p, "two comparisons in a row: join them with \"and\"");
    return node;
}

static struct jinja_node *parse_not(struct jinja_parser *p)
{
    struct jinja_node *node;

    if (!jinja_parser_skip(p, "not"))
        return parse_compare(p);
    jinja_parser_enter(p);
    node = parse_not(p);
    p->depth--;
    return binary(p, NODE_NOT, node, NULL);
}

static struct jinja_node *parse_and(struct jinja_parser *p)
{
    struct jinja_node *node = parse_not(p);

    while (jinja_parser_skip(p, "and"))
        node = binary(p, NODE_AND, node, parse_not(p));
    return node;
}

struct jinja_node *jinja_expression_before_if(struct jinja_parser *p)
{
    struct jinja_node *node = parse_and(p);

    while (jinja_parser_skip(p, "or"))
        node = binary(p, NODE_OR, node, parse_and(p));
    return node;
}

struct jinja_node *jinja_expression(struct jinja_parser *p)
{
    jinja_parser_enter(p);

    struct jinja_node *node = jinja_expression_before_if(p);

    while (jinja_parser_skip(p, "if")) {
        node = binary(p, NODE_CHOICE, node, jinja_expression_before_if(p));
        if (jinja_parser_skip(p, "else"))
            node->c = jinja_expression(p);
    }
    p->depth--;
    return node;
}

/* NOLINTEND(misc-no-recursion) */
