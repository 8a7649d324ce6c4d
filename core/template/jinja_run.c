#include "core/template/jinja_render.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/file.h"
#include "core/template/jinja_function.h"
#include "core/template/jinja_parse.h"
#include "core/template/jinja_print.h"

enum { INCLUDES_MAX = 20, TEMPLATE_MAX_BYTES = 1 << 20 };

/* NOLINTBEGIN(misc-no-recursion): as deep as jinja_enter() lets it */

struct jinja_scope *jinja_scope_new(struct jinja_render *r, struct jinja_scope *parent)
{
    struct jinja_scope *scope = arena_alloc(&r->heap.arena, 1, sizeof(*scope));

    scope->parent = parent;
    return scope;
}

void jinja_bind_name(struct jinja_render *r, const char *name, struct jinja_value value)
{
    struct jinja_binding *binding = r->scope->bindings;

    while (binding && strcmp(binding->name, name) != 0)
        binding = binding->next;
    if (!binding) {
        binding = arena_alloc(&r->heap.arena, 1, sizeof(*binding));
        binding->name = name;
        binding->next = r->scope->bindings;
        r->scope->bindings = binding;
    }
    binding->value = value;
}

static enum status run_print(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value;
    enum status st = jinja_eval(r, node->operand, &value);

    if (!st)
        st = jinja_require(value, &r->error);
    if (st)
        return st;
    jinja_print(value, r->out);
    if (r->out->full)
        return error_set(&r->error, STATUS_INVALID, "more than %d MiB of text",
                         JINJA_TEXT_MAX >> 20);
    return STATUS_OK;
}

static enum status run_if(struct jinja_render *r, const struct jinja_node *node)
{
    for (const struct jinja_branch *b = node->branches; b; b = b->next) {
        struct jinja_value value;
        bool truth = true;
        enum status st = STATUS_OK;

        if (b->condition)
            st = jinja_eval(r, b->condition, &value);
        if (!st && b->condition)
            st = jinja_truth(value, &truth, &r->error);
        if (st)
            return st;
        if (truth)
            return jinja_run(r, b->body);
    }
    return STATUS_OK;
}

/* Bind a name, or unpack the value into several. */
static enum status assign(struct jinja_render *r, const struct jinja_node *target,
                          struct jinja_value value)
{
    const struct jinja_list *list;
    size_t count = 0;

    if (target->kind == NODE_NAME) {
        jinja_bind_name(r, target->name, value);
        return STATUS_OK;
    }

    enum status st = jinja_elements(&r->heap, value, &list, &r->error);

    if (st)
        return st;
    for (const struct jinja_node *t = target->items; t; t = t->next)
        count++;
    if (count != list->count)
        return error_set(&r->error, STATUS_INVALID, "%zu names for %zu values", count, list->count);
    for (const struct jinja_node *t = target->items; t && !st; t = t->next)
        st = assign(r, t, list->items[list->count - count--]);
    return st;
}

static enum status passes(struct jinja_render *r, const struct jinja_node *node,
                          struct jinja_value item, bool *passed)
{
    struct jinja_value value = {0};

    r->scope = jinja_scope_new(r, r->scope);

    enum status st = assign(r, node->loop.target, item);

    if (!st)
        st = jinja_eval(r, node->loop.filter, &value);
    if (!st)
        st = jinja_truth(value, passed, &r->error);
    r->scope = r->scope->parent;
    return st;
}

/* The elements that the loop's filter lets through. */
static enum status filter(struct jinja_render *r, const struct jinja_node *node,
                          const struct jinja_list **list)
{
    const struct jinja_list *all = *list;
    struct jinja_list *passed = jinja_list_new(&r->heap, all->count);
    enum status st = STATUS_OK;

    passed->count = 0;
    for (size_t i = 0; i < all->count && !st; i++) {
        bool pass = false;

        st = passes(r, node, all->items[i], &pass);
        passed->items[passed->count] = all->items[i];
        passed->count += pass;
    }
    *list = passed;
    return st;
}

/* Once around: a scope of its own, with the variable `loop` and the loop's own variables. */
static enum status run_round(struct jinja_render *r, const struct jinja_node *node,
                             const struct jinja_loop *loop)
{
    r->scope = jinja_scope_new(r, r->scope);
    jinja_bind_name(r, "loop", (struct jinja_value){JINJA_LOOP, {.loop = loop}});

    enum status st = assign(r, node->loop.target, loop->items->items[loop->index]);

    if (!st)
        st = jinja_run(r, node->loop.body);
    r->scope = r->scope->parent;
    return st;
}

static enum status run_otherwise(struct jinja_render *r, const struct jinja_node *node)
{
    r->scope = jinja_scope_new(r, r->scope);

    enum status st = jinja_run(r, node->loop.otherwise);

    r->scope = r->scope->parent;
    return st;
}

static enum status run_for(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value;
    const struct jinja_list *list;
    enum status st = jinja_eval(r, node->loop.elements, &value);

    if (!st)
        st = jinja_elements(&r->heap, value, &list, &r->error);
    if (!st && node->loop.filter)
        st = filter(r, node, &list);
    if (st)
        return st;
    if (!list->count)
        return run_otherwise(r, node);

    struct jinja_loop *loop = arena_alloc(&r->heap.arena, 1, sizeof(*loop));

    loop->items = list;
    for (; loop->index < list->count && !st; loop->index++)
        st = run_round(r, node, loop);
    return st;
}

static enum status run_set(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value;
    enum status st = jinja_eval(r, node->set.value, &value);

    return st ? st : assign(r, node->set.target, value);
}

static enum status run_macro(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_macro *macro = arena_alloc(&r->heap.arena, 1, sizeof(*macro));

    *macro = (struct jinja_macro){node->macro, r->scope, r->name};
    jinja_bind_name(r, node->macro->name, (struct jinja_value){JINJA_MACRO, {.macro = macro}});
    return STATUS_OK;
}

static void bind_given(struct jinja_render *r, const char *parameter, struct jinja_value given)
{
    jinja_bind_name(r, parameter,
                    given.type == JINJA_ABSENT ? jinja_undefined(r, "no argument \"%s\"", parameter)
                                               : given);
}

static enum status bind_default(struct jinja_render *r, const struct jinja_macro_node *macro,
                                size_t index)
{
    struct jinja_value value;
    enum status st = jinja_eval(r, macro->defaults[index], &value);

    if (!st)
        jinja_bind_name(r, macro->parameters[index], value);
    return st;
}

static void bind_caller(struct jinja_render *r, const struct jinja_macro *caller)
{
    struct jinja_value value = {JINJA_UNDEFINED, {.missing = "caller: not called by a call block"}};

    if (caller)
        value = (struct jinja_value){JINJA_MACRO, {.macro = caller}};
    jinja_bind_name(r, "caller", value);
}

/* In the scope of the call: fill the parameters, and run the body. */
static enum status run_call(struct jinja_render *r, const struct jinja_macro *macro,
                            const struct jinja_value *slots, const struct jinja_macro *caller,
                            struct jinja_value *out)
{
    const struct jinja_macro_node *definition = macro->definition;
    enum status st = STATUS_OK;

    bind_caller(r, caller);
    /* Defaults are computed in order and see what is given, whatever its place. */
    for (size_t i = 0; i < definition->count; i++)
        bind_given(r, definition->parameters[i], slots[i]);
    for (size_t i = 0; i < definition->count && !st; i++)
        if (slots[i].type == JINJA_ABSENT && definition->defaults[i])
            st = bind_default(r, definition, i);
    return st ? st : jinja_capture(r, r->scope, definition->body, out);
}

enum status jinja_call_macro(struct jinja_render *r, const struct jinja_macro *macro,
                             const struct jinja_arguments *arguments,
                             const struct jinja_macro *caller, struct jinja_value *out)
{
    const struct jinja_macro_node *definition = macro->definition;
    struct jinja_value *slots = arena_alloc(&r->heap.arena, definition->count, sizeof(*slots));
    struct jinja_scope *outer_scope = r->scope;
    const char *outer_name = r->name;
    enum status st =
        jinja_bind(arguments, definition->parameters, definition->count, slots, &r->error);

    if (st)
        return st;
    r->scope = jinja_scope_new(r, macro->scope);
    r->name = macro->template_name;
    st = run_call(r, macro, slots, caller, out);
    r->scope = outer_scope;
    r->name = outer_name;
    return st;
}

static enum status parse_file(struct jinja_render *r, const char *name, const char *path,
                              struct jinja_node **statements)
{
    struct strbuf text = {0};
    enum status st = file_read(path, TEMPLATE_MAX_BYTES, &text, &r->error);

    if (st == STATUS_NOT_FOUND)
        error_set(&r->error, st, "no template \"%s\" in this folder", name);
    if (!st) {
        st = jinja_parse((struct jinja_text){strbuf_cstr(&text), text.len}, name, &r->heap.arena,
                         statements, &r->error);
        r->located = st;
    }
    strbuf_release(&text);
    return st;
}

enum status jinja_load(struct jinja_render *r, const char *name, const struct jinja_unit **unit)
{
    struct jinja_unit *loaded = r->units;

    while (loaded && strcmp(loaded->name, name) != 0)
        loaded = loaded->next;
    if (!loaded) {
        loaded = arena_alloc(&r->heap.arena, 1, sizeof(*loaded));
        loaded->name = arena_copy(&r->heap.arena, name, strlen(name));

        char *path = file_join(r->folder, name);
        enum status st = parse_file(r, loaded->name, path, &loaded->statements);

        free(path);
        if (st)
            return st;
        loaded->next = r->units;
        r->units = loaded;
    }
    *unit = loaded;
    return STATUS_OK;
}

/* Load the template that the value names: a file of the same folder. */
static enum status load_included(struct jinja_render *r, struct jinja_value value,
                                 const struct jinja_unit **unit)
{
    enum status st = jinja_require(value, &r->error);

    if (st)
        return st;
    if (value.type != JINJA_STRING)
        return error_set(&r->error, STATUS_INVALID, "include: %s is not the name of a template",
                         jinja_type_name(value));

    const char *name = arena_copy(&r->heap.arena, value.text.bytes, value.text.len);

    if (!r->folder || strlen(name) != value.text.len || !*name || *name == '.' || strchr(name, '/'))
        return error_set(&r->error, STATUS_NOT_FOUND, "no template \"%s\" can be included", name);
    return jinja_load(r, name, unit);
}

static enum status run_unit(struct jinja_render *r, const struct jinja_node *node,
                            const struct jinja_unit *unit)
{
    struct jinja_scope *outer_scope = r->scope;
    const char *outer_name = r->name;

    if (++r->includes > INCLUDES_MAX)
        return error_set(&r->error, STATUS_INVALID,
                         "more than %d includes inside each other: does \"%s\" include itself?",
                         INCLUDES_MAX, unit->name);
    r->scope = jinja_scope_new(r, node->include.without_context ? NULL : outer_scope);
    r->name = unit->name;

    enum status st = jinja_run(r, unit->statements);

    r->scope = outer_scope;
    r->name = outer_name;
    r->includes--;
    return st;
}

static enum status run_include(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value;
    const struct jinja_unit *unit = NULL;
    enum status st = jinja_eval(r, node->include.name, &value);

    if (st)
        return st;
    st = load_included(r, value, &unit);
    if (st == STATUS_NOT_FOUND && node->include.may_be_missing && value.type == JINJA_STRING)
        return STATUS_OK;
    return unit ? run_unit(r, node, unit) : st;
}

static enum status run_one(struct jinja_render *r, const struct jinja_node *node)
{
    static enum status (*const run[])(struct jinja_render *, const struct jinja_node *) = {
        [NODE_PRINT] = run_print, [NODE_IF] = run_if,           [NODE_FOR] = run_for,
        [NODE_SET] = run_set,     [NODE_INCLUDE] = run_include, [NODE_MACRO] = run_macro,
    };
    enum status st = jinja_enter(r);

    if (!st)
        st = run[node->kind](r, node);
    return jinja_leave(r, node, st);
}

enum status jinja_run(struct jinja_render *r, const struct jinja_node *statements)
{
    enum status st = STATUS_OK;

    for (const struct jinja_node *node = statements; node && !st; node = node->next)
        st = run_one(r, node);
    return st;
}

/* NOLINTEND(misc-no-recursion) */
