#include "core/agent/builtin/emit/rowwise/rowwise_loops.h"

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/rowwise/rowwise_registers.h"

/* A loop over the whole vectors after those in registers. */
static void open_vectors(const struct rowwise *r)
{
    int step = r->width * r->lanes, held = r->hold * step;
    const char *first = r->lanes > 1 ? emit_text(r->e, "lane * %d", r->width) : "0";

    if (held)
        first = emit_text(r->e, "%d + %s", held, first);
    if (r->first)
        first = emit_text(r->e, "%s + %s", r->first, first);
    emit_line(r->e, "    for (int col = %s; col + %d <= %s; col += %d) {", first, r->width,
              r->whole_end, step);
}

/* A loop over the columns after the last whole vector, or over all columns. */
static void open_rest(const struct rowwise *r)
{
    const char *lane = r->lanes > 1 ? "lane" : "0", *first = lane;

    if (r->width > 1 && r->whole_end != r->end)
        first = emit_text(r->e, "%s + %s", r->whole_end, lane);
    else if (r->width > 1)
        first = emit_text(r->e, "%s / %d * %d%s", r->end, r->width, r->width,
                          r->lanes > 1 ? " + lane" : "");
    else if (r->first)
        first = emit_text(r->e, "%s + %s", r->first, lane);
    emit_line(r->e, "    for (int col = %s; col < %s; col += %d) {", first, r->end, r->lanes);
}

bool rowwise_has_more(const struct rowwise *r)
{
    int64_t count = rowwise_length(r);

    return count == 0 || count > (int64_t)r->hold * r->lanes * r->width;
}

/* True if a row may have columns after its last whole vector. */
static bool has_rest(const struct rowwise *r)
{
    if (r->width == 1)
        return !r->hold;
    return !emit_divides(r->e, group_columns(r->e->writer, r->e->group), r->width);
}

/* The body for the vectors in registers: the first pass fills them, the others read them. */
static void write_held(const struct rowwise *r, rowwise_body *body, const struct pass *pass,
                       const struct position *position)
{
    struct position slotted = *position;

    slotted.slot = "i";
    rowwise_open_held(r);
    body(r, &slotted, pass);
    rowwise_close_held(r);
}

void rowwise_write_vectors(const struct rowwise *r, rowwise_body *body, const struct pass *pass)
{
    const struct position position = rowwise_vector_position(r);

    if (r->hold)
        write_held(r, body, pass, &position);
    if (r->hold && !rowwise_has_more(r))
        return;
    open_vectors(r);
    body(r, &position, pass);
    emit_line(r->e, "    }");
}

void rowwise_write_rest(const struct rowwise *r, rowwise_body *body, const struct pass *pass)
{
    const struct position position = {
        .row = "row", .column = "col", .width = 1, .indent = "        "};

    if (!has_rest(r))
        return;
    open_rest(r);
    body(r, &position, pass);
    emit_line(r->e, "    }");
}
