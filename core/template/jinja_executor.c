#include "core/template/jinja_executor.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/system/file.h"
#include "core/template/jinja_evaluator.h"
#include "core/template/jinja_print.h"
#include "core/template/jinja_statement.h"

enum { INCLUDES_MAX = 20, TEMPLATE_MAX_BYTES = 1 << 20 };

/* A template file that is parsed already. */
struct jinja_unit {
    const char *name;
    struct jinja_node *statements;
    struct jinja_unit *next;
};

/* NOLINTBEGIN(misc-no-recursion): as deep as jinja_enter() lets it */

static void run_statements(struct jinja_render *r, const struct jinja_node *statements);

static void run_print(struct jinja_render *r, const struct jinja_node *node)
{
    jinja_print(r, jinja_eval_defined(r, node->a), r->out);
    if (r->out->full)
        jinja_fail(r, "more than %d MiB of text", JINJA_TEXT_MAX >> 20);
}

static void run_if(struct jinja_render *r, const struct jinja_node *node)
{
    bool truth = jinja_eval_truth(r, node->a);

    run_statements(r, truth ? node->items : node->otherwise);
}

/* The elements for which the loop's condition holds. */
static const struct jinja_list *filter(struct jinja_render *r, const struct jinja_node *node,
                                       const struct jinja_list *all)
{
    struct jinja_list *passed = jinja_list_new(&r->arena, all->count);

    passed->count = 0;
    for (size_t i = 0; i < all->count && !jinja_failed(r); i++) {
        r->scope = jinja_scope_new(r, r->scope);
        jinja_bind(r, node->name, all->items[i]);
        passed->items[passed->count] = all->items[i];
        passed->count += jinja_eval_truth(r, node->c);
        r->scope = r->scope->parent;
    }
    return passed;
}

/* The variable `loop` of one round. */
static struct jinja_value describe_loop(struct jinja_render *r, const struct jinja_list *list,
                                        size_t index)
{
    int64_t count = (int64_t)list->count, i = (int64_t)index;
    const struct jinja_pair pairs[] = {
        {jinja_text_of("index"), jinja_int(i + 1)},
        {jinja_text_of("index0"), jinja_int(i)},
        {jinja_text_of("revindex"), jinja_int(count - i)},
        {jinja_text_of("revindex0"), jinja_int(count - i - 1)},
        {jinja_text_of("first"), jinja_bool(i == 0)},
        {jinja_text_of("last"), jinja_bool(i == count - 1)},
        {jinja_text_of("length"), jinja_int(count)},
    };
    struct jinja_dict *dict = arena_alloc(&r->arena, 1, sizeof(*dict));

    dict->count = COUNT(pairs);
    dict->pairs = arena_alloc(&r->arena, dict->count + 2, sizeof(*pairs));
    memcpy(dict->pairs, pairs, sizeof(pairs));
    if (i > 0)
        dict->pairs[dict->count++] =
            (struct jinja_pair){jinja_text_of("previtem"), list->items[i - 1]};
    if (i < count - 1)
        dict->pairs[dict->count++] =
            (struct jinja_pair){jinja_text_of("nextitem"), list->items[i + 1]};
    return (struct jinja_value){JINJA_DICT, {.dict = dict}};
}

/* Each round has a scope of its own. */
static void run_round(struct jinja_render *r, const struct jinja_node *node,
                      const struct jinja_list *list, size_t index)
{
    r->scope = jinja_scope_new(r, r->scope);
    jinja_bind(r, "loop", describe_loop(r, list, index));
    jinja_bind(r, node->name, list->items[index]);
    run_statements(r, node->items);
    r->scope = r->scope->parent;
}

static void run_for(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value = jinja_eval_defined(r, node->b);
    const struct jinja_list *list = jinja_elements(&r->arena, value);

    if (!list) {
        jinja_fail(r, "%s is not iterable", jinja_type_name(value));
        return;
    }
    if (node->c)
        list = filter(r, node, list);
    for (size_t i = 0; !jinja_failed(r) && i < list->count; i++)
        run_round(r, node, list, i);
    if (jinja_failed(r) || list->count)
        return;
    r->scope = jinja_scope_new(r, r->scope);
    run_statements(r, node->otherwise);
    r->scope = r->scope->parent;
}

static void run_macro(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_macro *macro = arena_alloc(&r->arena, 1, sizeof(*macro));

    *macro = *node->macro;
    macro->scope = r->scope;
    macro->template_name = r->name;
    jinja_bind(r, macro->name, (struct jinja_value){JINJA_MACRO, {.macro = macro}});
}

static void bind_parameters(struct jinja_render *r, const struct jinja_macro *macro,
                            const struct jinja_value *arguments)
{
    for (size_t i = 0; i < macro->count; i++)
        jinja_bind(r, macro->parameters[i],
                   arguments[i].type == JINJA_ABSENT
                       ? jinja_undefined(r, "no argument \"%s\"", macro->parameters[i])
                       : arguments[i]);
}

static struct jinja_value call_macro(struct jinja_render *r, const struct jinja_macro *macro,
                                     const struct jinja_value *arguments)
{
    struct jinja_scope *outer_scope = r->scope;
    struct jinja_sink *outer_out = r->out;
    const char *outer_name = r->name;
    struct jinja_sink sink = {0};

    r->scope = jinja_scope_new(r, macro->scope);
    r->name = macro->template_name;
    r->out = &sink;
    bind_parameters(r, macro, arguments);
    run_statements(r, macro->body);
    r->scope = outer_scope;
    r->name = outer_name;
    r->out = outer_out;
    return jinja_take(r, &sink);
}

/* The statements of a template file, which is read once. */
static const struct jinja_unit *load(struct jinja_render *r, const char *name)
{
    struct jinja_unit *unit = r->units;
    struct strbuf text = {0};

    while (unit && strcmp(unit->name, name) != 0)
        unit = unit->next;
    if (unit)
        return unit;
    unit = arena_alloc(&r->arena, 1, sizeof(*unit));
    unit->name = name;

    char *path = file_join(r->folder, name);
    struct error why = {0};
    enum status st = file_read(path, TEMPLATE_MAX_BYTES, &text, &why);

    if (st == STATUS_NOT_FOUND)
        jinja_fail(r, "no template \"%s\" in this folder", name);
    else if (st)
        jinja_fail(r, "%s", why.text);
    else if (!jinja_parse((struct jinja_text){strbuf_cstr(&text), text.len}, name, &r->arena,
                          &unit->statements, &r->error)) {
        unit->next = r->units;
        r->units = unit;
    }
    free(path);
    strbuf_release(&text);
    return jinja_failed(r) ? NULL : unit;
}

/* Only a file of the same folder: a name with a slash, or that begins with a dot, is refused. */
static void run_include(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value = jinja_eval_defined(r, node->a);
    struct jinja_scope *outer_scope = r->scope;
    const char *outer_name = r->name;

    if (value.type != JINJA_STRING) {
        jinja_fail(r, "include: %s is not the name of a template", jinja_type_name(value));
        return;
    }

    const char *name = arena_copy(&r->arena, value.text.bytes, value.text.len);

    if (!r->folder || strlen(name) != value.text.len || !*name || *name == '.' ||
        strchr(name, '/')) {
        jinja_fail(r, "no template \"%s\" can be included", name);
        return;
    }
    if (r->includes == INCLUDES_MAX) {
        jinja_fail(r, "more than %d includes inside each other: does \"%s\" include itself?",
                   INCLUDES_MAX, name);
        return;
    }

    const struct jinja_unit *unit = load(r, name);

    r->includes++;
    r->scope = jinja_scope_new(r, outer_scope);
    r->name = name;
    run_statements(r, unit ? unit->statements : NULL);
    r->scope = outer_scope;
    r->name = outer_name;
    r->includes--;
}

static void run_one(struct jinja_render *r, const struct jinja_node *node)
{
    if (node->kind == NODE_PRINT)
        run_print(r, node);
    else if (node->kind == NODE_IF)
        run_if(r, node);
    else if (node->kind == NODE_FOR)
        run_for(r, node);
    else if (node->kind == NODE_SET)
        jinja_bind(r, node->name, jinja_eval_defined(r, node->b));
    else if (node->kind == NODE_INCLUDE)
        run_include(r, node);
    else
        run_macro(r, node);
}

static void run_statements(struct jinja_render *r, const struct jinja_node *statements)
{
    for (const struct jinja_node *node = statements; node && !jinja_failed(r); node = node->next) {
        int line = r->line;

        if (jinja_enter(r, node->line))
            run_one(r, node);
        r->depth--;
        r->line = line;
    }
}

/* NOLINTEND(misc-no-recursion) */

void jinja_run(struct jinja_render *r, const char *text)
{
    const struct jinja_unit *unit = NULL;
    struct jinja_node *statements = NULL;

    r->call_macro = call_macro;
    if (text && jinja_parse(jinja_text_of(text), r->name, &r->arena, &statements, &r->error))
        return;
    if (!text)
        unit = load(r, r->name);
    run_statements(r, unit ? unit->statements : statements);
}
