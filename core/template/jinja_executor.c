#include "core/template/jinja_executor.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/system/file.h"
#include "core/template/jinja_filter.h"
#include "core/template/jinja_print.h"
#include "core/template/jinja_statement.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as jinja_enter() lets it */

/* Evaluate an expression. The value may be undefined; after an error it is absent. */
static struct jinja_value eval(struct jinja_render *r, const struct jinja_node *expression);

/* Evaluate a value that will be used: an undefined one is an error. */
static struct jinja_value eval_defined(struct jinja_render *r, const struct jinja_node *expression);

/* The truth of the value; an undefined value is an error. */
static bool eval_truth(struct jinja_render *r, const struct jinja_node *expression);

/* The text that a macro prints. */
static struct jinja_value call_macro(struct jinja_render *r, const struct jinja_macro *macro,
                                     const struct jinja_value *arguments);

/* Append the path to a value, as the template writes it: "verdict.timing". */
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
    struct jinja_value of = eval_defined(r, node->a);
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

/*
 * Evaluate the arguments for a call of `name` into `slots`, at most `most`; returns their number.
 */
static size_t eval_arguments(struct jinja_render *r, const struct jinja_node *argument,
                             const char *name, size_t most, struct jinja_value *slots)
{
    size_t count = 0;

    for (; argument && count < most; argument = argument->next)
        slots[count++] = eval(r, argument);
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
        return jinja_fail(r, "%s is not a macro: its type is %s", node->name,
                          jinja_type_name(callee));
    eval_arguments(r, node->items, node->name, callee.macro->count, slots);
    return jinja_failed(r) ? callee : call_macro(r, callee.macro, slots);
}

static struct jinja_value eval_filter(struct jinja_render *r, const struct jinja_node *node)
{
    const struct jinja_filter *filter = node->filter;
    struct jinja_value slots[JINJA_FILTER_PARAMETERS + 1] = {eval(r, node->a)};
    size_t count = eval_arguments(r, node->items, filter->name, filter->most, slots + 1);

    if (count < filter->least)
        jinja_fail(r, "%s: fewer than %zu arguments", filter->name, filter->least);
    for (size_t i = 0; !filter->takes_undefined && i <= count; i++)
        jinja_require(r, slots[i]);
    return jinja_failed(r) ? slots[0] : filter->apply(r, slots);
}

/* Evaluate `and` or `or`: the left value if it decides the result, else the right one. */
static struct jinja_value eval_and_or(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value left = eval_defined(r, node->a);

    return jinja_truth(left) == (node->kind == NODE_OR) ? left : eval(r, node->b);
}

/*
 * Evaluate `a if b else c`. Without `else`, the value for a false condition is undefined but
 * printable.
 */
static struct jinja_value eval_choice(struct jinja_render *r, const struct jinja_node *node)
{
    if (eval_truth(r, node->b))
        return eval(r, node->a);
    return node->c ? eval(r, node->c) : (struct jinja_value){.type = JINJA_UNDEFINED};
}

static struct jinja_value eval_negate(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value = eval_defined(r, node->a);

    if (value.type == JINJA_FLOAT)
        return jinja_float(-value.real);
    if (!jinja_is_integer(value))
        return jinja_fail(r, "%s has no sign", jinja_type_name(value));
    return jinja_operate(r, OPERATOR_SUBTRACT, jinja_int(0), value);
}

static struct jinja_value eval_concatenate(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_sink sink = {0};

    jinja_print(r, eval_defined(r, node->a), &sink);
    jinja_print(r, eval_defined(r, node->b), &sink);
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
        *end++ = eval_defined(r, item);
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
        return eval_element(r, node, eval_defined(r, node->b));
    case NODE_CALL:
        return eval_call(r, node);
    case NODE_FILTER:
        return eval_filter(r, node);
    case NODE_TEST:
        return jinja_bool(node->types & 1U << eval(r, node->a).type);
    case NODE_NOT:
        return jinja_bool(!eval_truth(r, node->a));
    case NODE_NEGATE:
        return eval_negate(r, node);
    case NODE_BINARY:
        return jinja_operate(r, node->op, eval_defined(r, node->a), eval(r, node->b));
    case NODE_CONCATENATE:
        return eval_concatenate(r, node);
    case NODE_AND:
    case NODE_OR:
        return eval_and_or(r, node);
    case NODE_CHOICE:
        return eval_choice(r, node);
    default: /* NODE_LIST: the other kinds are statements */
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

static struct jinja_value eval(struct jinja_render *r, const struct jinja_node *expression)
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

static struct jinja_value eval_defined(struct jinja_render *r, const struct jinja_node *expression)
{
    struct jinja_value value = eval(r, expression);

    jinja_require(r, value);
    return value;
}

static bool eval_truth(struct jinja_render *r, const struct jinja_node *expression)
{
    return jinja_truth(eval_defined(r, expression));
}

enum { INCLUDES_MAX = 20, TEMPLATE_MAX_BYTES = 1 << 20 };

/* A template file that is parsed already. */
struct jinja_unit {
    const char *name;
    struct jinja_node *statements;
    struct jinja_unit *next;
};

static void run_statements(struct jinja_render *r, const struct jinja_node *statements);

static void run_print(struct jinja_render *r, const struct jinja_node *node)
{
    jinja_print(r, eval_defined(r, node->a), r->out);
    if (r->out->full)
        jinja_fail(r, "more than %d MiB of text", JINJA_TEXT_MAX >> 20);
}

static void run_if(struct jinja_render *r, const struct jinja_node *node)
{
    bool truth = eval_truth(r, node->a);

    run_statements(r, truth ? node->items : node->otherwise);
}

/* Keep the elements for which the loop's condition holds. */
static const struct jinja_list *filter(struct jinja_render *r, const struct jinja_node *node,
                                       const struct jinja_list *all)
{
    struct jinja_list *passed = jinja_list_new(&r->arena, all->count);

    passed->count = 0;
    for (size_t i = 0; i < all->count && !jinja_failed(r); i++) {
        r->scope = jinja_scope_new(r, r->scope);
        jinja_bind(r, node->name, all->items[i]);
        passed->items[passed->count] = all->items[i];
        passed->count += eval_truth(r, node->c);
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

/* Run the body of a loop for one element, in a new scope. */
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
    struct jinja_value value = eval_defined(r, node->b);
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

/* The statements of a template file. Each file is read and parsed once. */
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

/* Include a file of the same folder; a name that has a slash or begins with a dot is refused. */
static void run_include(struct jinja_render *r, const struct jinja_node *node)
{
    struct jinja_value value = eval_defined(r, node->a);
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
        jinja_bind(r, node->name, eval_defined(r, node->b));
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

    if (text && jinja_parse(jinja_text_of(text), r->name, &r->arena, &statements, &r->error))
        return;
    if (!text)
        unit = load(r, r->name);
    run_statements(r, unit ? unit->statements : statements);
}
