#include "core/template/jinja_evaluator.h"

#include <string.h>

#include "core/template/jinja_filter.h"
#include "core/template/jinja_predicate.h"
#include "core/template/jinja_print.h"

enum { RANGE_MAX = 1000 * 1000 };

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
    jinja_print(key, &text);
    add_path(&path, node->a);
    value =
        jinja_undefined(r, "no %s \"%s\" in %s", node->kind == NODE_ATTRIBUTE ? "attribute" : "key",
                        strbuf_cstr(&text.text), strbuf_cstr(&path));
    strbuf_release(&text.text);
    strbuf_release(&path);
    return value;
}

/* The place of a slice's bound among `count` elements; negative ones count from the end. */
static size_t bound(struct jinja_render *r, const struct jinja_node *node, size_t count,
                    size_t fallback)
{
    struct jinja_value value = node ? jinja_eval_defined(r, node) : jinja_int((int64_t)fallback);

    if (value.type != JINJA_INT) {
        jinja_fail(r, "a slice needs an int, found %s", jinja_type_name(value));
        return 0;
    }
    if (value.integer < 0)
        value.integer += (int64_t)count;
    if (value.integer < 0)
        return 0;
    return (size_t)value.integer < count ? (size_t)value.integer : count;
}

static struct jinja_value eval_slice(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value of = jinja_eval_defined(r, node->a);
    const struct jinja_list *all = of.type == JINJA_DICT ? NULL : jinja_elements(&r->arena, of);

    if (!all)
        return jinja_fail(r, "%s has no slices", jinja_type_name(of));

    size_t first = bound(r, node->b, all->count, 0);
    size_t end = bound(r, node->c, all->count, all->count);
    size_t count = end > first ? end - first : 0;

    if (of.type == JINJA_STRING) {
        const char *start = count ? all->items[first].text.bytes : "";
        const char *stop =
            count ? all->items[end - 1].text.bytes + all->items[end - 1].text.len : start;

        return jinja_string((struct jinja_text){start, (size_t)(stop - start)});
    }

    struct jinja_list *list = jinja_list_new(&r->arena, count);

    if (count)
        memcpy(list->items, all->items + first, count * sizeof(*list->items));
    return (struct jinja_value){of.type, {.list = list}};
}

/* The place of the argument among the parameters: by its name, or else `place`. */
static size_t find_parameter(const struct jinja_node *argument, const char *const *parameters,
                             size_t place)
{
    size_t i = 0;

    while (parameters[i] &&
           (argument->name ? strcmp(parameters[i], argument->name) != 0 : i < place))
        i++;
    return i;
}

/* Put the arguments into the slots of their parameters; `name` is what is called. */
static void eval_arguments(struct jinja_render *r, const struct jinja_node *first, const char *name,
                           const char *const *parameters, struct jinja_value *slots)
{
    size_t place = 0;

    for (const struct jinja_node *argument = first; argument; argument = argument->next) {
        size_t i = find_parameter(argument, parameters, place++);

        if (parameters[i] && slots[i].type == JINJA_ABSENT) {
            slots[i] = jinja_eval(r, argument->a);
            continue;
        }
        if (argument->name)
            jinja_fail(r, "%s: no parameter \"%s\" is left", name, argument->name);
        else
            jinja_fail(r, "%s: more arguments than parameters", name);
        return;
    }
}

static struct jinja_value make_range(struct jinja_render *r, int64_t first, int64_t end,
                                     int64_t step)
{
    int64_t span;

    if (!step || __builtin_sub_overflow(end, first, &span) || span / step > RANGE_MAX)
        return jinja_fail(r, "range has the step 0 or more than %d elements", RANGE_MAX);

    size_t count = (span < 0) == (step < 0) ? (size_t)(span / step + (span % step != 0)) : 0;
    struct jinja_list *list = jinja_list_new(&r->arena, count);

    for (size_t i = 0; i < count; i++)
        list->items[i] = jinja_int(first + (int64_t)i * step);
    return jinja_list_value(list);
}

static struct jinja_value call_range(struct jinja_render *r, const struct jinja_node *node)
{
    static const char *const parameters[] = {"first", "end", "step", NULL};
    struct jinja_value slots[3] = {{0}};

    eval_arguments(r, node->items, "range", parameters, slots);
    if (slots[1].type == JINJA_ABSENT) {
        slots[1] = slots[0];
        slots[0] = jinja_int(0);
    }
    if (slots[2].type == JINJA_ABSENT)
        slots[2] = jinja_int(1);
    for (size_t i = 0; i < 3 && jinja_require(r, slots[i]); i++)
        if (!jinja_is_integer(slots[i]))
            jinja_fail(r, "range needs ints, found %s", jinja_type_name(slots[i]));
    return jinja_failed(r) ? slots[0]
                           : make_range(r, jinja_to_integer(slots[0]), jinja_to_integer(slots[1]),
                                        jinja_to_integer(slots[2]));
}

static struct jinja_value eval_call(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value slots[JINJA_PARAMETERS_MAX] = {{0}};
    struct jinja_value callee = jinja_lookup(r, node->name);

    if (callee.type == JINJA_UNDEFINED && strcmp(node->name, "range") == 0)
        return call_range(r, node);
    if (callee.type == JINJA_UNDEFINED)
        return jinja_fail(r, "no macro \"%s\"", node->name);
    if (callee.type != JINJA_MACRO)
        return jinja_fail(r, "%s is no macro but %s", node->name, jinja_type_name(callee));
    eval_arguments(r, node->items, node->name, callee.macro->parameters, slots);
    return jinja_failed(r) ? callee : r->call_macro(r, callee.macro, slots);
}

static struct jinja_value eval_filter(struct jinja_render *r, const struct jinja_node *node)
{
    const struct jinja_filter *filter = node->filter;
    struct jinja_value slots[JINJA_FILTER_PARAMETERS + 1] = {jinja_eval(r, node->a)};

    eval_arguments(r, node->items, filter->name, filter->parameters, slots + 1);
    for (size_t i = 0; i < filter->required && !jinja_failed(r); i++)
        if (slots[i + 1].type == JINJA_ABSENT)
            jinja_fail(r, "%s: no argument \"%s\"", filter->name, filter->parameters[i]);
    for (size_t i = 0; !filter->takes_undefined && i <= JINJA_FILTER_PARAMETERS; i++)
        jinja_require(r, slots[i]);
    return jinja_failed(r) ? slots[0] : filter->apply(r, slots);
}

static struct jinja_value eval_test(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value =
        node->predicate->takes_undefined ? jinja_eval(r, node->a) : jinja_eval_defined(r, node->a);

    if (node->predicate->parity && !jinja_is_integer(value))
        return jinja_fail(r, "%s is neither even nor odd", jinja_type_name(value));
    return jinja_bool(jinja_predicate_holds(node->predicate, value));
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

    jinja_print(jinja_eval_defined(r, node->a), &sink);
    jinja_print(jinja_eval_defined(r, node->b), &sink);
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
    return (struct jinja_value){node->kind == NODE_LIST ? JINJA_LIST : JINJA_TUPLE, {.list = list}};
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
    case NODE_SLICE:
        return eval_slice(r, node);
    case NODE_CALL:
        return eval_call(r, node);
    case NODE_FILTER:
        return eval_filter(r, node);
    case NODE_TEST:
        return eval_test(r, node);
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
    default: /* LIST, TUPLE: all others are statements */
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
