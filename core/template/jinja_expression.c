#include "core/template/jinja_expression.h"

#include "core/base/array.h"
#include "core/template/jinja_primary.h"

/* NOLINTBEGIN(misc-no-recursion): recursive descent, as deep as the parser lets it */

static struct jinja_node *parse_unary(struct jinja_parser *p, bool with_filters);

static struct jinja_node *binary(struct jinja_parser *p, enum jinja_node_kind kind,
                                 struct jinja_node *left, struct jinja_node *right)
{
    struct jinja_node *node = jinja_parser_node(p, kind);

    if (!right)
        return NULL;
    node->line = left->line;
    node->binary.left = left;
    node->binary.right = right;
    return node;
}

static bool at_tuple_end(const struct jinja_parser *p)
{
    return p->at->kind == TOKEN_PRINT_END || p->at->kind == TOKEN_BLOCK_END ||
           jinja_parser_is_operator(p, ")");
}

/* The rest of a tuple, from the comma behind its first element. */
static struct jinja_node *parse_tuple_rest(struct jinja_parser *p, struct jinja_node *first,
                                           struct jinja_node *(*parse)(struct jinja_parser *))
{
    struct jinja_node *tuple = jinja_parser_node(p, NODE_TUPLE);
    struct jinja_node **end = &first->next;

    tuple->items = first;
    while (jinja_parser_skip_operator(p, ",") && !at_tuple_end(p)) {
        *end = parse(p);
        if (!*end)
            return NULL;
        end = &(*end)->next;
    }
    return tuple;
}

static struct jinja_node *parse_tuple(struct jinja_parser *p,
                                      struct jinja_node *(*parse)(struct jinja_parser *))
{
    struct jinja_node *first = parse(p);

    return first && jinja_parser_is_operator(p, ",") ? parse_tuple_rest(p, first, parse) : first;
}

static struct jinja_node *parse_dot(struct jinja_parser *p, struct jinja_node *of)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_ATTRIBUTE);

    p->at++;
    if (p->at->kind == TOKEN_INTEGER) {
        node->kind = NODE_SUBSCRIPT;
        node->subscript.of = of;
        node->subscript.key = jinja_primary_integer(p);
        return node->subscript.key ? node : NULL;
    }
    node->attribute.of = of;
    node->attribute.name = jinja_parser_expect_name(p);
    return node->attribute.name ? node : NULL;
}

/* From behind the first bound, or the bracket, to before the bracket that closes. */
static struct jinja_node *parse_slice(struct jinja_parser *p, struct jinja_node *start)
{
    struct jinja_node *slice = jinja_parser_node(p, NODE_SLICE);

    slice->bounds[0] = start;
    for (size_t i = 1; i < 3 && jinja_parser_skip_operator(p, ":"); i++) {
        if (jinja_parser_is_operator(p, ":") || jinja_parser_is_operator(p, "]"))
            continue;
        slice->bounds[i] = jinja_expression(p);
        if (!slice->bounds[i])
            return NULL;
    }
    return slice;
}

static struct jinja_node *parse_key(struct jinja_parser *p)
{
    struct jinja_node *key;

    if (jinja_parser_is_operator(p, ":"))
        return parse_slice(p, NULL);
    key = jinja_expression(p);
    return key && jinja_parser_is_operator(p, ":") ? parse_slice(p, key) : key;
}

static struct jinja_node *parse_subscript(struct jinja_parser *p, struct jinja_node *of)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_SUBSCRIPT);

    p->at++;
    node->subscript.of = of;
    node->subscript.key = parse_key(p);
    return node->subscript.key && !jinja_parser_expect_operator(p, "]") ? node : NULL;
}

static struct jinja_argument *parse_argument(struct jinja_parser *p)
{
    struct jinja_argument *argument = arena_alloc(p->arena, 1, sizeof(*argument));
    const struct jinja_token *after = p->at + (p->at->kind != TOKEN_END);

    if (p->at->kind == TOKEN_NAME && after->kind == TOKEN_OPERATOR &&
        jinja_text_is(after->text, "=")) {
        argument->keyword = jinja_parser_expect_name(p);
        p->at++;
    }
    argument->value = jinja_expression(p);
    return argument->value ? argument : NULL;
}

/* From "(" to behind ")". */
static enum status parse_arguments(struct jinja_parser *p, struct jinja_argument **first)
{
    struct jinja_argument **end = first;
    bool keywords = false;

    p->at++;
    while (!jinja_parser_is_operator(p, ")")) {
        if (*first && jinja_parser_expect_operator(p, ","))
            return STATUS_INVALID;
        if (jinja_parser_is_operator(p, ")"))
            break;
        *end = parse_argument(p);
        if (!*end)
            return STATUS_INVALID;
        if (keywords && !(*end)->keyword)
            return jinja_parser_fail(p, "an argument without a name behind one with a name");
        keywords = (*end)->keyword;
        end = &(*end)->next;
    }
    p->at++;
    return STATUS_OK;
}

static struct jinja_node *parse_call(struct jinja_parser *p, struct jinja_node *callee)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_CALL);

    node->call.callee = callee;
    return parse_arguments(p, &node->call.arguments) ? NULL : node;
}

static struct jinja_node *parse_postfix(struct jinja_parser *p, struct jinja_node *node)
{
    while (node) {
        if (jinja_parser_is_operator(p, "."))
            node = parse_dot(p, node);
        else if (jinja_parser_is_operator(p, "["))
            node = parse_subscript(p, node);
        else if (jinja_parser_is_operator(p, "("))
            node = parse_call(p, node);
        else
            break;
    }
    return node;
}

/* The name of a filter or a test, up to its arguments. */
static struct jinja_node *parse_function_name(struct jinja_parser *p, struct jinja_node *input,
                                              const struct jinja_function *table)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_APPLY);
    struct jinja_text name = p->at->text;

    node->apply.input = input;
    node->apply.function = jinja_function_find(table, name);
    if (p->at->kind == TOKEN_NAME && node->apply.function) {
        p->at++;
        return node;
    }
    if (p->at->kind == TOKEN_NAME)
        jinja_parser_fail(p, "no %s \"%.*s\"", table == jinja_filters ? "filter" : "test",
                          (int)name.len, name.bytes);
    else
        jinja_parser_unexpected(p, "a name");
    return NULL;
}

struct jinja_node *jinja_expression_filters(struct jinja_parser *p, struct jinja_node *input)
{
    struct jinja_node *node = input;

    while (node && jinja_parser_skip_operator(p, "|")) {
        node = parse_function_name(p, node, jinja_filters);
        if (node && jinja_parser_is_operator(p, "(") && parse_arguments(p, &node->apply.arguments))
            return NULL;
    }
    return node;
}

/* Whether the argument of a test follows without parentheses: x is divisibleby 3. */
static bool at_bare_argument(const struct jinja_parser *p)
{
    switch (p->at->kind) {
    case TOKEN_NAME:
        return !jinja_parser_is_name(p, "else") && !jinja_parser_is_name(p, "or") &&
               !jinja_parser_is_name(p, "and");
    case TOKEN_STRING:
    case TOKEN_INTEGER:
    case TOKEN_FLOAT:
        return true;
    case TOKEN_END:
    case TOKEN_TEXT:
    case TOKEN_BLOCK_BEGIN:
    case TOKEN_BLOCK_END:
    case TOKEN_PRINT_BEGIN:
    case TOKEN_PRINT_END:
    case TOKEN_OPERATOR:
    default:
        return jinja_parser_is_operator(p, "[") || jinja_parser_is_operator(p, "{");
    }
}

static enum status parse_bare_argument(struct jinja_parser *p, struct jinja_argument **argument)
{
    if (jinja_parser_is_name(p, "is"))
        return jinja_parser_fail(p, "tests cannot be chained with is");
    *argument = arena_alloc(p->arena, 1, sizeof(**argument));
    (*argument)->value = parse_postfix(p, jinja_primary(p));
    return (*argument)->value ? STATUS_OK : STATUS_INVALID;
}

/* From behind "is". */
static struct jinja_node *parse_test(struct jinja_parser *p, struct jinja_node *input)
{
    struct jinja_node *negation = jinja_parser_node(p, NODE_NOT);
    bool negated = jinja_parser_skip_name(p, "not");
    struct jinja_node *test = parse_function_name(p, input, jinja_tests);
    enum status st = STATUS_OK;

    if (!test)
        return NULL;
    if (jinja_parser_is_operator(p, "("))
        st = parse_arguments(p, &test->apply.arguments);
    else if (at_bare_argument(p))
        st = parse_bare_argument(p, &test->apply.arguments);
    if (st)
        return NULL;
    negation->operand = test;
    return negated ? negation : test;
}

/* Filters, tests and calls, in any order. */
static struct jinja_node *parse_suffixes(struct jinja_parser *p, struct jinja_node *node)
{
    while (node) {
        if (jinja_parser_is_operator(p, "|"))
            node = jinja_expression_filters(p, node);
        else if (jinja_parser_skip_name(p, "is"))
            node = parse_test(p, node);
        else if (jinja_parser_is_operator(p, "("))
            node = parse_call(p, node);
        else
            break;
    }
    return node;
}

static struct jinja_node *parse_sign(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_SIGN);

    node->sign.negative = jinja_parser_is_operator(p, "-");
    p->at++;
    if (!jinja_parser_enter(p))
        node->sign.operand = parse_unary(p, false);
    jinja_parser_leave(p);
    return node->sign.operand ? node : NULL;
}

static struct jinja_node *parse_unary(struct jinja_parser *p, bool with_filters)
{
    bool is_signed = jinja_parser_is_operator(p, "-") || jinja_parser_is_operator(p, "+");
    struct jinja_node *node = parse_postfix(p, is_signed ? parse_sign(p) : jinja_primary(p));

    return with_filters ? parse_suffixes(p, node) : node;
}

/* The operators between values, from the loosest to the tightest; all join from the left. */
enum { LEVEL_SUM, LEVEL_CONCATENATION, LEVEL_PRODUCT, LEVEL_POWER, LEVELS };

static const struct infix {
    const char *symbol;
    int level;
    enum jinja_node_kind kind;
    enum jinja_operator op;
} infixes[] = {
    {"+", LEVEL_SUM, NODE_CALCULATE, OPERATOR_ADD},
    {"-", LEVEL_SUM, NODE_CALCULATE, OPERATOR_SUBTRACT},
    {"~", LEVEL_CONCATENATION, NODE_CONCATENATE, OPERATOR_ADD},
    {"*", LEVEL_PRODUCT, NODE_CALCULATE, OPERATOR_MULTIPLY},
    {"/", LEVEL_PRODUCT, NODE_CALCULATE, OPERATOR_DIVIDE},
    {"//", LEVEL_PRODUCT, NODE_CALCULATE, OPERATOR_FLOOR_DIVIDE},
    {"%", LEVEL_PRODUCT, NODE_CALCULATE, OPERATOR_MODULO},
    {"**", LEVEL_POWER, NODE_CALCULATE, OPERATOR_POWER},
};

/* The operator here if it is of the level, NULL if not; goes past it. */
static const struct infix *skip_infix(struct jinja_parser *p, int level)
{
    for (size_t i = 0; i < COUNT(infixes); i++)
        if (infixes[i].level == level && jinja_parser_skip_operator(p, infixes[i].symbol))
            return &infixes[i];
    return NULL;
}

static struct jinja_node *parse_level(struct jinja_parser *p, int level)
{
    if (level == LEVELS)
        return parse_unary(p, true);

    struct jinja_node *node = parse_level(p, level + 1);
    const struct infix *infix;

    while (node && (infix = skip_infix(p, level))) {
        node = binary(p, infix->kind, node, parse_level(p, level + 1));
        if (node)
            node->binary.op = infix->op;
    }
    return node;
}

static bool skip_relation(struct jinja_parser *p, enum jinja_relation *relation)
{
    static const char *const symbols[] = {
        [RELATION_EQUAL] = "==",      [RELATION_DIFFERENT] = "!=", [RELATION_LESS] = "<",
        [RELATION_LESS_EQUAL] = "<=", [RELATION_GREATER] = ">",    [RELATION_GREATER_EQUAL] = ">=",
    };
    const struct jinja_token *start = p->at;

    for (*relation = RELATION_EQUAL; *relation <= RELATION_GREATER_EQUAL; ++*relation)
        if (jinja_parser_skip_operator(p, symbols[*relation]))
            return true;
    *relation = jinja_parser_skip_name(p, "not") ? RELATION_NOT_IN : RELATION_IN;
    if (jinja_parser_skip_name(p, "in"))
        return true;
    p->at = start;
    return false;
}

static struct jinja_node *parse_compare(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_COMPARE);
    struct jinja_comparison **end = &node->compare.rest;
    enum jinja_relation relation;

    node->compare.first = parse_level(p, LEVEL_SUM);
    if (!node->compare.first)
        return NULL;
    while (skip_relation(p, &relation)) {
        struct jinja_comparison *comparison = arena_alloc(p->arena, 1, sizeof(*comparison));

        comparison->relation = relation;
        comparison->operand = parse_level(p, LEVEL_SUM);
        if (!comparison->operand)
            return NULL;
        *end = comparison;
        end = &comparison->next;
    }
    return node->compare.rest ? node : node->compare.first;
}

static struct jinja_node *parse_not(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_NOT);

    if (!jinja_parser_skip_name(p, "not"))
        return parse_compare(p);
    if (!jinja_parser_enter(p))
        node->operand = parse_not(p);
    jinja_parser_leave(p);
    return node->operand ? node : NULL;
}

static struct jinja_node *parse_and(struct jinja_parser *p)
{
    struct jinja_node *node = parse_not(p);

    while (node && jinja_parser_skip_name(p, "and"))
        node = binary(p, NODE_AND, node, parse_not(p));
    return node;
}

static struct jinja_node *parse_or(struct jinja_parser *p)
{
    struct jinja_node *node = parse_and(p);

    while (node && jinja_parser_skip_name(p, "or"))
        node = binary(p, NODE_OR, node, parse_and(p));
    return node;
}

/* From behind the `if` of: yes if condition else no. */
static struct jinja_node *parse_condition(struct jinja_parser *p, struct jinja_node *yes)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_CHOICE);

    node->choice.yes = yes;
    node->choice.condition = parse_or(p);
    if (!node->choice.condition)
        return NULL;
    if (jinja_parser_skip_name(p, "else")) {
        node->choice.no = jinja_expression(p);
        if (!node->choice.no)
            return NULL;
    }
    return node;
}

static struct jinja_node *parse_choice(struct jinja_parser *p)
{
    struct jinja_node *node = parse_or(p);

    while (node && jinja_parser_skip_name(p, "if"))
        node = parse_condition(p, node);
    return node;
}

struct jinja_node *jinja_expression(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_enter(p) ? NULL : parse_choice(p);

    jinja_parser_leave(p);
    return node;
}

struct jinja_node *jinja_expression_tuple(struct jinja_parser *p)
{
    return parse_tuple(p, jinja_expression);
}

struct jinja_node *jinja_expression_tuple_before_if(struct jinja_parser *p)
{
    return parse_tuple(p, parse_or);
}

/* NOLINTEND(misc-no-recursion) */
