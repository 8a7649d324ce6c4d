#include "core/agent/builtin/emit/product/product_epilogue_loops.h"

#include "core/agent/builtin/emit/emit_vector.h"

struct position epilogue_position(const struct epilogue *r, const char *indent)
{
    return (struct position){.row = "row",
                             .column = "c",
                             .width = PAIR,
                             .indent = indent,
                             .is_aligned = !r->is_odd,
                             .second = r->is_odd ? "second" : NULL};
}

const char *epilogue_column(const struct epilogue *r, const char *at)
{
    struct emitter *e = r->e;

    if (r->divides)
        return emit_text(e, "const int c = %s;", at);
    return emit_text(e, "const int c = min(%s, %s - %d)%s;", at, r->m->t->columns,
                     r->is_odd ? 1 : PAIR,
                     r->is_odd ? emit_text(e, ", second = c + 1 < %s", r->m->t->columns) : "");
}

bool epilogue_has_bias(const struct epilogue *r)
{
    return r->m->t->product.bias && r->in_sums == r->m->t->node->out;
}

/* The pair of the bias at column c. */
static const char *bias_pair(const struct epilogue *r)
{
    struct emitter *e = r->e;
    const char *bias = r->m->t->product.bias->name;
    const char *const each[PAIR] = {emit_text(e, "p_%s[c]", bias),
                                    emit_text(e, "p_%s[c + second]", bias)};

    return r->is_odd ? emit_vector_of(e, "float", each, PAIR)
                     : emit_vector_load_aligned(e, PAIR, emit_text(e, "p_%s + c", bias));
}

void epilogue_declare(const struct epilogue *r, const char *place, const char *indent)
{
    struct emitter *e = r->e;
    const char *type = emit_vector_type(e, "float", PAIR), *added = "";

    if (epilogue_has_bias(r))
        added = emit_text(e, " + %s", bias_pair(r));
    emit_line(e, "%sconst %s v_%s = %s(sums[%s], sums[%s + 1])%s;", indent, type,
              emit_value_at(e, r->in_sums)->name, type, place, place, added);
    e->is_declared[r->in_sums] = true;
}

void epilogue_forget(const struct epilogue *r)
{
    r->e->is_declared[r->in_sums] = false;
}

void epilogue_row(const struct epilogue *r, const char *indent)
{
    emit_line(
        r->e,
        "%sconst int line = first_row + threadIdx.x / 32 * 16 + threadIdx.x %% 32 / 4 + i * 8;",
        indent);
}
