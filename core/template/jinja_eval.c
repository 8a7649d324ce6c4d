#include "core/template/jinja_render.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/template/jinja_print.h"
#include "core/template/jinja_slice.h"

enum { DEPTH_MAX = 1000 };

/* NOLINTBEGIN(misc-no-recursion): as deep as jinja_enter() lets it */

enum status jinja_enter(struct jinja_render *r)
{
    if (++r->depth > DEPTH_MAX)
        return error_set(&r->error, STATUS_INVALID, "nested more than %d levels deep", DEPTH_MAX);
    if (++r->heap.steps > JINJA_STEPS_MAX)
        return error_set(&r->error, STATUS_INVALID, "more than %d million steps",
                         JINJA_STEPS_MAX / 1000000);
    if (r->heap.arena.bytes > JINJA_BYTES_MAX)
        return error_set(&r->error, STATUS_INVALID, "more than %d MiB of memory",
                         JINJA_BYTES_MAX >> 20);
    return STATUS_OK;
}

enum status jinja_leave(struct jinja_render *r, const struct jinja_node *node, enum status st)
{
    r->depth--;
    if (st && !r->located) {
        struct error reason = r->error;

        error_set(&r->error, st, "%s:%d: %s", r->name, node->line, reason.text);
        r->located = true;
    }
    return st;
}

struct jinja_value jinja_undefined(struct jinja_render *r, const char *fmt, ...)
{
    char message[ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    return (struct jinja_value){JINJA_UNDEFINED,
                                {.missing = arena_copy(&r->heap.arena, message, strlen(message))}};
}

static enum status eval_literal(struct jinja_render *r, const struct jinja_node *node,
                                struct jinja_value *out)
{
    (void)r;
    *out = node->literal;
    return STATUS_OK;
}

static struct jinja_value global(struct jinja_render *r, const char *name)
{
    const struct jinja_function *function = jinja_function_find(jinja_globals, jinja_text_of(name));

    return function ? (struct jinja_value){JINJA_FUNCTION, {.function = function}}
                    : jinja_undefined(r, "no variable \"%s\"", name);
}

static enum status eval_name(struct jinja_render *r, const struct jinja_node *node,
                             struct jinja_value *out)
{
    for (const struct jinja_scope *scope = r->scope; scope; scope = scope->parent) {
        for (const struct jinja_binding *b = scope->bindings; b; b = b->next) {
            if (strcmp(b->name, node->name) == 0) {
                *out = b->value;
                return STATUS_OK;
            }
        }
    }
    *out = global(r, node->name);
    return STATUS_OK;
}

/* The way to a value as the template writes it, where it is a plain one. */
static void add_path(struct strbuf *out, const struct jinja_node *node)
{
    if (node->kind == NODE_NAME) {
        strbuf_adds(out, node->name);
    } else if (node->kind == NODE_ATTRIBUTE) {
        add_path(out, node->attribute.of);
        strbuf_addf(out, ".%s", node->attribute.name);
    } else if (node->kind == NODE_SUBSCRIPT) {
        add_path(out, node->subscript.of);
        strbuf_adds(out, "[...]");
    } else {
        strbuf_adds(out, "the value");
    }
}

static bool loop_attribute(const struct jinja_loop *loop, struct jinja_text name,
                           struct jinja_value *out)
{
    static const char *const names[] = {"index",    "index0", "revindex", "revindex0",
                                        "length",   "first",  "last",     "previtem",
                                        "nextitem", "depth",  "depth0"};
    const struct jinja_value outside = {JINJA_UNDEFINED, {.missing = "no item beside this one"}};
    const struct jinja_value *item = &loop->items->items[loop->index];
    size_t left = loop->items->count - loop->index;
    const struct jinja_value values[] = {
        jinja_int((int64_t)loop->index + 1),
        jinja_int((int64_t)loop->index),
        jinja_int((int64_t)left),
        jinja_int((int64_t)left - 1),
        jinja_int((int64_t)loop->items->count),
        jinja_bool(loop->index == 0),
        jinja_bool(left == 1),
        loop->index == 0 ? outside : item[-1],
        left == 1 ? outside : item[1],
        jinja_int(1), /* of loops that call themselves, which are not in the subset */
        jinja_int(0),
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        if (jinja_text_is(name, names[i])) {
            *out = values[i];
            return true;
        }
    }
    return false;
}

/* What Python finds before it looks for a key: in Jinja, data.items is never data["items"]. */
static bool is_dict_method(const char *name)
{
    static const char *const names[] = {"clear", "copy",    "fromkeys",   "get",    "items", "keys",
                                        "pop",   "popitem", "setdefault", "update", "values"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* of[key] or of.key, with `of` evaluated. */
static enum status look_up(struct jinja_render *r, const struct jinja_node *node,
                           struct jinja_value of, struct jinja_value key, struct jinja_value *out)
{
    enum status st = jinja_require(of, &r->error);

    if (!st)
        st = jinja_require(key, &r->error);
    if (st)
        return st;
    if (of.type == JINJA_UNDEFINED)
        return error_set(&r->error, STATUS_NOT_FOUND, "an undefined value has no attributes");
    if (of.type == JINJA_LOOP && key.type == JINJA_STRING && loop_attribute(of.loop, key.text, out))
        return STATUS_OK;
    if (jinja_subscript(&r->heap, of, key, out))
        return STATUS_OK;

    bool dotted = node->kind == NODE_ATTRIBUTE;
    struct jinja_sink text = {0};
    struct strbuf path = {0};

    jinja_print(key, &text);
    add_path(&path, dotted ? node->attribute.of : node->subscript.of);
    *out = jinja_undefined(r, "no %s \"%s\" in %s", dotted ? "attribute" : "key",
                           strbuf_cstr(&text.text), strbuf_cstr(&path));
    strbuf_release(&text.text);
    strbuf_release(&path);
    return STATUS_OK;
}

enum status jinja_eval_attribute_of(struct jinja_render *r, const struct jinja_node *node,
                                    struct jinja_value of, struct jinja_value *out)
{
    const char *name = node->attribute.name;

    if (of.type == JINJA_DICT && is_dict_method(name))
        return error_set(&r->error, STATUS_INVALID,
                         "\"%s\" is a method of every dict: write [\"%s\"] for the key", name,
                         name);
    return look_up(r, node, of, jinja_string(jinja_text_of(name)), out);
}

static enum status eval_attribute(struct jinja_render *r, const struct jinja_node *node,
                                  struct jinja_value *out)
{
    struct jinja_value of;
    enum status st = jinja_eval(r, node->attribute.of, &of);

    return st ? st : jinja_eval_attribute_of(r, node, of, out);
}

static enum status eval_slice(struct jinja_render *r, const struct jinja_node *slice,
                              struct jinja_value of, struct jinja_value *out)
{
    struct jinja_value bounds[3] = {
        {.type = JINJA_NONE}, {.type = JINJA_NONE}, {.type = JINJA_NONE}};
    enum status st = jinja_require(of, &r->error);

    for (size_t i = 0; i < 3 && !st; i++) {
        if (slice->bounds[i])
            st = jinja_eval(r, slice->bounds[i], &bounds[i]);
        if (!st)
            st = jinja_require(bounds[i], &r->error);
    }
    return st ? st : jinja_slice(&r->heap, of, bounds, out, &r->error);
}

static enum status eval_subscript(struct jinja_render *r, const struct jinja_node *node,
                                  struct jinja_value *out)
{
    struct jinja_value of;
    struct jinja_value key;
    enum status st = jinja_eval(r, node->subscript.of, &of);

    if (!st && node->subscript.key->kind == NODE_SLICE)
        return eval_slice(r, node->subscript.key, of, out);
    if (!st)
        st = jinja_eval(r, node->subscript.key, &key);
    return st ? st : look_up(r, node, of, key, out);
}

static enum status eval_truth(struct jinja_render *r, const struct jinja_node *node,
                              struct jinja_value *value, bool *truth)
{
    enum status st = jinja_eval(r, node, value);

    return st ? st : jinja_truth(*value, truth, &r->error);
}

static enum status eval_not(struct jinja_render *r, const struct jinja_node *node,
                            struct jinja_value *out)
{
    struct jinja_value value;
    bool truth;
    enum status st = eval_truth(r, node->operand, &value, &truth);

    if (!st)
        *out = jinja_bool(!truth);
    return st;
}

/* The left value if it decides, else the right one. */
static enum status eval_and_or(struct jinja_render *r, const struct jinja_node *node,
                               struct jinja_value *out)
{
    bool truth;
    enum status st = eval_truth(r, node->binary.left, out, &truth);

    if (st || truth == (node->kind == NODE_OR))
        return st;
    return jinja_eval(r, node->binary.right, out);
}

static enum status eval_choice(struct jinja_render *r, const struct jinja_node *node,
                               struct jinja_value *out)
{
    struct jinja_value condition;
    bool truth;
    enum status st = eval_truth(r, node->choice.condition, &condition, &truth);

    if (st)
        return st;
    if (truth || node->choice.no)
        return jinja_eval(r, truth ? node->choice.yes : node->choice.no, out);
    *out = (struct jinja_value){.type = JINJA_UNDEFINED};
    return STATUS_OK;
}

static enum status eval_sign(struct jinja_render *r, const struct jinja_node *node,
                             struct jinja_value *out)
{
    struct jinja_value operand;
    enum status st = jinja_eval(r, node->sign.operand, &operand);

    if (!st)
        st = jinja_require(operand, &r->error);
    return st ? st : jinja_signed(operand, node->sign.negative, out, &r->error);
}

static enum status eval_operands(struct jinja_render *r, const struct jinja_node *node,
                                 struct jinja_value operands[2])
{
    enum status st = jinja_eval(r, node->binary.left, &operands[0]);

    if (!st)
        st = jinja_eval(r, node->binary.right, &operands[1]);
    for (size_t i = 0; i < 2 && !st; i++)
        st = jinja_require(operands[i], &r->error);
    return st;
}

static enum status eval_calculate(struct jinja_render *r, const struct jinja_node *node,
                                  struct jinja_value *out)
{
    struct jinja_value operands[2];
    enum status st = eval_operands(r, node, operands);

    return st ? st : jinja_calculate(&r->heap, node->binary.op, operands, out, &r->error);
}

static enum status take_text(struct jinja_render *r, struct jinja_sink *sink,
                             struct jinja_value *out)
{
    struct jinja_text text;
    enum status st = jinja_sink_take(sink, &r->heap.arena, &text, &r->error);

    if (!st)
        *out = jinja_string(text);
    return st;
}

static enum status eval_concatenate(struct jinja_render *r, const struct jinja_node *node,
                                    struct jinja_value *out)
{
    struct jinja_value operands[2];
    struct jinja_sink sink = {0};
    enum status st = eval_operands(r, node, operands);

    if (st)
        return st;
    jinja_print(operands[0], &sink);
    jinja_print(operands[1], &sink);
    return take_text(r, &sink, out);
}

static enum status eval_compare(struct jinja_render *r, const struct jinja_node *node,
                                struct jinja_value *out)
{
    struct jinja_value operands[2];
    bool holds = true;
    enum status st = jinja_eval(r, node->compare.first, &operands[0]);

    for (const struct jinja_comparison *c = node->compare.rest; c && !st && holds; c = c->next) {
        st = jinja_eval(r, c->operand, &operands[1]);
        if (!st)
            st = jinja_relate(&r->heap, c->relation, operands, &holds, &r->error);
        operands[0] = operands[1];
    }
    if (!st)
        *out = jinja_bool(holds);
    return st;
}

static enum status eval_sequence(struct jinja_render *r, const struct jinja_node *node,
                                 struct jinja_value *out)
{
    size_t count = 0;
    enum status st = STATUS_OK;

    for (const struct jinja_node *item = node->items; item; item = item->next)
        count++;

    struct jinja_list *list = jinja_list_new(&r->heap, count);
    struct jinja_value *end = list->items;

    for (const struct jinja_node *item = node->items; item && !st; item = item->next)
        st = jinja_eval(r, item, end++);
    if (!st)
        *out = (struct jinja_value){node->kind == NODE_LIST ? JINJA_LIST : JINJA_TUPLE,
                                    {.list = list}};
    return st;
}

/* Evaluate a key and its value, and put them into a dict that has room. */
static enum status eval_pair(struct jinja_render *r, const struct jinja_node *key,
                             struct jinja_dict *dict)
{
    struct jinja_pair pair;
    enum status st = jinja_eval(r, key, &pair.key);

    if (!st)
        st = jinja_eval(r, key->next, &pair.value);
    if (!st)
        st = jinja_require(pair.key, &r->error);
    if (st)
        return st;
    if (!jinja_is_number(pair.key) && pair.key.type != JINJA_STRING && pair.key.type != JINJA_NONE)
        return error_set(&r->error, STATUS_INVALID, "%s cannot be a key",
                         jinja_type_name(pair.key));
    for (size_t i = 0; i < dict->count; i++) {
        if (jinja_equal(&r->heap, dict->pairs[i].key, pair.key)) {
            dict->pairs[i].value = pair.value;
            return STATUS_OK;
        }
    }
    dict->pairs[dict->count++] = pair;
    return STATUS_OK;
}

static enum status eval_dict(struct jinja_render *r, const struct jinja_node *node,
                             struct jinja_value *out)
{
    struct jinja_dict *dict = arena_alloc(&r->heap.arena, 1, sizeof(*dict));
    size_t count = 0;
    enum status st = STATUS_OK;

    for (const struct jinja_node *key = node->items; key; key = key->next->next)
        count++;
    dict->pairs = arena_alloc(&r->heap.arena, count, sizeof(*dict->pairs));
    for (const struct jinja_node *key = node->items; key && !st; key = key->next->next)
        st = eval_pair(r, key, dict);
    if (!st)
        *out = (struct jinja_value){JINJA_DICT, {.dict = dict}};
    return st;
}

static enum status eval_capture(struct jinja_render *r, const struct jinja_node *node,
                                struct jinja_value *out)
{
    return jinja_capture(r, jinja_scope_new(r, r->scope), node->body, out);
}

enum status jinja_capture(struct jinja_render *r, struct jinja_scope *scope,
                          const struct jinja_node *statements, struct jinja_value *out)
{
    struct jinja_scope *outer_scope = r->scope;
    struct jinja_sink *outer = r->out;
    struct jinja_sink sink = {0};

    r->scope = scope;
    r->out = &sink;

    enum status st = jinja_run(r, statements);

    r->scope = outer_scope;
    r->out = outer;
    if (!st)
        return take_text(r, &sink, out);
    strbuf_release(&sink.text);
    return st;
}

/* What a value weighs in steps, as using it takes time. */
static size_t weight(struct jinja_value value)
{
    const size_t per_step = 64;

    if (value.type == JINJA_STRING)
        return value.text.len / per_step;
    if (value.type == JINJA_DICT)
        return value.dict->count / per_step;
    if (value.type == JINJA_LIST || value.type == JINJA_TUPLE || value.type == JINJA_VIEW)
        return value.list->count / per_step;
    return 0;
}

enum status jinja_eval(struct jinja_render *r, const struct jinja_node *expression,
                       struct jinja_value *out)
{
    static enum status (*const evaluate[])(struct jinja_render *, const struct jinja_node *,
                                           struct jinja_value *) = {
        [NODE_LITERAL] = eval_literal,
        [NODE_NAME] = eval_name,
        [NODE_ATTRIBUTE] = eval_attribute,
        [NODE_SUBSCRIPT] = eval_subscript,
        [NODE_CALL] = jinja_eval_call,
        [NODE_APPLY] = jinja_eval_apply,
        [NODE_NOT] = eval_not,
        [NODE_SIGN] = eval_sign,
        [NODE_CALCULATE] = eval_calculate,
        [NODE_CONCATENATE] = eval_concatenate,
        [NODE_COMPARE] = eval_compare,
        [NODE_AND] = eval_and_or,
        [NODE_OR] = eval_and_or,
        [NODE_CHOICE] = eval_choice,
        [NODE_LIST] = eval_sequence,
        [NODE_TUPLE] = eval_sequence,
        [NODE_DICT] = eval_dict,
        [NODE_CAPTURE] = eval_capture,
    };
    enum status st = jinja_enter(r);

    if (!st)
        st = evaluate[expression->kind](r, expression, out);
    if (!st)
        r->heap.steps += weight(*out);
    return jinja_leave(r, expression, st);
}

/* NOLINTEND(misc-no-recursion) */
