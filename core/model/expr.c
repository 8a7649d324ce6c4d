#include "core/model/expr.h"

#include <ctype.h>
#include <string.h>

const struct binding *scope_find(const struct scope *scope, const char *name)
{
    for (; scope; scope = scope->outer)
        for (size_t i = 0; i < scope->count; i++)
            if (strcmp(scope->items[i].name, name) == 0)
                return &scope->items[i];
    return NULL;
}

void scope_list(const struct scope *scope, struct strbuf *names)
{
    for (; scope; scope = scope->outer)
        for (size_t i = 0; i < scope->count; i++)
            strbuf_add_item(names, scope->items[i].name);
}

/* The operators and functions return NULL, or the reason why there is no result. */
static const char too_large[] = "the value needs more than 64 bits";
static const char by_zero[] = "division by zero";

static const char *add(int64_t a, int64_t b, int64_t *result)
{
    return __builtin_add_overflow(a, b, result) ? too_large : NULL;
}

static const char *subtract(int64_t a, int64_t b, int64_t *result)
{
    return __builtin_sub_overflow(a, b, result) ? too_large : NULL;
}

static const char *multiply(int64_t a, int64_t b, int64_t *result)
{
    return __builtin_mul_overflow(a, b, result) ? too_large : NULL;
}

static const char *divide(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0)
        return by_zero;
    if (b == -1)
        return subtract(0, a, result);
    *result = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return NULL;
}

static const char *modulo(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0)
        return by_zero;
    int64_t rest = b == -1 ? 0 : a % b;
    *result = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return NULL;
}

static const char *smaller(int64_t a, int64_t b, int64_t *result)
{
    *result = a < b ? a : b;
    return NULL;
}

static const char *larger(int64_t a, int64_t b, int64_t *result)
{
    *result = a > b ? a : b;
    return NULL;
}

static const char *divide_up(int64_t a, int64_t b, int64_t *result)
{
    int64_t rest = 0, quotient = 0;
    const char *problem = divide(a, b, &quotient);

    if (problem)
        return problem;
    modulo(a, b, &rest);
    return add(quotient, rest != 0, result);
}

static const char *align(int64_t a, int64_t b, int64_t *result)
{
    int64_t blocks = 0;
    const char *problem = divide_up(a, b, &blocks);

    return problem ? problem : multiply(blocks, b, result);
}

/* The smallest power of two that is not below either operand. */
static const char *power_of_two(int64_t a, int64_t b, int64_t *result)
{
    int64_t power = 1;

    while (power < (a > b ? a : b))
        if (power > INT64_MAX / 2)
            return too_large;
        else
            power *= 2;
    *result = power;
    return NULL;
}

struct rule {
    const char *name;
    const char *(*apply)(int64_t a, int64_t b, int64_t *result);
    int precedence; /* 0 for an open parenthesis */
    int max_arguments;
};

static const struct rule operators[] = {
    {"+", add, 1, 0},    {"-", subtract, 1, 0}, {"*", multiply, 2, 0},
    {"/", divide, 2, 0}, {"%", modulo, 2, 0},   {0},
};

static const struct rule negation = {"-", subtract, 3, 0};
static const struct rule group = {"(", NULL, 0, 1};

static const struct rule functions[] = {
    {"min", smaller, 0, 64}, {"max", larger, 0, 64},       {"ceildiv", divide_up, 0, 2},
    {"align", align, 0, 2},  {"pow2", power_of_two, 0, 2}, {0},
};

enum { MAX_DEPTH = 64, MAX_NAME = 64 };

/* An operator or open parenthesis whose right side is not complete. */
struct pending {
    const struct rule *rule;
    int arguments; /* for a function: the number of arguments before the current one */
};

/* Dijkstra's shunting-yard algorithm, which here evaluates while it parses. */
struct evaluation {
    const char *text, *at;
    const struct scope *scope;
    struct error *err;
    int64_t values[MAX_DEPTH + 1]; /* at most one for each pending rule, and the last one */
    size_t value_count;
    struct pending pending[MAX_DEPTH];
    size_t depth;
};

static enum status fail(const struct evaluation *e, const char *message)
{
    return error_set(e->err, STATUS_INVALID, "\"%.80s\", at character %zu: %s", e->text,
                     (size_t)(e->at - e->text) + 1, message);
}

static enum status fail_unknown(const struct evaluation *e, const char *name)
{
    struct strbuf why = {0}, known = {0};

    scope_list(e->scope, &known);
    strbuf_addf(&why, "no \"%s\": ", name);
    if (known.len)
        strbuf_addf(&why, "expected one of %s", strbuf_cstr(&known));
    else
        strbuf_adds(&why, "expected a number, there are no names here");
    fail(e, strbuf_cstr(&why));
    strbuf_release(&why);
    strbuf_release(&known);
    return STATUS_INVALID;
}

static void skip_blanks(struct evaluation *e)
{
    while (*e->at == ' ' || *e->at == '\t')
        e->at++;
}

static void push_value(struct evaluation *e, int64_t value)
{
    e->values[e->value_count++] = value;
}

static enum status push_rule(struct evaluation *e, const struct rule *rule)
{
    if (e->depth == MAX_DEPTH)
        return fail(e, "too deeply nested");
    e->pending[e->depth++] = (struct pending){.rule = rule};
    return STATUS_OK;
}

static enum status apply(struct evaluation *e, const struct rule *rule)
{
    int64_t b = e->values[--e->value_count];
    int64_t *a = &e->values[e->value_count - 1];
    const char *problem = rule->apply(*a, b, a);

    return problem ? fail(e, problem) : STATUS_OK;
}

/* Apply the pending operators whose precedence is at least `precedence` > 0. */
static enum status reduce(struct evaluation *e, int precedence)
{
    enum status st = STATUS_OK;

    while (!st && e->depth > 0 && e->pending[e->depth - 1].rule->precedence >= precedence)
        st = apply(e, e->pending[--e->depth].rule);
    return st;
}

static enum status read_integer(struct evaluation *e)
{
    int64_t value = 0;

    for (; isdigit((unsigned char)*e->at); e->at++)
        if (multiply(value, 10, &value) || add(value, *e->at - '0', &value))
            return fail(e, too_large);
    push_value(e, value);
    return STATUS_OK;
}

static const struct rule *find_rule(const struct rule *rules, const char *name)
{
    for (; rules->name; rules++)
        if (strcmp(rules->name, name) == 0)
            return rules;
    return NULL;
}

static enum status open_function(struct evaluation *e, const char *name)
{
    const struct rule *function = find_rule(functions, name);

    if (!function)
        return fail(e, "unknown function; there are min, max, ceildiv, align and pow2");
    e->at++;
    return push_rule(e, function);
}

/*
 * Read a dimension, which is an operand, or the start of a function call, which becomes an operand
 * at its closing parenthesis.
 */
static enum status read_name(struct evaluation *e, bool *has_operand)
{
    char name[MAX_NAME];
    size_t len = 0;

    while (len < MAX_NAME && (isalnum((unsigned char)e->at[len]) || e->at[len] == '_'))
        len++;
    if (len == MAX_NAME)
        return fail(e, "the name is too long");
    memcpy(name, e->at, len);
    name[len] = '\0';

    const struct binding *binding = scope_find(e->scope, name);
    const char *start = e->at;

    e->at += len;
    skip_blanks(e);
    *has_operand = *e->at != '(';
    if (!*has_operand)
        return open_function(e, name);
    if (binding) {
        push_value(e, binding->value);
        return STATUS_OK;
    }
    e->at = start;
    return fail_unknown(e, name);
}

/* Read one token at a position where an operand is expected. */
static enum status read_operand(struct evaluation *e, bool *has_operand)
{
    *has_operand = false;
    if (*e->at == '-') {
        e->at++;
        push_value(e, 0);
        return push_rule(e, &negation);
    }
    if (*e->at == '(') {
        e->at++;
        return push_rule(e, &group);
    }
    if (isalpha((unsigned char)*e->at) || *e->at == '_')
        return read_name(e, has_operand);
    if (!isdigit((unsigned char)*e->at))
        return fail(e, "expected a number, a name or \"(\"");
    *has_operand = true;
    return read_integer(e);
}

/*
 * End an argument of a function or the inside of parentheses, and combine it with the arguments
 * before it.
 */
static enum status end_argument(struct evaluation *e)
{
    enum status st = reduce(e, 1);

    if (st)
        return st;
    if (e->depth == 0)
        return fail(e, "not inside parentheses");

    struct pending *open = &e->pending[e->depth - 1];

    if (++open->arguments > open->rule->max_arguments)
        return fail(e, "too many arguments");
    return open->arguments > 1 ? apply(e, open->rule) : STATUS_OK;
}

static enum status close_parenthesis(struct evaluation *e)
{
    enum status st = end_argument(e);

    if (st)
        return st;
    if (e->pending[e->depth - 1].rule->apply && e->pending[e->depth - 1].arguments < 2)
        return fail(e, "the function takes two arguments");
    e->depth--;
    e->at++;
    return STATUS_OK;
}

/* Read one token at a position where an operator, a comma or a closing parenthesis is expected. */
static enum status read_operator(struct evaluation *e, bool *has_operand)
{
    const char name[] = {*e->at, '\0'};
    const struct rule *rule = find_rule(operators, name);
    enum status st;

    *has_operand = *e->at == ')';
    if (*e->at == ')')
        return close_parenthesis(e);
    if (*e->at == ',') {
        st = end_argument(e);
        e->at++;
        return st;
    }
    if (!rule)
        return fail(e, "expected an operator");
    st = reduce(e, rule->precedence);
    e->at++;
    return st ? st : push_rule(e, rule);
}

enum status expr_eval(const char *text, const struct scope *scope, int64_t *value,
                      struct error *err)
{
    struct evaluation e = {.text = text, .at = text, .scope = scope, .err = err};
    bool has_operand = false;
    enum status st = STATUS_OK;

    for (skip_blanks(&e); !st && (*e.at || !has_operand); skip_blanks(&e))
        st = has_operand ? read_operator(&e, &has_operand) : read_operand(&e, &has_operand);
    if (!st)
        st = reduce(&e, 1);
    if (!st && e.depth > 0)
        st = fail(&e, "missing \")\"");
    if (!st)
        *value = e.values[0];
    return st;
}

enum status expr_read(const struct json_ref *at, const struct scope *scope, int64_t *value,
                      struct error *err)
{
    struct error why;
    enum status st;

    if (json_type(at->value) == JSON_NUMBER)
        return json_read_integer(at, value, err);
    if (json_type(at->value) != JSON_STRING)
        return json_ref_error(at, err, "expected a number or an expression");
    st = expr_eval(json_string(at->value, ""), scope, value, &why);
    return st ? json_ref_error(at, err, "%s", why.text) : STATUS_OK;
}
