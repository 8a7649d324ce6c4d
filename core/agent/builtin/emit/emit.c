#include "core/agent/builtin/emit/emit.h"

#include <stdarg.h>

const char *emit_text(struct emitter *e, const char *fmt, ...)
{
    struct strbuf text = {0};
    const char *copy;
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    copy = arena_copy(&e->arena, strbuf_cstr(&text), text.len);
    strbuf_release(&text);
    return copy;
}

void emit_line(struct emitter *e, const char *fmt, ...)
{
    struct strbuf line = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&line, fmt, args);
    va_end(args);
    dialect_translate(e->writer->dialect, strbuf_cstr(&line), &e->writer->source);
    strbuf_adds(&e->writer->source, "\n");
    strbuf_release(&line);
}

const char *emit_formula(struct emitter *e, const char *text, const struct formula_words *words)
{
    struct strbuf out = {0};
    const char *copy;

    formula_expand(text, words, &out);
    copy = arena_copy(&e->arena, strbuf_cstr(&out), out.len);
    strbuf_release(&out);
    return copy;
}

const struct value *emit_value_at(const struct emitter *e, size_t value)
{
    return &e->writer->graph.values.items[value];
}

const struct graph_node *emit_node_at(const struct emitter *e, size_t node)
{
    return &e->writer->graph.nodes.items[node];
}

struct json *emit_copies_of(const struct emitter *e, const struct value *value)
{
    size_t group = e->fusion->group_of[value - e->writer->graph.values.items];
    bool is_ahead = group != SIZE_MAX && e->fusion->groups.items[group].is_ahead;

    return value->role == TENSOR_PARAM || is_ahead ? e->writer->prepare : e->writer->launches;
}
