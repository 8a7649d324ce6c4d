#include "core/agent/builtin/emit/rowwise/rowwise_combine.h"

#include "core/agent/builtin/emit/emit_vector.h"

const char *rowwise_combined(const struct rowwise *r, const struct rowwise_pass *pass,
                             const char *a, const char *b)
{
    struct formula_words words = {0};

    words.of['a'] = a;
    words.of['b'] = b;
    return emit_formula(r->e, pass->combine, &words);
}

void rowwise_fold(const struct rowwise *r, const struct pass *pass, const char *type)
{
    const char *wide = pass->wide;

    for (int width = r->width / 2; width >= 1; width /= 2) {
        const char *half = width > 1 ? emit_text(r->e, "%s_%d", pass->name, width) : pass->name;

        emit_line(r->e, "    %s %s = %s;", emit_vector_type(r->e, type, width), half,
                  emit_vector_fold(r->e, pass->formula->combine, wide));
        wide = half;
    }
}

void rowwise_combine_neighbours(const struct rowwise *r, const struct pass *pass, int lanes)
{
    const struct dialect *dialect = r->e->writer->dialect;
    struct formula_words words = {0};

    words.of['x'] = pass->name;
    words.of['i'] = "others";
    emit_line(r->e, "#pragma unroll\n    for (int others = %d; others > 0; others /= 2)",
              lanes / 2);
    emit_line(r->e, "        %s = %s;", pass->name,
              rowwise_combined(r, pass->formula, pass->name,
                               emit_formula(r->e, dialect->shuffle, &words)));
}

/* Combine the results of all warps in local memory. */
static void combine_warps(const struct rowwise *r, const struct pass *pass, const char *type)
{
    struct emitter *e = r->e;
    const char *shared = emit_text(e, "shared_%s", pass->name);
    int warp = e->writer->dialect->warp;

    emit_line(e, "    $local %s %s[%d];", type, shared, r->lanes / warp);
    emit_line(e, "    if (lane %% %d == 0)\n        %s[lane / %d] = %s;", warp, shared, warp,
              pass->name);
    emit_line(e, "    $barrier;\n    %s = %s[0];", pass->name, shared);
    emit_line(e, "#pragma unroll\n    for (int i = 1; i < %d; i++)", r->lanes / warp);
    emit_line(e, "        %s = %s;", pass->name,
              rowwise_combined(r, pass->formula, pass->name, emit_text(e, "%s[i]", shared)));
}

/* Combine the results of all lanes in local memory, in a tree. */
static void combine_tree(const struct rowwise *r, const struct pass *pass, const char *type)
{
    struct emitter *e = r->e;
    const char *shared = emit_text(e, "shared_%s", pass->name);

    emit_line(e, "    $local %s %s[%d];", type, shared, r->lanes);
    emit_line(e, "    %s[lane] = %s;", shared, pass->name);
    emit_line(e, "    $barrier;");
    emit_line(e, "    for (int others = %d; others > 0; others /= 2) {", r->lanes / 2);
    emit_line(e, "        if (lane < others)");
    emit_line(e, "            %s[lane] = %s;", shared,
              rowwise_combined(r, pass->formula, emit_text(e, "%s[lane]", shared),
                               emit_text(e, "%s[lane + others]", shared)));
    emit_line(e, "        $barrier;\n    }");
    emit_line(e, "    %s = %s[0];", pass->name, shared);
}

void rowwise_combine_lanes(const struct rowwise *r, const struct pass *pass, const char *type)
{
    int warp = r->e->writer->dialect->warp;

    if (r->lanes == 1)
        return;
    if (!warp || r->lanes % warp != 0) {
        combine_tree(r, pass, type);
        return;
    }
    rowwise_combine_neighbours(r, pass, warp);
    if (r->lanes > warp)
        combine_warps(r, pass, type);
}
