#include "core/agent/builtin/emit/emit_recurrence.h"

#include "core/agent/builtin/plan/family.h"
#include "core/model/op/op_recurrence.h"

/*
 * A cluster of eight work-groups computes all steps of one sample. Each work-group has an eighth of
 * the state, and its part of the weight stays in registers. `lanes` neighbouring work-items share a
 * row of the weight. After a step each new element of the hidden state is stored in the shared
 * memory of all eight work-groups. The device starts the work-groups of a cluster together, so they
 * may wait for each other.
 */

enum { GROUPS = 8, MOST_WEIGHTS = 64, MOST_ITEMS = 512, WARP = 32, MOST_LANES = 32, STRIDE = 4 };

/* How the kernel divides a layer. */
struct division {
    struct recurrence r;
    int units;   /* elements of the state of a work-group */
    int lanes;   /* work-items for each row of the weight */
    int weights; /* elements of the weight of a work-item */
    int items;   /* work-items of a work-group */
};

/* Divide the layer; false if its weight does not fit. */
static bool divide(const struct op_call *call, struct division *d)
{
    *d = (struct division){.r = recurrence_of(call)};
    if (d->r.width % GROUPS != 0 || d->r.width > (int64_t)MOST_WEIGHTS * MOST_LANES)
        return false;
    d->units = (int)d->r.width / GROUPS;
    for (d->lanes = 4; d->lanes <= MOST_LANES; d->lanes *= 2) {
        d->weights = (int)d->r.width / d->lanes;
        d->items = (int)d->r.gates * d->units * d->lanes;
        if ((int)d->r.gates * d->lanes >= GROUPS && d->r.width % d->lanes == 0 &&
            d->weights % STRIDE == 0 && d->weights <= MOST_WEIGHTS && d->items <= MOST_ITEMS &&
            d->items % WARP == 0)
            return true;
    }
    return false;
}

bool emit_recurrence_fits(const struct writer *writer, size_t node, const struct schedule *schedule)
{
    const struct op_call call = graph_call(&writer->graph, node);
    struct division d;

    return call.op->kind == OP_RECURRENCE && schedule->of[KNOB_FUSE] &&
           schedule->of[KNOB_WARPGROUP] && schedule->of[KNOB_GROUP] > 1 &&
           writer->dialect->has_matrix && family_is_f32(&call) &&
           writer->extents.is_fixed[writer->graph.nodes.items[node].in[1]][1] && divide(&call, &d);
}

/* The element of an operand at an index. */
static const char *operand(struct emitter *e, const struct op_call *call, size_t number,
                           const char *index)
{
    struct strbuf text = {0};
    const char *kept;

    writer_load(call->in[number], index, &text);
    kept = emit_text(e, "%s", strbuf_cstr(&text));
    strbuf_release(&text);
    return kept;
}

static void write_start(struct emitter *e, const struct op_call *call, const struct division *d)
{
    int width = (int)d->r.width;

    emit_line(
        e,
        "    const int item = threadIdx.x, rank = blockIdx.x %% %d, sample = blockIdx.x / %d;\n"
        "    const int row = item / %d, part = item %% %d;\n"
        "    const int line = row / %d * %d + rank * %d + row %% %d;\n"
        "    const int to = item / %d, unit = rank * %d + item %% %d;\n"
        "    float weights[%d];\n"
        "    __shared__ __align__(16) float hidden[2][%d], sums[%d];\n\n"
        "#pragma unroll\n    for (int k = 0; k < %d; k++)",
        GROUPS, GROUPS, d->lanes, d->lanes, d->units, width, d->units, d->units, d->units, d->units,
        d->units, d->weights, width, (int)d->r.gates * d->units, d->weights);
    emit_line(
        e, "        weights[k] = %s;",
        operand(e, call, 1,
                emit_text(e, "line * %d + (k / 4 * %d + part) * 4 + k %% 4", width, d->lanes)));
    emit_line(e, "    const float bias = part == 0 ? %s : 0;",
              d->r.bias ? operand(e, call, d->r.bias, "line") : "0.0f");
    emit_line(e, "    for (int k = item; k < %d; k += %d)\n        hidden[0][k] = %s;", width,
              d->items, operand(e, call, 2, emit_text(e, "sample * %d + k", width)));
    if (d->r.states > 1)
        emit_line(e, "    float cell = to < %d ? %s : 0;", GROUPS,
                  operand(e, call, 3, emit_text(e, "sample * %d + unit", width)));
}

/* The element of a gate at step `t`, from the product of the input. */
static const char *gate(struct emitter *e, const struct op_call *call, const struct division *d,
                        const char *t, size_t g)
{
    const char *batch = e->writer->extents.of[emit_node_at(e, e->group->nodes[0])->in[0]][1];

    return operand(e, call, 0,
                   emit_text(e, "((%s * %s + sample) * %zu + %zu) * %d + unit", t, batch,
                             d->r.gates, g, (int)d->r.width));
}

/* The loop over the steps; the gates of a step are loaded during the one before. */
static void begin_steps(struct emitter *e, const struct op_call *call, const struct division *d)
{
    const char *steps = e->writer->extents.of[emit_node_at(e, e->group->nodes[0])->in[0]][0];
    const char *first = d->r.is_reversed ? emit_text(e, "(%s - 1)", steps) : "0";

    for (size_t g = 0; g < d->r.gates; g++)
        emit_line(e, "    float x%zu = to < %d ? %s : 0;", g, GROUPS, gate(e, call, d, first, g));
    emit_line(e,
              "    share_barrier();\n\n"
              "    for (int s = 0; s < %s; s++) {\n"
              "        const int t = %s;\n"
              "        const int next_t = s + 1 < %s ? t %c 1 : t;",
              steps, d->r.is_reversed ? emit_text(e, "%s - 1 - s", steps) : "s", steps,
              d->r.is_reversed ? '-' : '+');
}

/* The products of the hidden state with the rows of the work-group. */
static void write_products(struct emitter *e, const struct op_call *call, const struct division *d)
{
    emit_line(e, "        const float *const before = hidden[s %% 2];\n"
                 "        float sum = bias, sum_1 = 0, sum_2 = 0, sum_3 = 0;");
    for (size_t g = 0; g < d->r.gates; g++)
        emit_line(e, "        const float later%zu = to < %d ? %s : 0;", g, GROUPS,
                  gate(e, call, d, "next_t", g));
    emit_line(e,
              "#pragma unroll\n"
              "        for (int k = 0; k < %d; k += 4) {\n"
              "            const float4 h = *(const float4 *)(before + (k / 4 * %d + part) * 4);\n"
              "            sum = fma(h.x, weights[k], sum);\n"
              "            sum_1 = fma(h.y, weights[k + 1], sum_1);\n"
              "            sum_2 = fma(h.z, weights[k + 2], sum_2);\n"
              "            sum_3 = fma(h.w, weights[k + 3], sum_3);\n"
              "        }\n"
              "        sum = (sum + sum_1) + (sum_2 + sum_3);\n"
              "#pragma unroll\n"
              "        for (int others = %d; others > 0; others /= 2)\n"
              "            sum = sum + __shfl_xor_sync(~0u, sum, others);\n"
              "        if (part == 0)\n"
              "            sums[row] = sum;\n"
              "        __syncthreads();",
              d->weights, d->lanes, d->lanes / 2);
}

/* The new state: every element by one work-item for each work-group that stores it. */
static void write_cell(struct emitter *e, const struct division *d)
{
    static const char *const cells[] = {
        [CELL_TANH] = "            const float next = tanh(x0 + z0);",
        [CELL_RELU] = "            const float next = x0 + z0 > 0 ? x0 + z0 : 0;",
        [CELL_LSTM] = "            cell = cell / (1.0f + exp(-(x1 + z1))) +\n"
                      "                   tanh(x2 + z2) / (1.0f + exp(-(x0 + z0)));\n"
                      "            const float next = tanh(cell) / (1.0f + exp(-(x3 + z3)));",
        [CELL_GRU] = "            const float update = 1.0f / (1.0f + exp(-(x1 + z1)));\n"
                     "            const float change = tanh(x2 + z2 / (1.0f + exp(-(x0 + z0))));\n"
                     "            const float next =\n"
                     "                (1.0f - update) * change + update * before[unit];",
    };
    const struct graph_node *node = emit_node_at(e, e->group->nodes[0]);
    char *const *of = e->writer->extents.of[node->in[0]];
    const char *name = emit_value_at(e, node->out)->name;
    int width = (int)d->r.width;

    emit_line(e, "        if (to < %d) {", GROUPS);
    for (size_t g = 0; g < d->r.gates; g++)
        emit_line(e, "            const float z%zu = sums[%d + item %% %d];", g, (int)g * d->units,
                  d->units);
    emit_line(e, "%s\n            share_store(&hidden[(s + 1) %% 2][unit], next, to);",
              cells[d->r.cell]);
    emit_line(e,
              "            if (to == 0)\n"
              "                p_%s[(t * %s + sample) * %d + unit] = next;",
              name, of[1], width);
    if (d->r.states > 1)
        emit_line(e,
                  "            if (to == 0)\n"
                  "                p_%s[((%s + t) * %s + sample) * %d + unit] = cell;",
                  name, of[0], of[1], width);
    emit_line(e, "        }");
    for (size_t g = 0; g < d->r.gates; g++)
        emit_line(e, "        x%zu = later%zu;", g, g);
    emit_line(e, "        share_barrier();");
}

void emit_recurrence(struct emitter *e)
{
    const struct graph_node *node = emit_node_at(e, e->group->nodes[0]);
    const struct op_call call = graph_call(&e->writer->graph, e->group->nodes[0]);
    char *const *of = e->writer->extents.of[node->in[0]];
    struct space space = {.rank = 1, .cluster = {GROUPS}};
    struct division d;

    if (!divide(&call, &d))
        return;
    e->kernel.name = emit_text(e, "%s_%zu", call.op->name, e->number);
    e->kernel.work_items = d.items;
    for (size_t i = 0; i < call.in_count; i++)
        kernel_add_value(&e->kernel, call.in[i], false);
    kernel_add_value(&e->kernel, call.out, true);
    writer_head(e->writer, &e->kernel);
    write_start(e, &call, &d);
    begin_steps(e, &call, &d);
    write_products(e, &call, &d);
    write_cell(e, &d);
    emit_line(e, "    }\n}");
    space.global[0] = emit_text(e, "%s * %d", of[1], GROUPS * d.items);
    space.local[0] = emit_text(e, "%d", d.items);
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}
