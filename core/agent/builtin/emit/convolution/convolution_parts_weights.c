#include "core/agent/builtin/emit/convolution/convolution_parts_weights.h"

#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_places.h"

/* The number of work-groups' phases and groups of channels. */
static long long kinds(const struct parts *p)
{
    return (long long)p->c->shape.groups * (long long)convolution_phases(p->c);
}

void convolution_parts_taps(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    const char *all = "1";

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        emit_line(c->e, "    const int taps%zu = %s;", axis,
                  convolution_phase_number(c, axis, PHASE_TAPS));
        all = emit_text(c->e, "%s * taps%zu", all, axis);
    }
    emit_line(c->e, "    const int taps = %s;", all);
}

/* Declare the channel and tap of `step`. */
static void write_step(const struct parts *p, const char *indent)
{
    struct emitter *e = p->c->e;

    if (p->tile.is_by_tap)
        emit_line(e,
                  "%sconst int channel = step / %d / max(taps, 1) * %d + step %% %d;\n"
                  "%sconst int tap = step / %d %% max(taps, 1);",
                  indent, PARTS_CHUNK, PARTS_CHUNK, PARTS_CHUNK, indent, PARTS_CHUNK);
    else
        emit_line(e, "%sconst int channel = step / max(taps, 1), tap = step %% max(taps, 1);",
                  indent);
    convolution_parts_tap(p, indent);
}

/*
 * The kernel that splits or rounds the weights stores them as stages of the matrix units expect
 * them in shared memory: [group and phase][tile][stage][part][filter][step], swizzled, with zeros
 * after the last filter and the last step.
 */
static void write_pack_body(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    const struct value *w = c->call.in[1];
    bool is_transposed = c->shape.window.kind == WINDOW_TRANSPOSED;
    int columns = p->tile.columns;
    long long stages = (long long)p->tile.stages;

    emit_line(e, "    const int i = $global_id0, line = i / %d %% %d, at = i %% %d;", PARTS_STEPS,
              columns, PARTS_STEPS);
    emit_line(e, "    const int stage = i / %d %% %lld, block = i / %d / %lld;",
              PARTS_STEPS * columns, stages, PARTS_STEPS * columns, stages);
    emit_line(e, "    const int step = stage * %d + at, filter = block * %d + line;", PARTS_STEPS,
              columns);
    emit_line(e, "    float weight = 0, none = 0;\n\n    if (block >= %d)\n        return;",
              p->tile.blocks);
    convolution_write_phase(c, "$group_id2");
    convolution_parts_taps(p);
    write_step(p, "    ");
    emit_line(e, "    if (taps && filter < %s && channel < %s)", c->filters, c->channels);
    emit_line(
        e,
        is_transposed
            ? "        weight = p_%s[((channel_group * %s + channel) * %s + filter) * %s + %s];"
            : "        weight = p_%s[((channel_group * %s + filter) * %s + channel) * %s + "
              "%s];",
        w->name, is_transposed ? c->channels : c->filters, is_transposed ? c->filters : c->channels,
        c->taps, convolution_tap_index(c));
    emit_line(e, "#pragma unroll\n    for (int p = 0; p < %d; p++)", p->tile.parts);
    emit_line(e,
              "        ((ushort *)p_%s)[((size_t)(($group_id2 * %d + block) * %lld + stage) * %d + "
              "p * %d + line) * %d +\n            (at / %d ^ line / 2 %% %d) * %d + at %% %d] = "
              "(ushort)%s(weight, none);\n}\n",
              c->weights, p->tile.blocks, stages, p->tile.parts * columns, columns, PARTS_STEPS,
              PARTS_CHUNK, PARTS_CHUNKS, PARTS_CHUNK, PARTS_CHUNK,
              p->tile.parts > 1 ? "take_part" : "pack");
}

void convolution_parts_weights(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    const struct value *w = c->call.in[1];
    const char *kind = emit_text(e, "%lld", kinds(p));
    const char *lines = emit_text(
        e, "%lld", (long long)p->tile.blocks * (long long)p->tile.stages * p->tile.columns);
    const char *shape[] = {kind, emit_text(e, "%d * %s", p->tile.parts, lines),
                           emit_text(e, "%d", PARTS_STEPS)};
    struct space space = {
        .global = {emit_text(e, "align(%s * %d, %d)", lines, PARTS_STEPS, PARTS_ITEMS), "1", kind},
        .local = {emit_text(e, "%d", PARTS_ITEMS), "1", "1"},
        .rank = 3};
    struct kernel kernel = {.name = emit_text(e, "pack_%zu", e->number)};

    writer_scratch(e->writer, c->weights, p->dtype, shape, 3);
    kernel_add_value(&kernel, w, false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->weights, p->dtype, true, NULL});
    writer_head(e->writer, &kernel);
    write_pack_body(p);
    writer_launch(e->writer, emit_copies_of(e, w), &kernel, &space);
    kernel_release(&kernel);
}
