#include "core/template/jinja_render.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A million steps take some 50 ms. */
enum { DEPTH_MAX = 1000, STEPS_MAX = 20 * 1000 * 1000, BYTES_MAX = 256 << 20 };

bool jinja_failed(const struct jinja_render *r)
{
    return r->error.code != STATUS_OK;
}

struct jinja_value jinja_fail(struct jinja_render *r, const char *fmt, ...)
{
    char message[ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    if (!jinja_failed(r) && r->line)
        error_set(&r->error, STATUS_INVALID, "%s:%d: %s", r->name, r->line, message);
    else if (!jinja_failed(r))
        error_set(&r->error, STATUS_INVALID, "%s", message);
    return (struct jinja_value){.type = JINJA_ABSENT};
}

struct jinja_value jinja_undefined(struct jinja_render *r, const char *fmt, ...)
{
    char message[ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    return (struct jinja_value){JINJA_UNDEFINED,
                                {.missing = arena_copy(&r->arena, message, strlen(message))}};
}

bool jinja_require(struct jinja_render *r, struct jinja_value value)
{
    if (value.type == JINJA_UNDEFINED && value.missing)
        jinja_fail(r, "%s", value.missing);
    return !jinja_failed(r);
}

bool jinja_enter(struct jinja_render *r, int line)
{
    r->line = line;
    if (++r->depth > DEPTH_MAX)
        jinja_fail(r, "nested more than %d levels deep", DEPTH_MAX);
    if (++r->steps > STEPS_MAX)
        jinja_fail(r, "more than %d million steps", STEPS_MAX / 1000000);
    if (r->arena.bytes > BYTES_MAX)
        jinja_fail(r, "more than %d MiB of memory", BYTES_MAX >> 20);
    return !jinja_failed(r);
}

struct jinja_scope *jinja_scope_new(struct jinja_render *r, struct jinja_scope *parent)
{
    struct jinja_scope *scope = arena_alloc(&r->arena, 1, sizeof(*scope));

    scope->parent = parent;
    return scope;
}

static struct jinja_binding *find(struct jinja_scope *scope, const char *name)
{
    struct jinja_binding *binding = scope->bindings;

    while (binding && strcmp(binding->name, name) != 0)
        binding = binding->next;
    return binding;
}

void jinja_bind(struct jinja_render *r, const char *name, struct jinja_value value)
{
    struct jinja_binding *binding = find(r->scope, name);

    if (!binding) {
        binding = arena_alloc(&r->arena, 1, sizeof(*binding));
        binding->name = name;
        binding->next = r->scope->bindings;
        r->scope->bindings = binding;
    }
    binding->value = value;
}

struct jinja_value jinja_lookup(struct jinja_render *r, const char *name)
{
    for (struct jinja_scope *scope = r->scope; scope; scope = scope->parent) {
        const struct jinja_binding *binding = find(scope, name);

        if (binding)
            return binding->value;
    }
    return jinja_undefined(r, "no variable \"%s\"", name);
}

struct jinja_value jinja_take(struct jinja_render *r, struct jinja_sink *sink)
{
    struct jinja_value value = {.type = JINJA_ABSENT};

    if (sink->full)
        jinja_fail(r, "more than %d MiB of text", JINJA_TEXT_MAX >> 20);
    else
        value = jinja_string((struct jinja_text){
            arena_copy(&r->arena, strbuf_cstr(&sink->text), sink->text.len), sink->text.len});
    strbuf_release(&sink->text);
    *sink = (struct jinja_sink){0};
    return value;
}
