#include "core/codegen/plain_kernel.h"
#include "core/model/op/op_recurrence.h"

/*
 * A work-item computes all steps of one sample, or a work-group whose work-items divide the state
 * among them. The state is an array, so its size must be fixed. It has two halves: a step reads
 * one and writes the other.
 */

/* The widest state whose arrays fit the local memory of every device. */
enum { WIDEST = 2048 };

struct layer {
    struct plain *p;
    struct recurrence r;
    bool is_shared;            /* a work-group computes a sample */
    struct kernel_arg columns; /* shared: scratch for the transposed weight */
    const char *steps, *batch, *width;
};

static const char *gate_operand(const struct layer *layer, size_t operand, const char *place,
                                size_t gate)
{
    return plain_operand(layer->p, operand,
                         plain_text(layer->p, "%s + %zu * %s", place, gate, layer->width));
}

/*
 * Write a kernel that transposes the weight, [width, G * width], because neighbouring work-items
 * of a group read neighbouring rows of it.
 */
static void write_columns(struct layer *layer)
{
    struct plain *p = layer->p;
    struct kernel kernel = {.name = plain_text(p, "%s_columns", p->kernel.name)};
    long long width = (long long)layer->r.width, row = (long long)layer->r.gates * width;
    const char *count = plain_text(p, "%lld", row * width);

    layer->columns = (struct kernel_arg){.name = plain_text(p, "%s_columns", p->call.out->name),
                                         .dtype = DTYPE_F32,
                                         .is_written = true};
    writer_scratch(p->writer, layer->columns.name, DTYPE_F32, &count, 1);
    kernel_add_value(&kernel, p->call.in[1], false);
    kernel_add_arg(&kernel, &layer->columns);
    writer_head(p->writer, &kernel);
    plain_add(p, "    const int i = get_global_id(0);\n    p_%s[i] = %s;\n}\n\n",
              layer->columns.name,
              plain_operand(p, 1, plain_text(p, "i %% %lld * %lld + i / %lld", row, width, row)));
    writer_launch(p->writer, p->writer->launches, &kernel,
                  &(struct space){.global = {count}, .rank = 1});
    kernel_release(&kernel);
    layer->columns.is_written = false;
    kernel_add_arg(&p->kernel, &layer->columns);
}

/* The weight of gate `g` from hidden element k to element j. */
static const char *weight_of(const struct layer *layer, size_t g)
{
    struct plain *p = layer->p;
    const char *w = layer->width;

    if (!layer->is_shared)
        return plain_operand(p, 1, plain_text(p, "(%zu * %s + j) * %s + k", g, w, w));
    return plain_text(p, "p_%s[(k * %zu + %zu) * %s + j]", layer->columns.name, layer->r.gates, g,
                      w);
}

/* Add the states before the first step. */
static void add_start(const struct layer *layer)
{
    struct plain *p = layer->p;
    const char *space = layer->is_shared ? "$local " : "", *w = layer->width;
    bool has_cell = layer->r.states > 1;
    const char *place = plain_text(p, "i * %s + j", w);

    plain_add_words(p, plain_text(p, "    %sfloat hidden[2 * %s];\n", space, w));
    if (has_cell)
        plain_add_words(p, plain_text(p, "    %sfloat cell[%s];\n", space, w));
    plain_add(p, "    for (int j = lane; j < %s; j += lanes) {\n        hidden[j] = %s;\n", w,
              plain_operand(p, 2, place));
    if (has_cell)
        plain_add(p, "        cell[j] = %s;\n", plain_operand(p, 3, place));
    plain_add(p, "    }\n");
    plain_add_words(p, layer->is_shared ? "    $barrier;\n" : "");
}

/* Add the products of the hidden state with a row of each gate, `z0`, `z1` ... */
static void add_products(const struct layer *layer)
{
    struct plain *p = layer->p;
    const char *w = layer->width;

    for (size_t g = 0; g < layer->r.gates; g++)
        plain_add(p, "            float z%zu = %s;\n", g,
                  layer->r.bias ? gate_operand(layer, layer->r.bias, "j", g) : "0");
    plain_add(p,
              "            for (int k = 0; k < %s; k++) {\n"
              "                const float h = hidden[s %% 2 * %s + k];\n",
              w, w);
    for (size_t g = 0; g < layer->r.gates; g++)
        plain_add(p, "                z%zu += h * %s;\n", g, weight_of(layer, g));
    plain_add(p, "            }\n");
}

/* Add the sums with the gates of step t, `x0`, `x1` ..., and the new state, `next`. */
static void add_cell(const struct layer *layer)
{
    static const char *const cells[] = {
        [CELL_TANH] = "            const float next = tanh(x0 + z0);\n",
        [CELL_RELU] = "            const float next = x0 + z0 > 0 ? x0 + z0 : 0;\n",
        [CELL_LSTM] = "            const float kept = cell[j] / (1.0f + exp(-(x1 + z1)));\n"
                      "            const float new_cell = kept + "
                      "tanh(x2 + z2) / (1.0f + exp(-(x0 + z0)));\n"
                      "            const float next = tanh(new_cell) / "
                      "(1.0f + exp(-(x3 + z3)));\n"
                      "            cell[j] = new_cell;\n",
        [CELL_GRU] = "            const float update = 1.0f / (1.0f + exp(-(x1 + z1)));\n"
                     "            const float change = "
                     "tanh(x2 + z2 / (1.0f + exp(-(x0 + z0))));\n"
                     "            const float next = (1.0f - update) * change + "
                     "update * before;\n",
    };
    struct plain *p = layer->p;

    for (size_t g = 0; g < layer->r.gates; g++)
        plain_add(p, "            const float x%zu = %s;\n", g,
                  gate_operand(layer, 0,
                               plain_text(p, "(t * %s + i) * %zu * %s + j", layer->batch,
                                          layer->r.gates, layer->width),
                               g));
    if (layer->r.cell == CELL_GRU)
        plain_add(p, "            const float before = hidden[s %% 2 * %s + j];\n", layer->width);
    plain_add(p, "%s", cells[layer->r.cell]);
}

static void add_steps(const struct layer *layer)
{
    struct plain *p = layer->p;
    const char *w = layer->width;

    plain_add(p, "    for (int s = 0; s < %s; s++) {\n", layer->steps);
    plain_add(p, "        const int t = %s;\n",
              layer->r.is_reversed ? plain_text(p, "%s - 1 - s", layer->steps) : "s");
    plain_add(p, "        for (int j = lane; j < %s; j += lanes) {\n", w);
    add_products(layer);
    add_cell(layer);
    plain_add(p, "            hidden[(s + 1) %% 2 * %s + j] = next;\n", w);
    plain_store(p, plain_text(p, "(t * %s + i) * %s + j", layer->batch, w), "next", "            ");
    if (layer->r.states > 1)
        plain_store(p, plain_text(p, "((%s + t) * %s + i) * %s + j", layer->steps, layer->batch, w),
                    "new_cell", "            ");
    plain_add(p, "        }\n");
    plain_add_words(p, layer->is_shared ? "        $barrier;\n" : "");
    plain_add(p, "    }\n");
}

bool plain_recurrence(struct plain *p)
{
    struct layer layer = {.p = p,
                          .r = recurrence_of(&p->call),
                          .steps = plain_size(p, p->node->in[0], 0),
                          .batch = plain_size(p, p->node->in[0], 1)};

    if (!writer_is_fixed(p->writer, plain_size(p, p->node->in[1], 1)))
        return false;
    layer.width = plain_text(p, "%lld", (long long)layer.r.width);
    layer.is_shared =
        (p->writer->is_gpu || p->writer->dialect->warp > 0) && layer.r.width <= WIDEST;
    if (layer.is_shared)
        write_columns(&layer);
    if (layer.is_shared)
        plain_head_of_groups(p);
    else
        plain_head(p);
    plain_add(p, "    const int %slanes = %d;\n", layer.is_shared ? "" : "lane = 0, ",
              layer.is_shared ? PLAIN_GROUP : 1);
    add_start(&layer);
    add_steps(&layer);
    if (layer.is_shared)
        plain_launch_groups(p, layer.batch);
    else
        plain_launch(p, layer.batch);
    return true;
}
