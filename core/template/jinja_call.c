#include "core/template/jinja_function.h"
#include "core/template/jinja_render.h"

/* Evaluating what has arguments: calls of macros and methods, filters and tests. */

/* NOLINTBEGIN(misc-no-recursion): as deep as jinja_enter() lets it */

/* Evaluate the arguments; `input`, unless NULL, is the first. */
static enum status eval_arguments(struct jinja_render *r, const struct jinja_argument *first,
                                  const struct jinja_value *input, struct jinja_arguments *out)
{
    size_t count = input != NULL;
    enum status st = STATUS_OK;

    for (const struct jinja_argument *a = first; a; a = a->next)
        count++;
    out->values = arena_alloc(&r->heap.arena, count, sizeof(*out->values));
    out->keywords = arena_alloc(&r->heap.arena, count, sizeof(*out->keywords));
    out->count = 0;
    if (input)
        out->values[out->count++] = *input;
    for (const struct jinja_argument *a = first; a && !st; a = a->next) {
        out->keywords[out->count] = a->keyword;
        st = jinja_eval(r, a->value, &out->values[out->count++]);
    }
    return st;
}

static enum status cycle(struct jinja_render *r, const struct jinja_node *node,
                         const struct jinja_loop *loop, struct jinja_value *out)
{
    struct jinja_arguments arguments;
    enum status st = eval_arguments(r, node->call.arguments, NULL, &arguments);

    if (st)
        return st;
    if (!arguments.count || arguments.keywords[arguments.count - 1])
        return error_set(&r->error, STATUS_INVALID, "cycle needs values, without names");
    *out = arguments.values[loop->index % arguments.count];
    return STATUS_OK;
}

static enum status call_value(struct jinja_render *r, const struct jinja_node *node,
                              struct jinja_value callee, struct jinja_value *out)
{
    struct jinja_arguments arguments;
    struct jinja_macro *caller = NULL;
    enum status st = jinja_require(callee, &r->error);

    if (st)
        return st;
    if (callee.type != JINJA_MACRO && callee.type != JINJA_FUNCTION)
        return error_set(&r->error, STATUS_INVALID, "%s cannot be called", jinja_type_name(callee));
    st = eval_arguments(r, node->call.arguments, NULL, &arguments);
    if (st)
        return st;
    if (callee.type == JINJA_FUNCTION)
        return jinja_apply(&r->heap, callee.function, &arguments, out, &r->error);
    if (node->call.caller) {
        caller = arena_alloc(&r->heap.arena, 1, sizeof(*caller));
        *caller = (struct jinja_macro){node->call.caller, r->scope, r->name};
    }
    return jinja_call_macro(r, callee.macro, &arguments, caller, out);
}

/* of.name(...): a method, or an attribute that is a macro. */
static enum status call_attribute(struct jinja_render *r, const struct jinja_node *node,
                                  struct jinja_value *out)
{
    const struct jinja_node *callee = node->call.callee;
    struct jinja_text name = jinja_text_of(callee->attribute.name);
    const struct jinja_function *method = NULL;
    struct jinja_arguments arguments;
    struct jinja_value of;
    struct jinja_value value;
    enum status st = jinja_eval(r, callee->attribute.of, &of);

    if (st)
        return st;
    if (of.type == JINJA_LOOP && jinja_text_is(name, "cycle"))
        return cycle(r, node, of.loop, out);
    if (of.type == JINJA_DICT)
        method = jinja_function_find(jinja_dict_methods, name);
    if (method) {
        st = eval_arguments(r, node->call.arguments, &of, &arguments);
        return st ? st : jinja_apply(&r->heap, method, &arguments, out, &r->error);
    }
    st = jinja_eval_attribute_of(r, callee, of, &value);
    return st ? st : call_value(r, node, value, out);
}

enum status jinja_eval_call(struct jinja_render *r, const struct jinja_node *node,
                            struct jinja_value *out)
{
    struct jinja_value callee;

    if (node->call.callee->kind == NODE_ATTRIBUTE)
        return call_attribute(r, node, out);

    enum status st = jinja_eval(r, node->call.callee, &callee);

    return st ? st : call_value(r, node, callee, out);
}

enum status jinja_eval_apply(struct jinja_render *r, const struct jinja_node *node,
                             struct jinja_value *out)
{
    struct jinja_arguments arguments;
    struct jinja_value input;
    enum status st = jinja_eval(r, node->apply.input, &input);

    if (!st)
        st = eval_arguments(r, node->apply.arguments, &input, &arguments);
    return st ? st : jinja_apply(&r->heap, node->apply.function, &arguments, out, &r->error);
}

/* NOLINTEND(misc-no-recursion) */
