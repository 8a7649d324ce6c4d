#include "core/agent/builtin/emit/convolution/convolution_parts.h"

#include "core/agent/builtin/emit/convolution/convolution_parts_loads.h"
#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_places.h"
#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/plan/family.h"

enum {
    PARTS = 3,
    LINE_BYTES = 64,
    ALIGNMENT = 1024,
    PRODUCTS = 6,
    /* Digit i is the operand's part in product i; the smallest products come first. */
    PARTS_OF_ROWS = 0x001012,
    PARTS_OF_COLUMNS = 0x010210,
    /* Stages after which sums of products are added to the results (product_matrix.c). */
    STAGES_OF_SUM = 2,
    /* Columns for which a unit has registers for three work-groups, and for two. */
    FEWEST_COLUMNS = 32,
    FEW_COLUMNS = 64,
    RESULT_LINE = PARTS_ROWS + 4, /* floats of a filter's line; other banks for the next ones */
    RESULTS_AT_ONCE = 8,
};

bool convolution_has_parts(const struct convolution_kernel *c)
{
    return family_has_parts(c->e->writer, c->e->schedule, c->node, &c->call);
}

/*
 * The parts into which the sum is divided if there are too few work-groups to keep a GPU busy. A
 * section has some stages, because another kernel adds the sections up.
 */
static int sections_of(const struct parts *p)
{
    enum { LEAST_STAGES = 8, ENOUGH_GROUPS = 264, FEW_GROUPS = 66 };
    const struct shape *out = &p->c->call.out->shape;
    int64_t places = shape_elements(out) / out->dims[1];
    int64_t groups = (places + PARTS_ROWS - 1) / PARTS_ROWS * p->tile.blocks * p->c->shape.groups;
    int64_t sections = ENOUGH_GROUPS / groups, most = p->tile.stages / LEAST_STAGES, length;

    if (groups > FEW_GROUPS || convolution_phases(p->c) > 1 || most < 2)
        return 1;
    most = sections < most ? sections : most;
    length = (p->tile.stages + most - 1) / most; /* so that no section is empty */
    return (int)((p->tile.stages + length - 1) / length);
}

static int section_stages(const struct parts *p)
{
    return ((int)p->tile.stages + p->sections - 1) / p->sections;
}

/* Work-groups for which a unit has registers. */
static int residents_of(const struct parts *p)
{
    if (p->tile.columns <= FEWEST_COLUMNS)
        return 3;
    return p->tile.columns <= FEW_COLUMNS ? 2 : 1;
}

static int column_bytes(const struct parts *p)
{
    return PARTS * p->tile.columns * LINE_BYTES;
}

static int row_bytes(void)
{
    return PARTS * PARTS_ROWS * LINE_BYTES;
}

/* The number of work-groups' phases and groups of channels. */
static long long kinds(const struct parts *p)
{
    return (long long)p->c->shape.groups * (long long)convolution_phases(p->c);
}

/* Declare `taps<axis>` and `taps`, the numbers of taps in the phase. */
static void write_taps(const struct parts *p)
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
 * Write the kernel that splits the weights. It stores them as stages of the matrix units expect
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
    write_taps(p);
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
    emit_line(e, "#pragma unroll\n    for (int p = 0; p < %d; p++)", PARTS);
    emit_line(e,
              "        ((ushort *)p_%s)[((size_t)(($group_id2 * %d + block) * %lld + stage) * %d + "
              "p * %d + line) * %d +\n            (at / %d ^ line / 2 %% %d) * %d + at %% %d] = "
              "(ushort)take_part(weight, none);\n}\n",
              c->weights, p->tile.blocks, stages, PARTS * columns, columns, PARTS_STEPS,
              PARTS_CHUNK, PARTS_CHUNKS, PARTS_CHUNK, PARTS_CHUNK);
}

static void write_pack(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    const struct value *w = c->call.in[1];
    const char *kind = emit_text(e, "%lld", kinds(p));
    const char *lines = emit_text(
        e, "%lld", (long long)p->tile.blocks * (long long)p->tile.stages * p->tile.columns);
    const char *shape[] = {kind, emit_text(e, "%d * %s", PARTS, lines),
                           emit_text(e, "%d", PARTS_STEPS)};
    struct space space = {
        .global = {emit_text(e, "align(%s * %d, %d)", lines, PARTS_STEPS, PARTS_ITEMS), "1", kind},
        .local = {emit_text(e, "%d", PARTS_ITEMS), "1", "1"},
        .rank = 3};
    struct kernel kernel = {.name = emit_text(e, "pack_%zu", e->number)};

    writer_scratch(e->writer, c->weights, DTYPE_BF16, shape, 3);
    kernel_add_value(&kernel, w, false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->weights, DTYPE_BF16, true, NULL});
    writer_head(e->writer, &kernel);
    write_pack_body(p);
    writer_launch(e->writer, emit_copies_of(e, w), &kernel, &space);
    kernel_release(&kernel);
}

/* The number of the work-group's phase and group of channels. */
static const char *kind_of(const struct parts *p)
{
    long long phases = (long long)convolution_phases(p->c);

    return phases == 1
               ? "$group_id2"
               : emit_text(p->c->e, "($group_id2 * %lld + $group_id0 %% %lld)", phases, phases);
}

/* Declare the work-group's tile. */
static void write_tile(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    long long phases = (long long)convolution_phases(c);

    emit_line(e, "    extern __shared__ uchar memory[];");
    emit_line(e, "    uchar *const tiles = memory + (-shared_address(memory) & %d);",
              ALIGNMENT - 1);
    emit_line(e, "    const int turn = $group_id0 / %lld, block = turn %% %d;", phases,
              p->tile.blocks);
    emit_line(e, "    const int first_place = turn / %d * %d, first_filter = block * %d;",
              p->tile.blocks, PARTS_ROWS, p->tile.columns);
    emit_line(e, "    const int count = %s * %s;", convolution_size(c, c->node->out, 0), c->places);
    convolution_write_phase(c, kind_of(p));
}

/* Declare the stages that the work-group adds up, and their weights. */
static void write_start(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;

    write_tile(p);
    write_taps(p);
    if (p->tile.is_by_tap)
        emit_line(e, "    const int chunks = %lld * taps;",
                  (long long)p->tile.channels / PARTS_CHUNK);
    else
        emit_line(e, "    const int chunks = (%lld * taps + %d) / %d;", (long long)p->tile.channels,
                  PARTS_CHUNK - 1, PARTS_CHUNK);
    if (p->sections > 1) {
        emit_line(e, "    const int begin = $group_id1 * %d;", section_stages(p));
        emit_line(e, "    const int stages = min(begin + %d, (chunks + %d) / %d);",
                  section_stages(p), PARTS_CHUNKS - 1, PARTS_CHUNKS);
    } else {
        emit_line(e, "    const int begin = 0, stages = (chunks + %d) / %d;", PARTS_CHUNKS - 1,
                  PARTS_CHUNKS);
    }
    emit_line(e,
              "    const uchar *const weights = (const uchar *)p_%s + (size_t)(%s * %d + block) * "
              "%lld + threadIdx.x * 16;",
              c->weights, kind_of(p), p->tile.blocks, (long long)p->tile.stages * column_bytes(p));
}

/* Write the function that splits what was loaded, stores its parts, and copies the weights. */
static void write_stores(const struct parts *p)
{
    struct emitter *e = p->c->e;
    int copies = column_bytes(p) / 16;

    emit_line(e, "    const auto store = [&](int stage) {");
    emit_line(e, "        uchar *const to = tiles + stage %% %d * %d;", PARTS_STAGES,
              row_bytes() + column_bytes(p));
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {",
              (copies + PARTS_ITEMS - 1) / PARTS_ITEMS);
    if (copies % PARTS_ITEMS != 0)
        emit_line(e, "            if (i * %d + threadIdx.x >= %d)\n                break;",
                  PARTS_ITEMS, copies);
    emit_line(
        e,
        "            copy_later<16>((float *)(to + %d + (i * %d + threadIdx.x) * 16),\n"
        "                           (const float *)(weights + (stage < stages ? (size_t)stage "
        "* %d + i * %d : 0)),\n                           stage < stages);\n        }\n"
        "        copies_end();",
        row_bytes(), PARTS_ITEMS, column_bytes(p), PARTS_ITEMS * 16);
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {", PARTS_OF_ITEM);
    emit_line(e, "            float *const l = loaded + i * %d;", PARTS_CHUNK);
    emit_line(e, "            const int at = (half_of_line * %d + i) ^ row_of_tile / 2 %% %d;\n",
              PARTS_OF_ITEM, PARTS_CHUNKS);
    emit_line(e, "#pragma unroll\n            for (int p = 0; p < %d; p++) {", PARTS);
    emit_line(e, "                const uint one = take_part(l[0], l[1]), two = take_part(l[2], "
                 "l[3]);\n"
                 "                const uint three = take_part(l[4], l[5]), four = take_part(l[6], "
                 "l[7]);");
    emit_line(e,
              "                *(uint4 *)(to + (p * %d + row_of_tile) * %d + at * 16) =\n"
              "                    make_uint4(one, two, three, four);\n            }\n        }\n"
              "    };",
              PARTS_ROWS, LINE_BYTES);
}

/*
 * Write the loop over the stages. While a stage is multiplied, the next one is stored, and the one
 * after it is loaded. A stage is stored only after the barrier behind the last use of its memory.
 */
static void write_sum(const struct parts *p)
{
    struct emitter *e = p->c->e;
    int columns = p->tile.columns, stage_bytes = row_bytes() + column_bytes(p);

    emit_line(e, "    float sums[%d], added[%d], loaded[%d];", columns / 2, columns / 2,
              PARTS_OF_ITEM * PARTS_CHUNK);
    emit_line(e,
              "#pragma unroll\n    for (int i = 0; i < %d; i++)\n        sums[i] = added[i] = 0;",
              columns / 2);
    convolution_parts_loads(p);
    write_stores(p);
    emit_line(e, "    $barrier;\n    load(begin);\n    store(begin);\n    if (begin + 1 < stages)\n"
                 "        load(begin + 1);");
    emit_line(e, "#pragma unroll 1\n    for (int stage = begin; stage < stages; stage++) {");
    emit_line(e, "        copies_wait<0>();\n        copies_visible();\n        $barrier;");
    emit_line(
        e,
        "        const ulong a = short_descriptor(tiles + stage %% %d * %d + threadIdx.x / %d "
        "* %d);",
        PARTS_STAGES, stage_bytes, PARTS_ITEMS / 2, PARTS_ROWS / 2 * LINE_BYTES);
    emit_line(e, "        const ulong b = short_descriptor(tiles + stage %% %d * %d + %d);\n",
              PARTS_STAGES, stage_bytes, row_bytes());
    emit_line(e,
              "        multiply_begin();\n#pragma unroll\n        for (int i = 0; i < %d; i++) {",
              PRODUCTS * PARTS_STEPS / 16);
    emit_line(e,
              "            const ulong rows = a + (%#x >> i / 2 * 4 & 15) * %d + i %% 2 * 2;\n"
              "            const ulong filters = b + (%#x >> i / 2 * 4 & 15) * %d + i %% 2 * 2;",
              PARTS_OF_ROWS, PARTS_ROWS * LINE_BYTES / 16, PARTS_OF_COLUMNS,
              columns * LINE_BYTES / 16);
    emit_line(e, "            multiply_%d(added, rows, filters);\n        }", columns);
    emit_line(
        e,
        "        multiply_end();\n        if (stage + 1 < stages)\n            store(stage + 1);\n"
        "        if (stage + 2 < stages)\n            load(stage + 2);\n"
        "        multiply_wait<0>();");
    emit_line(e, "        if (stage %% %d != %d && stage + 1 != stages)\n            continue;",
              STAGES_OF_SUM, STAGES_OF_SUM - 1);
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {", columns / 2);
    emit_line(e, "            sums[i] += added[i];\n            added[i] = 0;\n        }\n    }");
}

/*
 * Write the end of the kernel: the sums change places in shared memory, where a filter's places are
 * neighbours, so that the work-items of a warp store neighbours.
 */
static void write_results(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    const struct position position = {
        .row = "row", .column = "c", .width = 1, .indent = "        "};
    int columns = p->tile.columns, lanes = PARTS_ITEMS / PARTS_ROWS;

    emit_line(e,
              "    copies_wait<0>();\n    $barrier;\n    float *const results = (float *)tiles;");
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", columns / 2);
    emit_line(
        e,
        "        results[(i / 4 * 8 + threadIdx.x %% 4 * 2 + i %% 2) * %d + threadIdx.x / 32 * "
        "16 + threadIdx.x %% 32 / 4 + i / 2 %% 2 * 8] = sums[i];",
        RESULT_LINE);
    emit_line(e, "    $barrier;\n    {\n        const int place = copied;\n");
    convolution_write_result_place(c, "return");
    emit_line(e, "#pragma unroll %d\n    for (int i = half_of_line; i < %d; i += %d) {",
              RESULTS_AT_ONCE, columns, lanes);
    emit_line(e, "        const int own = first_filter + i;");
    if (c->shape.out_channels != (int64_t)columns * p->tile.blocks)
        emit_line(e, "        if (own >= %s)\n            break;", c->filters);
    convolution_write_row(c, "own", "        ");
    emit_line(e, "        const int row0 = place / %s, row1 = filter;", c->places);
    for (size_t axis = FIRST_SPATIAL; axis + 1 < c->rank; axis++)
        emit_line(e, "        const int row%zu = o%zu;", axis, axis);
    convolution_write_result(c, "float", emit_text(e, "results[i * %d + row_of_tile]", RESULT_LINE),
                             "        ");
    emit_results(e, &position);
    emit_line(e, "    }\n    }\n}");
}

/* The sums of the sections: those of a work-group's work-items are neighbours. */
static const char *section_sums(const struct parts *p)
{
    return emit_text(p->c->e, "sums_%zu", p->c->e->number);
}

/* Declare the first sum of the work-item in a section. */
static void write_section(const struct parts *p, const char *section, const char *indent)
{
    emit_line(p->c->e,
              "%sconst size_t first_sum = ((size_t)($group_id2 * %d + %s) * $group_count0 + "
              "$group_id0) * %d + threadIdx.x;",
              indent, p->sections, section, p->tile.columns / 2 * PARTS_ITEMS);
}

/* Write the end of a kernel of sections: each stores its sums. */
static void write_section_sums(const struct parts *p)
{
    struct emitter *e = p->c->e;

    write_section(p, "$group_id1", "    ");
    emit_line(e,
              "#pragma unroll\n    for (int i = 0; i < %d; i++)\n"
              "        p_%s[first_sum + i * %d] = sums[i];\n}\n",
              p->tile.columns / 2, section_sums(p), PARTS_ITEMS);
}

/* The work-groups of a launch for one section. */
static const char *groups_text(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;

    return emit_text(c->e, "ceildiv(%s * %s, %d) * %lld", convolution_size(c, c->node->out, 0),
                     c->places, PARTS_ROWS, (long long)convolution_phases(c) * p->tile.blocks);
}

static void launch(const struct parts *p, const struct kernel *kernel, int sections)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    struct space space = {.rank = 3};

    space.global[0] = emit_text(e, "%s * %d", groups_text(p), PARTS_ITEMS);
    space.global[1] = emit_text(e, "%d", sections);
    space.global[2] = emit_text(e, "%lld", (long long)c->shape.groups);
    space.local[0] = emit_text(e, "%d", PARTS_ITEMS);
    space.local[1] = space.local[2] = "1";
    space.shared_bytes = PARTS_STAGES * (row_bytes() + column_bytes(p)) + ALIGNMENT;
    writer_launch(e->writer, e->writer->launches, kernel, &space);
}

/* Write the kernel that computes the sums of each section. */
static void write_sections(const struct parts *p)
{
    struct emitter *e = p->c->e;
    const char *shape[] = {emit_text(e, "%lld", (long long)p->c->shape.groups * p->sections),
                           groups_text(p), emit_text(e, "%d", p->tile.columns / 2 * PARTS_ITEMS)};
    struct kernel kernel = {.name = emit_text(e, "%s_sums", e->kernel.name),
                            .work_items = PARTS_ITEMS,
                            .residents = residents_of(p)};

    writer_scratch(e->writer, section_sums(p), DTYPE_F32, shape, 3);
    kernel_add_arg(&kernel, &(struct kernel_arg){p->c->weights, DTYPE_BF16, false, NULL});
    kernel_add_value(&kernel, p->c->call.in[0], false);
    kernel_add_arg(&kernel, &(struct kernel_arg){section_sums(p), DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    write_start(p);
    convolution_parts_place(p);
    write_sum(p);
    write_section_sums(p);
    launch(p, &kernel, p->sections);
    kernel_release(&kernel);
}

/* Write the start of the kernel that adds up the sums of the sections. */
static void write_added_sections(const struct parts *p)
{
    struct emitter *e = p->c->e;
    int columns = p->tile.columns;

    write_tile(p);
    convolution_parts_own(p);
    emit_line(e,
              "    float sums[%d];\n\n#pragma unroll\n    for (int i = 0; i < %d; i++)\n"
              "        sums[i] = 0;",
              columns / 2, columns / 2);
    emit_line(e, "    for (int section = 0; section < %d; section++) {", p->sections);
    write_section(p, "section", "        ");
    emit_line(e,
              "#pragma unroll\n        for (int i = 0; i < %d; i++)\n"
              "            sums[i] += p_%s[first_sum + i * %d];\n    }",
              columns / 2, section_sums(p), PARTS_ITEMS);
}

void convolution_parts(const struct convolution_kernel *c)
{
    struct parts p = {.c = c, .tile = family_parts_tile(c->e->schedule, &c->call)};
    struct emitter *e = c->e;
    bool is_whole = (p.sections = sections_of(&p)) == 1;
    const struct kernel_arg weights = {c->weights, DTYPE_BF16, false, NULL},
                            sums = {section_sums(&p), DTYPE_F32, false, NULL};

    write_pack(&p);
    if (!is_whole)
        write_sections(&p);
    kernel_add_arg(&e->kernel, is_whole ? &weights : &sums);
    emit_args(e, is_whole ? 1U << 1 : 1U << 0 | 1U << 1);
    e->kernel.work_items = PARTS_ITEMS;
    e->kernel.residents = residents_of(&p);
    writer_head(e->writer, &e->kernel);
    if (is_whole) {
        write_start(&p);
        convolution_parts_place(&p);
        write_sum(&p);
    } else {
        write_added_sections(&p);
    }
    write_results(&p);
    launch(&p, &e->kernel, 1);
}
