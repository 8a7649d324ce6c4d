#include "core/agent/builtin/emit/convolution/convolution_parts_loads.h"

#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_places.h"

enum {
    FEW_STAGES = 4, /* whose loads are written one by one */
    NO_STEP = 30,   /* bit of an entry that no place has */
    IS_PLACE = 31   /* bit of an entry that all places have */
};

/* Entries of the table: of all taps, or of all steps and those of two stages after the last. */
static int64_t entries(const struct parts *p)
{
    return p->tile.is_by_tap ? p->tile.taps : (p->tile.stages + PARTS_STAGES) * PARTS_STEPS;
}

/* Declare `j<axis>`, the coordinates of `tap`. */
void convolution_parts_tap(const struct parts *p, const char *indent)
{
    const struct convolution_kernel *c = p->c;
    const char *left = "tap";

    for (size_t axis = c->rank; axis-- > FIRST_SPATIAL;) {
        emit_line(c->e,
                  axis == FIRST_SPATIAL ? "%sconst int j%zu = %s;"
                                        : "%sconst int j%zu = %s %% taps%zu;",
                  indent, axis, left, axis);
        left = emit_text(c->e, "%s / taps%zu", left, axis);
    }
}

/* True if the few loads of all stages are written one by one, without a table. */
static bool has_constant_loads(const struct parts *p)
{
    return !p->tile.is_by_tap && convolution_phases(p->c) == 1 && p->tile.stages <= FEW_STAGES;
}

/*
 * Write the table: how far from its first place the operand's element of a tap or step is, and the
 * bits that a place must have to meet it.
 */
static void write_table(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    const char *planes = convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank);
    const char *offset = "0", *bits = emit_text(e, "1u << %d", IS_PLACE);
    int64_t bit = 0;

    emit_line(e, "    __shared__ int2 table[%lld];", (long long)entries(p));
    emit_line(e, "#pragma unroll 1\n    for (int step = threadIdx.x; step < %lld; step += %d) {",
              (long long)entries(p), PARTS_ITEMS);
    if (p->tile.is_by_tap)
        emit_line(e, "        const int channel = 0, tap = step;");
    else
        emit_line(e,
                  "        const int channel = step / max(taps, 1), tap = step %% max(taps, 1);");
    convolution_parts_tap(p, "        ");
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        offset = emit_text(e, "(%s) * %s + j%zu * %lld", offset,
                           convolution_size(c, c->node->in[0], axis), axis,
                           (long long)convolution_phase_axis(c, axis).reach);
        bits = emit_text(e, "%s | 1u << (%lld + j%zu)", bits, (long long)bit, axis);
        bit += family_axis_taps(&c->shape.window, WINDOW_AXES - c->rank + axis);
    }
    emit_line(e, "        const bool is_step = %s;",
              p->tile.is_by_tap ? "tap < taps" : emit_text(e, "taps && channel < %s", c->channels));
    emit_line(e,
              "        table[step] = is_step ? make_int2(channel * %s + %s, (int)(%s))\n"
              "                              : make_int2(0, 1 << %d);\n    }",
              planes, offset, bits, NO_STEP);
}

void convolution_parts_own(const struct parts *p)
{
    emit_line(p->c->e,
              "    const int row_of_tile = threadIdx.x %% %d, half_of_line = threadIdx.x / %d;",
              PARTS_ROWS, PARTS_ROWS);
    emit_line(p->c->e, "    const int copied = first_place + row_of_tile;");
}

/* Declare the place that the work-item loads elements for, and the bits of taps that it meets. */
static void write_met_place(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    const char *planes = convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank);
    const char *first = "0";
    int64_t bit = 0;

    convolution_parts_own(p);
    emit_line(e, "    const int own = min(copied, count - 1);");
    convolution_write_places(c, "q", "own", "    ");
    emit_line(e, "    uint met = copied < count ? 1u << %d : 0;", IS_PLACE);
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        const char *size = convolution_size(c, c->node->in[0], axis);
        int64_t taps = family_axis_taps(&c->shape.window, WINDOW_AXES - c->rank + axis);

        emit_line(e, "    const int x%zu = q%zu * %lld + %s;", axis, axis,
                  (long long)convolution_phase_axis(c, axis).scale,
                  convolution_phase_number(c, axis, PHASE_SHIFT));
        emit_line(e, "#pragma unroll\n    for (int j = 0; j < %lld; j++)", (long long)taps);
        emit_line(e, "        met |= (uint)((uint)(x%zu + j * %lld) < (uint)(%s)) << (%lld + j);",
                  axis, (long long)convolution_phase_axis(c, axis).reach, size, (long long)bit);
        bit += taps;
        first = emit_text(e, "(%s) * %s + x%zu", first, size, axis);
    }
    emit_line(
        e,
        "    const float *const operand = p_%s + ((own / %s * %s + channel_group * %s) * %s + "
        "%s);",
        c->call.in[0]->name, c->places, convolution_size(c, c->node->in[0], 1), c->channels, planes,
        first);
}

/* Load the elements of a chunk that has one tap. */
static void write_loads_by_tap(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    const char *planes = convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank);
    bool is_whole = p->tile.channels == c->shape.in_channels;

    emit_line(e, "            const int chunk = (stage * %d + half_of_line * %d) + i;",
              PARTS_CHUNKS, PARTS_OF_ITEM);
    emit_line(e, "            const int channel = chunk / max(taps, 1) * %d;", PARTS_CHUNK);
    emit_line(e, "            const int2 entry = table[chunk < chunks ? chunk %% taps : 0];");
    emit_line(e, "            const bool is_met = chunk < chunks && !(entry.y & ~met);");
    emit_line(e, "            const float *const from = operand + (channel * %s + entry.x);",
              planes);
    emit_line(e, "#pragma unroll\n            for (int l = 0; l < %d; l++)", PARTS_CHUNK);
    emit_line(e, "                loaded[i * %d + l] = load_if(is_met%s, from + l * %s);",
              PARTS_CHUNK, is_whole ? "" : emit_text(e, " && channel + l < %s", c->channels),
              planes);
}

/* True if some windows reach beyond the operand. */
static bool has_padding(const struct convolution_kernel *c)
{
    bool is_padded = c->shape.window.kind != WINDOW_FORWARD;

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        is_padded |= convolution_axis(c, axis)->padding > 0;
    return is_padded;
}

/* Load the element of a step into number `at` of those that the work-item holds. */
static void write_constant_load(const struct parts *p, int64_t step, int64_t at)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    int64_t tap = step % p->tile.taps, below = p->tile.taps, bit = 0;
    unsigned bits = 1U << IS_PLACE;
    const char *offset = emit_text(e, "%lld", (long long)(step / p->tile.taps));

    if (step >= p->tile.channels * p->tile.taps) {
        emit_line(e, "            loaded[%lld] = 0;", (long long)at);
        return;
    }
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        int64_t taps = family_axis_taps(&c->shape.window, WINDOW_AXES - c->rank + axis), own;
        long long reach;

        below /= taps;
        own = tap / below % taps;
        reach = (long long)own * (long long)convolution_phase_axis(c, axis).reach;
        bits |= 1U << (bit + own);
        bit += taps;
        offset = emit_text(e, "(%s) * %s + %lld", offset, convolution_size(c, c->node->in[0], axis),
                           reach);
    }
    if (has_padding(c))
        emit_line(e, "            loaded[%lld] = load_if(!(~met & %#xu), operand + (%s));",
                  (long long)at, bits, offset);
    else
        emit_line(e, "            loaded[%lld] = __ldg(operand + (%s));", (long long)at, offset);
}

static void write_constant_loads(const struct parts *p)
{
    const int64_t of_item = (int64_t)PARTS_OF_ITEM * PARTS_CHUNK;

    for (int64_t first = 0; first < p->tile.stages * PARTS_STEPS; first += of_item) {
        emit_line(p->c->e, "        if (stage * %d + half_of_line == %lld) {",
                  PARTS_ITEMS / PARTS_ROWS, (long long)(first / of_item));
        for (int64_t at = 0; at < of_item; at++)
            write_constant_load(p, first + at, at);
        emit_line(p->c->e, "        }");
    }
}

void convolution_parts_loads(const struct parts *p)
{
    struct emitter *e = p->c->e;

    emit_line(e, "    const auto load = [&](int stage) {");
    if (has_constant_loads(p)) {
        write_constant_loads(p);
        emit_line(e, "    };");
        return;
    }
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {", PARTS_OF_ITEM);
    if (p->tile.is_by_tap) {
        write_loads_by_tap(p);
    } else {
        emit_line(e, "#pragma unroll\n            for (int l = 0; l < %d; l++) {", PARTS_CHUNK);
        emit_line(e,
                  "                const int2 entry = table[stage * %d + (half_of_line * %d + i) * "
                  "%d + l];",
                  PARTS_STEPS, PARTS_OF_ITEM, PARTS_CHUNK);
        emit_line(e,
                  "                loaded[i * %d + l] = load_if(!(entry.y & ~met), operand + "
                  "entry.x);\n            }",
                  PARTS_CHUNK);
    }
    emit_line(e, "        }\n    };");
}

void convolution_parts_place(const struct parts *p)
{
    if (!has_constant_loads(p))
        write_table(p);
    write_met_place(p);
}
