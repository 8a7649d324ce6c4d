#include "core/agent/builtin/emit/convolution/convolution_parts.h"

#include "core/agent/builtin/emit/convolution/convolution_parts_weights.h"
#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_places.h"
#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/plan/family.h"

enum {
    LINE_BYTES = 64,
    ALIGNMENT = 1024,
    /* Stages after which sums of products are added to the results (product_matrix.c). */
    STAGES_OF_SUM = 2,
    /* Columns for which a unit has registers for three work-groups, and for two. */
    FEWEST_COLUMNS = 32,
    FEW_COLUMNS = 64,
    RESULT_PAD = 4, /* floats after a filter's line, so that the next one has other banks */
    RESULTS_AT_ONCE = 8,
};

bool convolution_has_parts(const struct convolution_kernel *c)
{
    return family_has_parts(c->e->writer, c->e->schedule, c->node, &c->call) ||
           family_rounds_loads(c->e->writer, c->e->schedule, c->node, &c->call);
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
    int columns = p->tile.parts > 1 ? p->tile.columns : p->tile.columns / 2;

    if (columns <= FEWEST_COLUMNS)
        return 3;
    return columns <= FEW_COLUMNS ? 2 : 1;
}

static int column_bytes(const struct parts *p)
{
    return p->tile.parts * p->tile.columns * LINE_BYTES;
}

static int row_bytes(const struct parts *p)
{
    return p->tile.parts * PARTS_ROWS * LINE_BYTES;
}

static int stage_bytes(const struct parts *p)
{
    return row_bytes(p) + column_bytes(p);
}

/* Floats of a filter's line among the results in shared memory. */
static int result_line(const struct parts *p)
{
    return PARTS_ROWS * p->tile.phases + RESULT_PAD;
}

/*
 * The ring of stages is followed by the sums of a first phase. The results take the place of both.
 */
static int shared_bytes(const struct parts *p)
{
    int results = p->tile.columns * result_line(p) * (int)sizeof(float);
    int kept = (p->tile.phases - 1) * p->tile.columns / 2 * PARTS_ITEMS * (int)sizeof(float);
    int stages = PARTS_STAGES * stage_bytes(p) + kept;

    return (stages > results ? stages : results) + ALIGNMENT;
}

/* The number of the phase and group of channels; `phase` is that of a work-group with two. */
static const char *kind_of(const struct parts *p, const char *phase)
{
    long long phases = (long long)convolution_phases(p->c);

    if (phases == 1)
        return "$group_id2";
    if (p->tile.phases == 1)
        return emit_text(p->c->e, "($group_id2 * %lld + $group_id0 %% %lld)", phases, phases);
    return emit_text(p->c->e, "($group_id2 * %lld + $group_id0 %% %lld * 2 + %s)", phases,
                     phases / 2, phase);
}

/* Declare the work-group's tile. */
static void write_tile(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    long long phases = (long long)convolution_phases(c) / p->tile.phases;

    emit_line(e, "    extern __shared__ uchar memory[];");
    emit_line(e, "    uchar *const tiles = memory + (-shared_address(memory) & %d);",
              ALIGNMENT - 1);
    emit_line(e, "    const int turn = $group_id0 / %lld, block = turn %% %d;", phases,
              p->tile.blocks);
    emit_line(e, "    const int first_place = turn / %d * %d, first_filter = block * %d;",
              p->tile.blocks, PARTS_ROWS, p->tile.columns);
    emit_line(e, "    const int count = %s * %s;", convolution_size(c, c->node->out, 0), c->places);
}

/* Declare the stages that the work-group adds up, and their weights. */
static void write_start(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;

    convolution_write_phase(c, kind_of(p, "phase"));
    convolution_parts_taps(p);
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
              c->weights, kind_of(p, "phase"), p->tile.blocks,
              (long long)p->tile.stages * column_bytes(p));
}

/* Write the function that splits or rounds what was loaded, stores it, and copies the weights. */
static void write_stores(const struct parts *p)
{
    struct emitter *e = p->c->e;
    const char *part = p->tile.parts > 1 ? "take_part" : "pack";
    int copies = column_bytes(p) / 16;

    emit_line(e, "    const auto store = [&](int stage) {");
    emit_line(e, "        uchar *const to = tiles + stage %% %d * %d;", PARTS_STAGES,
              stage_bytes(p));
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
        row_bytes(p), PARTS_ITEMS, column_bytes(p), PARTS_ITEMS * 16);
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {", PARTS_OF_ITEM);
    emit_line(e, "            float *const l = loaded + i * %d;", PARTS_CHUNK);
    emit_line(e, "            const int at = (half_of_line * %d + i) ^ row_of_tile / 2 %% %d;\n",
              PARTS_OF_ITEM, PARTS_CHUNKS);
    emit_line(e, "#pragma unroll\n            for (int p = 0; p < %d; p++) {", p->tile.parts);
    emit_line(e,
              "                const uint one = %s(l[0], l[1]), two = %s(l[2], l[3]);\n"
              "                const uint three = %s(l[4], l[5]), four = %s(l[6], l[7]);",
              part, part, part, part);
    emit_line(e,
              "                *(uint4 *)(to + (p * %d + row_of_tile) * %d + at * 16) =\n"
              "                    make_uint4(one, two, three, four);\n            }\n        }\n"
              "    };",
              PARTS_ROWS, LINE_BYTES);
}

/* Write the products of the parts of a stage, or the product of rounded operands. */
static void write_products(const struct parts *p)
{
    struct emitter *e = p->c->e;
    int columns = p->tile.columns;

    emit_line(e, "        multiply_begin();");
    if (p->tile.parts > 1)
        emit_line(e, "        multiply_%d_parts(added, a, b, stage %% %d != 0 && stage != begin);",
                  columns, STAGES_OF_SUM);
    else
        emit_line(e,
                  "#pragma unroll\n        for (int i = 0; i < %d; i++) {\n"
                  "            multiply_%d(sums, a + i * 2, b + i * 2);\n        }",
                  PARTS_STEPS / 16, columns);
}

/*
 * Write the loop over the stages. While a stage is multiplied, the next one is stored, and the one
 * after it is loaded. A stage is stored only after the barrier behind the last use of its memory.
 */
static void write_sum(const struct parts *p)
{
    struct emitter *e = p->c->e;
    int columns = p->tile.columns;
    bool has_parts = p->tile.parts > 1;

    emit_line(e, "    float %sloaded[%d];",
              has_parts ? emit_text(e, "added[%d], ", columns / 2) : "",
              PARTS_OF_ITEM * PARTS_CHUNK);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)\n        sums[i] = %s0;",
              columns / 2, has_parts ? "added[i] = " : "");
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
        PARTS_STAGES, stage_bytes(p), PARTS_ITEMS / 2, PARTS_ROWS / 2 * LINE_BYTES);
    emit_line(e, "        const ulong b = short_descriptor(tiles + stage %% %d * %d + %d);\n",
              PARTS_STAGES, stage_bytes(p), row_bytes(p));
    write_products(p);
    emit_line(
        e,
        "        multiply_end();\n        if (stage + 1 < stages)\n            store(stage + 1);\n"
        "        if (stage + 2 < stages)\n            load(stage + 2);\n"
        "        multiply_wait<0>();");
    if (has_parts) {
        emit_line(e, "        if (stage %% %d != %d && stage + 1 != stages)\n            continue;",
                  STAGES_OF_SUM, STAGES_OF_SUM - 1);
        emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {", columns / 2);
        emit_line(e, "            sums[i] += added[i];\n        }");
    }
    emit_line(e, "    }");
}

/* Keep the sums of the first phase in shared memory, behind the stages. */
static void write_keep(const struct parts *p)
{
    struct emitter *e = p->c->e;

    emit_line(e, "#pragma unroll\n    for (int i = 0; phase == 0 && i < %d; i++)",
              p->tile.columns / 2);
    emit_line(e, "        kept[i * %d] = sums[i];\n    copies_wait<0>();\n    $barrier;\n    }",
              PARTS_ITEMS);
}

/* Write the sums of a tile, of both phases if a work-group has two. */
static void write_sums(const struct parts *p)
{
    struct emitter *e = p->c->e;
    bool has_phases = p->tile.phases > 1;

    write_tile(p);
    emit_line(e, "    float sums[%d];", p->tile.columns / 2);
    if (has_phases) {
        emit_line(e, "    float *const kept = (float *)(tiles + %d) + threadIdx.x;",
                  PARTS_STAGES * stage_bytes(p));
        emit_line(e, "#pragma unroll 1\n    for (int phase = 0; phase < 2; phase++) {");
    }
    write_start(p);
    convolution_parts_place(p);
    write_sum(p);
    if (has_phases)
        write_keep(p);
}

/*
 * The sums change places in shared memory, where a filter's places are neighbours, so that the
 * work-items of a warp store neighbours.
 */
static void write_exchange(const struct parts *p)
{
    struct emitter *e = p->c->e;
    int columns = p->tile.columns;
    const char *place = emit_text(e,
                                  "results[(i / 4 * 8 + threadIdx.x %% 4 * 2 + i %% 2) * %d + "
                                  "(threadIdx.x / 32 * 16 + threadIdx.x %% 32 / 4 + i / 2 %% 2 * "
                                  "8) * %d",
                                  result_line(p), p->tile.phases);

    emit_line(e, "    float *const results = (float *)tiles;");
    if (p->tile.phases > 1) {
        emit_line(e, "    float first[%d];\n#pragma unroll\n    for (int i = 0; i < %d; i++)",
                  columns / 2, columns / 2);
        emit_line(e, "        first[i] = kept[i * %d];", PARTS_ITEMS);
    }
    emit_line(e, "    copies_wait<0>();\n    $barrier;");
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++) {", columns / 2);
    if (p->tile.phases > 1)
        emit_line(e, "        %s] = first[i];\n        %s + 1] = sums[i];", place, place);
    else
        emit_line(e, "        %s] = sums[i];", place);
    emit_line(e, "    }\n    $barrier;");
}

/* Write the end of the kernel, which stores the results. */
static void write_results(const struct parts *p)
{
    const struct convolution_kernel *c = p->c;
    struct emitter *e = c->e;
    const struct position position = {
        .row = "row", .column = "c", .width = 1, .indent = "        "};
    int columns = p->tile.columns, lanes = PARTS_ITEMS / PARTS_ROWS / p->tile.phases;

    write_exchange(p);
    if (p->tile.phases > 1) {
        emit_line(e, "    {\n        const int place = first_place + threadIdx.x / 2;");
        convolution_write_phase(c, kind_of(p, "threadIdx.x % 2"));
    } else {
        emit_line(e, "    {\n        const int place = copied;\n");
    }
    convolution_write_result_place(c, "return");
    emit_line(e, "#pragma unroll %d\n    for (int i = %s; i < %d; i += %d) {", RESULTS_AT_ONCE,
              lanes > 1 ? "half_of_line" : "0", columns, lanes);
    emit_line(e, "        const int own = first_filter + i;");
    if (c->shape.out_channels != (int64_t)columns * p->tile.blocks)
        emit_line(e, "        if (own >= %s)\n            break;", c->filters);
    convolution_write_row(c, "own", "        ");
    emit_line(e, "        const int row0 = place / %s, row1 = filter;", c->places);
    for (size_t axis = FIRST_SPATIAL; axis + 1 < c->rank; axis++)
        emit_line(e, "        const int row%zu = o%zu;", axis, axis);
    convolution_write_result(c, "float",
                             emit_text(e, "results[i * %d + %s]", result_line(p),
                                       lanes > 1 ? "row_of_tile" : "threadIdx.x"),
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
                     c->places, PARTS_ROWS,
                     (long long)convolution_phases(c) / p->tile.phases * p->tile.blocks);
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
    space.shared_bytes = shared_bytes(p);
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
    kernel_add_arg(&kernel, &(struct kernel_arg){p->c->weights, p->dtype, false, NULL});
    kernel_add_value(&kernel, p->c->call.in[0], false);
    kernel_add_arg(&kernel, &(struct kernel_arg){section_sums(p), DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    write_sums(p);
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
    convolution_write_phase(p->c, kind_of(p, "0"));
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
    const int operands = c->e->schedule->of[KNOB_MATRIX];
    struct parts p = {.c = c,
                      .tile = family_parts_tile(c->e->schedule, &c->call),
                      .dtype = operands == MATRIX_HALVES ? DTYPE_F16 : DTYPE_BF16};
    struct emitter *e = c->e;
    bool is_whole = (p.sections = sections_of(&p)) == 1;
    const struct kernel_arg weights = {c->weights, p.dtype, false, NULL},
                            sums = {section_sums(&p), DTYPE_F32, false, NULL};

    convolution_parts_weights(&p);
    if (!is_whole)
        write_sections(&p);
    kernel_add_arg(&e->kernel, is_whole ? &weights : &sums);
    emit_args(e, is_whole ? 1U << 1 : 1U << 0 | 1U << 1);
    e->kernel.work_items = PARTS_ITEMS;
    e->kernel.residents = residents_of(&p);
    writer_head(e->writer, &e->kernel);
    (is_whole ? write_sums : write_added_sections)(&p);
    write_results(&p);
    launch(&p, &e->kernel, 1);
}
