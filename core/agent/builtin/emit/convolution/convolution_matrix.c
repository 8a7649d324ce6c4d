#include "core/agent/builtin/emit/convolution/convolution_matrix.h"

#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_places.h"
#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/number.h"

enum {
    ITEMS = 256, /* work-items of a work-group: two warpgroups */
    ROWS = 128,  /* places of a work-group's tile */
    CHUNK = 8,   /* channels that are copied at once, 16 bytes */
    CHUNKS = 8,  /* of a line of a stage: 64 steps, 128 bytes */
    LINE_BYTES = 128,
    LINES = ITEMS / CHUNKS, /* lines that all work-items copy at once */
    COLUMN_STEP = 16,
    LEAST_COLUMNS = 64,  /* wider tiles are divided if there are too few work-groups */
    ENOUGH_GROUPS = 132, /* so that a GPU with that many units is busy */
    LEAST_STAGES = 3,
    MOST_BYTES = 224 << 10,
    ALIGNMENT = 1024,
    SQUARE = 2048, /* elements that a work-group converts at once */
    MOST_CHANNELS = 64,
    LEAST_PLACES = 32
};

/* The kernel that is being written. */
struct matrix_convolution {
    const struct convolution_kernel *c;
    enum dtype dtype;
    int channels;        /* of a group, rounded up to whole chunks */
    int columns, blocks; /* columns of a tile; tiles of a group's filters */
    int stages;
};

bool convolution_has_matrix(const struct convolution_kernel *c)
{
    const struct emitter *e = c->e;
    int operands = e->schedule->of[KNOB_MATRIX];

    return (operands == MATRIX_HALVES || operands == MATRIX_BFLOATS) &&
           e->schedule->of[KNOB_WARPGROUP] && e->writer->dialect->has_matrix &&
           !family_convolution_obstacle(e->writer, e->schedule, c->node, &c->call);
}

/* The work-groups if the filters of a group are divided into `blocks` tiles. */
static int64_t groups_of(const struct convolution_kernel *c, int64_t blocks)
{
    int64_t places = shape_elements(&c->call.out->shape) / c->call.out->shape.dims[1];

    return (places + ROWS - 1) / ROWS * blocks * c->shape.groups;
}

static int stage_bytes(int columns)
{
    return (ROWS + columns) * LINE_BYTES;
}

static struct matrix_convolution matrix_of(const struct convolution_kernel *c)
{
    struct matrix_convolution m = {
        .c = c,
        .dtype = c->e->schedule->of[KNOB_MATRIX] == MATRIX_HALVES ? DTYPE_F16 : DTYPE_BF16,
        .channels = (int)number_round_up(c->shape.in_channels, CHUNK),
        .stages = c->e->schedule->of[KNOB_STAGES]};
    int most = c->e->schedule->of[KNOB_SPAN];
    int64_t filters = c->shape.out_channels, blocks = (filters + most - 1) / most;

    while (groups_of(c, blocks) < ENOUGH_GROUPS && filters / blocks / 2 >= LEAST_COLUMNS)
        blocks *= 2;
    m.columns = (int)number_round_up((filters + blocks - 1) / blocks, COLUMN_STEP);
    m.blocks = (int)((filters + m.columns - 1) / m.columns);
    if (m.stages < LEAST_STAGES)
        m.stages = LEAST_STAGES;
    while (m.stages > LEAST_STAGES && m.stages * stage_bytes(m.columns) > MOST_BYTES)
        m.stages--;
    return m;
}

/* The number of the operand's places in an image, as C text. */
static const char *operand_places(const struct convolution_kernel *c)
{
    return convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank);
}

/* The channels of all groups in the converted operand. */
static int all_channels(const struct matrix_convolution *m)
{
    return (int)m->c->shape.groups * m->channels;
}

/* Sizes of the block of channels and places that a work-group converts. */
static int block_channels(const struct matrix_convolution *m)
{
    return all_channels(m) < MOST_CHANNELS ? all_channels(m) : MOST_CHANNELS;
}

static int block_places(const struct matrix_convolution *m)
{
    int places = LEAST_PLACES;

    while (2 * places <= ITEMS && 2 * places * block_channels(m) <= SQUARE)
        places *= 2;
    return places;
}

/* Write the body of the kernel that converts the operand to [image][place][group][channel]. */
static void write_frame_body(const struct matrix_convolution *m)
{
    const struct convolution_kernel *c = m->c;
    struct emitter *e = c->e;
    int channels = block_channels(m), places = block_places(m);
    const char *all = operand_places(c);

    emit_line(e, "    $local float square[%d][%d];", channels, places + 1);
    emit_line(e, "    const int tiles = (%s + %d) / %d, image = $group_id0 / tiles;", all,
              places - 1, places);
    emit_line(e, "    const int first = $group_id0 %% tiles * %d, channel = $group_id1 * %d;",
              places, channels);
    emit_line(e, "    const int place = first + $local_id0 %% %d;\n", places);
    emit_line(e, "    for (int i = $local_id0 / %d; i < %d; i += %d) {", places, channels,
              ITEMS / places);
    emit_line(e, "        const int k = channel + i, own = k %% %d;", m->channels);
    emit_line(e,
              "        square[i][place - first] = own < %s && k < %d && place < %s\n"
              "            ? p_%s[(image * %s + k / %d * %s + own) * %s + place] : 0.0f;\n    }",
              c->channels, all_channels(m), all, c->call.in[0]->name,
              convolution_size(c, c->node->in[0], 1), m->channels, c->channels, all);
    emit_line(e, "    $barrier;\n    for (int i = $local_id0; i < %d; i += %d) {",
              channels / 2 * places, ITEMS);
    emit_line(e, "        const int two = i %% %d * 2, p = i / %d;\n", channels / 2, channels / 2);
    emit_line(e, "        if (first + p < %s && channel + two < %d)", all, all_channels(m));
    emit_line(e,
              "            ((uint *)p_%s)[((image * %s + first + p) * %d + channel + two) / 2] =\n"
              "                pack(square[two][p], square[two + 1][p]);\n    }\n}\n",
              c->frame, all, all_channels(m));
}

static void write_frame(const struct matrix_convolution *m)
{
    const struct convolution_kernel *c = m->c;
    struct emitter *e = c->e;
    const char *images = convolution_size(c, c->node->in[0], 0);
    const char *shape[] = {images, operand_places(c), emit_text(e, "%d", all_channels(m))};
    struct space space = {
        .global = {emit_text(e, "%s * ceildiv(%s, %d) * %d", images, operand_places(c),
                             block_places(m), ITEMS),
                   emit_text(e, "%d",
                             (all_channels(m) + block_channels(m) - 1) / block_channels(m))},
        .local = {emit_text(e, "%d", ITEMS), "1"},
        .rank = 2};
    struct kernel kernel = {.name = emit_text(e, "frame_%zu", e->number)};

    writer_scratch(e->writer, c->frame, m->dtype, shape, 3);
    kernel_add_value(&kernel, c->call.in[0], false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->frame, m->dtype, true, NULL});
    writer_head(e->writer, &kernel);
    write_frame_body(m);
    writer_launch(e->writer, emit_copies_of(e, c->call.in[0]), &kernel, &space);
    kernel_release(&kernel);
}

/*
 * Write the kernel that converts the weights to [group][filter][tap][channel], with zeros after the
 * last filter of a group and its last channel.
 */
static void write_pack(const struct matrix_convolution *m)
{
    const struct convolution_kernel *c = m->c;
    struct emitter *e = c->e;
    const struct value *w = c->call.in[1];
    bool is_transposed = c->shape.window.kind == WINDOW_TRANSPOSED;
    long long filters = (long long)m->columns * m->blocks;
    const char *shape[] = {emit_text(e, "%lld", (long long)c->shape.groups * filters), c->taps,
                           emit_text(e, "%d", m->channels)};
    struct space space = {
        .global = {emit_text(e, "align(%s * %s * %s, %d)", shape[0], shape[1], shape[2], ITEMS)},
        .local = {emit_text(e, "%d", ITEMS)},
        .rank = 1};
    struct kernel kernel = {.name = emit_text(e, "pack_%zu", e->number)};

    writer_scratch(e->writer, c->weights, m->dtype, shape, 3);
    kernel_add_value(&kernel, w, false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->weights, m->dtype, true, NULL});
    writer_head(e->writer, &kernel);
    emit_line(e, "    const int i = $global_id0, channel = i %% %d, tap = i / %d %% %s;",
              m->channels, m->channels, c->taps);
    emit_line(e, "    const int line = i / (%d * %s), filter = line %% %lld, group = line / %lld;",
              m->channels, c->taps, filters, filters);
    emit_line(e, "    float weight = 0;\n\n    if (group >= %lld)\n        return;",
              (long long)c->shape.groups);
    emit_line(e, "    if (filter < %s && channel < %s)", c->filters, c->channels);
    emit_line(e,
              is_transposed
                  ? "        weight = p_%s[((group * %s + channel) * %s + filter) * %s + tap];"
                  : "        weight = p_%s[((group * %s + filter) * %s + channel) * %s + tap];",
              w->name, is_transposed ? c->channels : c->filters,
              is_transposed ? c->filters : c->channels, c->taps);
    emit_line(e, "    ((ushort *)p_%s)[i] = (ushort)pack(weight, 0.0f);\n}\n", c->weights);
    writer_launch(e->writer, emit_copies_of(e, w), &kernel, &space);
    kernel_release(&kernel);
}

/* Declare where the first tap of each place that the work-item copies meets the operand. */
static void write_copied_places(const struct matrix_convolution *m)
{
    const struct convolution_kernel *c = m->c;
    struct emitter *e = c->e;

    emit_line(e, "    const ushort *image[%d];", ROWS / LINES);
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        emit_line(e, "    int at%zu[%d];", axis, ROWS / LINES);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++) {", ROWS / LINES);
    emit_line(e,
              "        const int place = first_place + line + i * %d, own = min(place, count - 1);",
              LINES);
    convolution_write_places(c, "q", "own", "        ");
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        emit_line(e, "        at%zu[i] = place < count ? q%zu * %lld + %s : INT_MIN / 2;", axis,
                  axis, (long long)convolution_phase_axis(c, axis).scale,
                  convolution_phase_number(c, axis, PHASE_SHIFT));
    emit_line(
        e,
        "        image[i] = (const ushort *)p_%s + own / %s * (%s * %d) + channel_group * %d;\n"
        "    }",
        c->frame, c->places, operand_places(c), all_channels(m), m->channels);
}

static void write_start(const struct matrix_convolution *m)
{
    const struct convolution_kernel *c = m->c;
    struct emitter *e = c->e;
    const char *chunks = emit_text(e, "%d", m->channels / CHUNK);
    long long phases = (long long)convolution_phases(c); /* neighbours share what they store */

    emit_line(e, "    extern __shared__ uchar memory[];");
    emit_line(e, "    uchar *const a_tiles = memory + (-shared_address(memory) & %d);",
              ALIGNMENT - 1);
    emit_line(e, "    uchar *const b_tiles = a_tiles + %d;", m->stages * ROWS * LINE_BYTES);
    emit_line(e,
              "    const int first_place = $group_id0 / %lld * %d, first_filter = $group_id1 * %d;",
              phases, ROWS, m->columns);
    emit_line(e, "    const int count = %s * %s;", convolution_size(c, c->node->out, 0), c->places);
    emit_line(e, "    const int part = threadIdx.x %% %d, line = threadIdx.x / %d;", CHUNKS,
              CHUNKS);
    convolution_write_phase(
        c, phases == 1 ? "$group_id2"
                       : emit_text(e, "($group_id2 * %lld + $group_id0 %% %lld)", phases, phases));
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        emit_line(e, "    const int taps%zu = %s;", axis,
                  convolution_phase_number(c, axis, PHASE_TAPS));
        chunks = emit_text(e, "%s * taps%zu", chunks, axis);
    }
    emit_line(e, "    const int chunks = %s, stages = (chunks + %d) / %d;", chunks, CHUNKS - 1,
              CHUNKS);
    emit_line(
        e,
        "    const ushort *const weights =\n        (const ushort *)p_%s + (channel_group * %d "
        "+ first_filter + line) * (%s * %d);",
        c->weights, m->columns * m->blocks, c->taps, m->channels);
    write_copied_places(m);
    emit_line(e, "    float sums[%d];\n    int to = 0, from = 0;\n", m->columns / 2);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)\n        sums[i] = 0;",
              m->columns / 2);
}

/* Declare the tap and the channel of the chunk that the work-item copies. */
static void write_chunk(const struct matrix_convolution *m)
{
    const struct convolution_kernel *c = m->c;
    struct emitter *e = c->e;
    const char *left = "tap";

    emit_line(e, "            const int chunk = next * %d + part, tap = chunk / %d;", CHUNKS,
              m->channels / CHUNK);
    emit_line(e, "            const int channel = chunk %% %d * %d;", m->channels / CHUNK, CHUNK);
    for (size_t axis = c->rank; axis-- > FIRST_SPATIAL;) {
        emit_line(e,
                  axis == FIRST_SPATIAL ? "            const int j%zu = %s;"
                                        : "            const int j%zu = %s %% taps%zu;",
                  axis, left, axis);
        left = emit_text(e, "%s / taps%zu", left, axis);
    }
}

/* The place of a chunk in its line: swizzled as the matrix units expect it. */
static const char *swizzled(struct emitter *e, const char *tiles, int lines)
{
    return emit_text(e, "(float *)(%s + (to * %d + line + i * %d) * %d + (part ^ line %% %d) * 16)",
                     tiles, lines, LINES, LINE_BYTES, CHUNKS);
}

static void write_copies(const struct matrix_convolution *m)
{
    const struct convolution_kernel *c = m->c;
    struct emitter *e = c->e;
    const char *index;

    write_chunk(m);
    emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++) {", ROWS / LINES);
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        emit_line(e, "                const int x%zu = at%zu[i];", axis, axis);
    index = convolution_write_met_place(c, "j", "                ");
    emit_line(e, "                const bool is_there = is_inside && chunk < chunks;\n");
    emit_line(e, "                copy_later<16>(%s,", swizzled(e, "a_tiles", ROWS));
    emit_line(e,
              "                               (const float *)(is_there ? image[i] + (%s) * %d + "
              "channel : image[i]), is_there);\n            }",
              index, all_channels(m));
    emit_line(e, "            const int lines = (%s) * %d + channel;", convolution_tap_index(c),
              m->channels);
    emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++) {",
              (m->columns + LINES - 1) / LINES);
    if (m->columns % LINES != 0)
        emit_line(e, "                if (line + i * %d >= %d)\n                    break;", LINES,
                  m->columns);
    emit_line(e, "                copy_later<16>(%s,", swizzled(e, "b_tiles", m->columns));
    emit_line(e,
              "                               (const float *)(weights + (chunk < chunks ? i * %d * "
              "(%s * %d) + lines : 0)), chunk < chunks);\n            }",
              LINES, c->taps, m->channels);
}

/*
 * Write the loop over the stages. A stage is copied to the place of the one before the previous:
 * all work-items have waited for its products before the barrier.
 */
static void write_sum(const struct matrix_convolution *m)
{
    struct emitter *e = m->c->e;
    int ahead = m->stages - 2;

    emit_line(e, "    for (int next = 0; next < stages + %d; next++) {", ahead);
    emit_line(e, "        if (next >= %d) {\n            copies_wait<%d>();", ahead, ahead - 1);
    emit_line(e, "            copies_visible();\n            $barrier;");
    emit_line(
        e, "            const ulong a = descriptor(a_tiles + from * %d + threadIdx.x / %d * %d);",
        ROWS * LINE_BYTES, ITEMS / 2, ROWS / 2 * LINE_BYTES);
    emit_line(e, "            const ulong b = descriptor(b_tiles + from * %d);\n",
              m->columns * LINE_BYTES);
    emit_line(e, "            multiply_begin();\n            multiply_%d_line(sums, a, b);",
              m->columns);
    emit_line(e, "            multiply_end();\n            multiply_wait<1>();");
    emit_line(e, "            from = from + 1 == %d ? 0 : from + 1;\n        }", m->stages);
    emit_line(e, "        if (next < stages) {");
    write_copies(m);
    emit_line(e, "        }\n        copies_end();\n        to = to + 1 == %d ? 0 : to + 1;\n    }",
              m->stages);
    emit_line(e, "    multiply_wait<0>();");
}

/*
 * Write the end of a kernel in which warpgroups hold `sums`: add the bias, apply the group's other
 * operations, and store the results. In scope are the tile's `first_place` and `first_filter`, the
 * `count` of places, `channel_group` and the phases; a group of channels has `blocks` tiles of
 * `columns` filters. A work-item has two of every 16 places; the sums of the second one move to the
 * registers of the first one, so that both share the code.
 */
static void write_results(const struct convolution_kernel *c, int columns, int blocks)
{
    struct emitter *e = c->e;
    const struct position position = {
        .row = "row", .column = "c", .width = 1, .indent = "                "};

    emit_line(e, "#pragma unroll 1\n    for (int half_of = 0; half_of < 2; half_of++) {");
    emit_line(e, "#pragma unroll\n        for (int j = 0; half_of && j < %d; j++)", columns / 8);
    emit_line(e, "#pragma unroll\n            for (int l = 0; l < 2; l++)\n"
                 "                sums[4 * j + l] = sums[4 * j + 2 + l];");
    emit_line(e,
              "        const int place = first_place + threadIdx.x / 32 * 16 + threadIdx.x %% 32 "
              "/ 4 + half_of * 8;\n");
    convolution_write_result_place(c, "continue");
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++)", columns / 8);
    emit_line(e, "#pragma unroll\n            for (int l = 0; l < 2; l++) {");
    emit_line(e,
              "                const int own = first_filter + 8 * j + threadIdx.x %% 4 * 2 + l;");
    if (c->shape.out_channels != (int64_t)columns * blocks)
        emit_line(e, "                if (own >= %s)\n                    break;", c->filters);
    convolution_write_row(c, "own", "                ");
    emit_row_axes(e, "                ");
    convolution_write_result(c, "float", "sums[4 * j + l]", "                ");
    emit_results(e, &position);
    emit_line(e, "            }\n    }\n}");
}

static void launch(const struct matrix_convolution *m)
{
    const struct convolution_kernel *c = m->c;
    struct emitter *e = c->e;
    struct space space = {.rank = 3};

    space.global[0] =
        emit_text(e, "ceildiv(%s * %s, %d) * %lld", convolution_size(c, c->node->out, 0), c->places,
                  ROWS, (long long)convolution_phases(c) * ITEMS);
    space.global[1] = emit_text(e, "%d", m->blocks);
    space.global[2] = emit_text(e, "%lld", (long long)c->shape.groups);
    space.local[0] = emit_text(e, "%d", ITEMS);
    space.local[1] = space.local[2] = "1";
    space.shared_bytes = m->stages * stage_bytes(m->columns) + ALIGNMENT;
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void convolution_matrix(const struct convolution_kernel *c)
{
    const struct matrix_convolution m = matrix_of(c);
    struct emitter *e = c->e;

    write_frame(&m);
    write_pack(&m);
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c->frame, m.dtype, false, NULL});
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c->weights, m.dtype, false, NULL});
    emit_args(e, 1U << 0 | 1U << 1);
    e->kernel.work_items = ITEMS;
    writer_head(e->writer, &e->kernel);
    write_start(&m);
    write_sum(&m);
    write_results(c, m.columns, m.blocks);
    launch(&m);
}
