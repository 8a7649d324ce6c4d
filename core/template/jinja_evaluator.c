#include "core/template/jinja_evaluator.h"

#include "core/template/jinja_filter.h"
#include "core/template/jinja_print.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as jinja_enter() lets it */

/* The way to a value, as the template writes it. */
static void add_path(struct strbuf *out, const struct jinja_node *node)
{
    if (node->kind == NODE_NAME) {
        strbuf_adds(out, node->name);
    } else if (node->kind == NODE_ATTRIBUTE) {
        add_path(out, node->a);
        strbuf_addf(out, ".%s", node->name);
    } else if (node->kind == NODE_SUBSCRIPT) {
        add_path(out, node->a);
        strbuf_adds(out, "[...]");
    } else {
        strbuf_adds(out, "the value");
    }
}

static struct jinja_value eval_element(struct jinja_render *r, const struct jinja_node *node,
                                       struct jinja_value key)
{
    struct jinja_value of = jinja_eval_defined(r, node->a);
    struct jinja_sink text = {0};
    struct strbuf path = {0};
    struct jinja_value value;

    if (jinja_failed(r) || jinja_subscript(&r->arena, of, key, &value))
        return jinja_failed(r) ? of : value;
    jinja_print(r, key, &text);
    add_path(&path, node->a);
    value =
        jinja_undefined(r, "no %s \"%s\" in %s", node->kind == NODE_ATTRIBUTE ? "attribute" : "key",
                        strbuf_cstr(&text.text), strbuf_cstr(&path));
    strbuf_release(&text.text);
    strbuf_release(&path);
    return value;
}

/* The arguments in order into `slots`, at most `most`; returns their number. `name` is called. */
static size_t eval_arguments(struct jinja_render *r, const struct jinja_node *argument,
                             const char *name, size_t most, struct jinja_value *slots)
{
    size_t count = 0;

    for (; argument && count < most; argument = argument->next)
        slots[count++] = jinja_eval(r, argument);
    if (argument)
        jinja_fail(r, "%s: more than %zu arguments", name, most);
    return count;
}

static struct jinja_value eval_call(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value slots[JINJA_PARAMETERS_MAX] = {{0}};
    struct jinja_value callee = jinja_lookup(r, node->name);

    if (callee.type == JINJA_UNDEFINED)
        return jinja_fail(r, "no macro \"%s\"", node->name);
    if (callee.type != JINJA_MACRO)
        return jinja_fail(r, "%s is no macro but %s", node->name, jinja_type_name(callee));
    eval_arguments(r, node->items, node->name, callee.macro->count, slots);
    return jinja_failed(r) ? callee : r->call_macro(r, callee.macro, slots);
}

static struct jinja_value eval_filter(struct jinja_render *r, const struct jinja_node *node)
{
    const struct jinja_filter *filter = node->filter;
    struct jinja_value slots[JINJA_FILTER_PARAMETERS + 1] = {jinja_eval(r, node->a)};
    size_t count = eval_arguments(r, node->items, filter->name, filter->most, slots + 1);

    if (count < filter->least)
        jinja_fail(r, "%s: fewer than %zu arguments", filter->name, filter->least);
    for (size_t i = 0; !filter->takes_undefined && i <= count; i++)
        jinja_require(r, slots[i]);
    return jinja_failed(r) ? slots[0] : filter->apply(r, slots);
}

/* The left value if it decides, else the right one. */
static struct jinja_value eval_and_or(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value left = jinja_eval_defined(r, node->a);

    return jinja_truth(left) == (node->kind == NODE_OR) ? left : jinja_eval(r, node->b);
}

/* Without `else` it is undefined where the condition is false, but may be printed. */
static struct jinja_value eval_choice(struct jinja_render *r, const struct jinja_node *node)
{
    if (jinja_eval_truth(r, node->b))
        return jinja_eval(r, node->a);
    return node->c ? jinja_eval(r, node->c) : (struct jinja_value){.type = JINJA_UNDEFINED};
}

static struct jinja_value eval_negate(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value = jinja_eval_defined(r, node->a);

    if (value.type == JINJA_FLOAT)
        return jinja_float(-value.real);
    if (!jinja_is_integer(value))
        return jinja_fail(r, "%s has no sign", jinja_type_name(value));
    return jinja_operate(r, OPERATOR_SUBTRACT, jinja_int(0), value);
}

static struct jinja_value eval_concatenate(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_sink sink = {0};

    jinja_print(r, jinja_eval_defined(r, node->a), &sink);
    jinja_print(r, jinja_eval_defined(r, node->b), &sink);
    return jinja_take(r, &sink);
}

static struct jinja_value eval_sequence(struct jinja_render *r, const struct jinja_node *node)
{
    size_t count = 0;

    for (const struct jinja_node *item = node->items; item; item = item->next)
        count++;

    struct jinja_list *list = jinja_list_new(&r->arena, count);
    struct jinja_value *end = list->items;

    for (const struct jinja_node *item = node->items; item; item = item->next)
        *end++ = jinja_eval_defined(r, item);
    return jinja_list_value(list);
}

static struct jinja_value evaluate(struct jinja_render *r, const struct jinja_node *node)
{
    switch ((int)node->kind) {
    case NODE_LITERAL:
        return node->literal;
    case NODE_NAME:
        return jinja_lookup(r, node->name);
    case NODE_ATTRIBUTE:
        return eval_element(r, node, jinja_string(jinja_text_of(node->name)));
    case NODE_SUBSCRIPT:
        return eval_element(r, node, jinja_eval_defined(r, node->b));
    case NODE_CALL:
        return eval_call(r, node);
    case NODE_FILTER:
        return eval_filter(r, node);
    case NODE_TEST:
        return jinja_bool(node->types & 1U << jinja_eval(r, node->a).type);
    case NODE_NOT:
        return jinja_bool(!jinja_eval_truth(r, node->a));
    case NODE_NEGATE:
        return eval_negate(r, node);
    case NODE_BINARY:
        return jinja_operate(r, node->op, jinja_eval_defined(r, node->a), jinja_eval(r, node->b));
    case NODE_CONCATENATE:
        return eval_concatenate(r, node);
    case NODE_AND:
    case NODE_OR:
        return eval_and_or(r, node);
    case NODE_CHOICE:
        return eval_choice(r, node);
    default: /* LIST: all others are statements */
        return eval_sequence(r, node);
    }
}

/* The steps that a value costs, because its use takes time. */
static size_t weight(struct jinja_value value)
{
    const size_t per_step = 64;

    if (value.type == JINJA_STRING)
        return value.text.len / per_step;
    return value.type == JINJA_LIST ? value.list->count / per_step : 0;
}

struct jinja_value jinja_eval(struct jinja_render *r, const struct jinja_node *expression)
{
    int line = r->line;
    struct jinja_value value = {.type = JINJA_ABSENT};

    if (jinja_enter(r, expression->line))
        value = evaluate(r, expression);
    r->steps += weight(value);
    r->depth--;
    r->line = line;
    return value;
}

struct jinja_value jinja_eval_defined(struct jinja_render *r, const struct jinja_node *expression)
{
    struct jinja_value value = jinja_eval(r, expression);

    jinja_require(r, value);
    return value;
}

bool jinja_eval_truth(struct jinja_render *r, const struct jinja_node *expression)
{
    return jinja_truth(jinja_eval_defined(r, expression));
}

/* NOLINTEND(misc-no-recursion) */
