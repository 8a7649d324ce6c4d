#include "core/judge/task/varied_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/judge/task/exactness.h"
#include "core/judge/task/paired_inputs.h"

static bool has_graph(const struct graph *graph)
{
    return graph->nodes.count > 0;
}

double varied_data_elements(const struct graph *graph)
{
    double count = 0;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role == TENSOR_INPUT || value->role == TENSOR_OUTPUT)
            count += (double)shape_elements(&value->shape);
    }
    return count;
}

/*
 * The maximum factor by which a case may be smaller than the main one, the least number of elements
 * along each axis, and that of an input's rows, because variations change rows in turns of eight.
 */
static const double most_shrinking = 64;
static const int64_t least_extent = 3;
static const size_t least_rows = 8;

/* The number of rows, which are lines along the last axis. */
static size_t row_count(const struct value *value)
{
    const struct shape *shape = &value->shape;

    return shape->rank ? value_elements(value) / (size_t)shape->dims[shape->rank - 1] : 1;
}

/* True if the value has enough elements along each axis, or as many as in the main case. */
static bool has_extents(const struct value *value, const struct value *main)
{
    for (size_t axis = 0; axis < value->shape.rank; axis++) {
        int64_t extent = value->shape.dims[axis];

        if (extent < least_extent && extent < main->shape.dims[axis])
            return false;
    }
    return true;
}

/* True if an input has enough rows, or as many as in the main case. */
static bool has_rows(const struct value *value, const struct value *main)
{
    size_t rows = row_count(value);

    return value->role != TENSOR_INPUT || rows >= least_rows || rows >= row_count(main);
}

bool varied_data_is_enough(const struct graph *graph, const struct graph *main)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i], *whole = &main->values.items[i];

        if (!has_extents(value, whole) || !has_rows(value, whole))
            return false;
    }
    return varied_data_elements(graph) >= varied_data_elements(main) / most_shrinking;
}

/*
 * Limits on a case that is tried with all variations. The number of operations is unknown for a
 * problem without a graph, so the limit on its tensors is smaller.
 */
static const double most_flops = 1e8, most_bytes = 0x1p25, most_unknown_bytes = 0x1p22;

/* A large case is tried with as many variations as take the work of this many at the limit. */
static const double large_share = 30;

/* The work of a variation, as a multiple of the limit. */
static double work_of(const struct graph *graph)
{
    return fmax(oracle_flops(graph) / most_flops,
                oracle_bytes(graph) / (has_graph(graph) ? most_bytes : most_unknown_bytes));
}

bool varied_data_are_many(const struct graph *graph)
{
    return work_of(graph) > 1;
}

bool varied_data_are_few(const struct graph *graph)
{
    return 2 * work_of(graph) <= 1;
}

size_t varied_data_count(const struct graph *graph, size_t listed)
{
    double affordable = fmax(large_share / work_of(graph), 1);

    return !varied_data_are_many(graph) || affordable >= (double)listed ? listed
                                                                        : (size_t)affordable;
}

enum { FEW_ELEMENTS = 512, FEW_NODES = 64, TIMES = 4 /* for small graphs */ };

unsigned varied_data_times(const struct graph *graph)
{
    bool is_small = has_graph(graph) && graph->nodes.count <= FEW_NODES;

    return is_small && varied_data_elements(graph) <= FEW_ELEMENTS ? TIMES : 1;
}

/* The most variations on a device, and what they may cost in doubles of the oracle and in steps. */
enum { MOST_ON_DEVICE = 2 };
static const double device_bytes = 0x1p36, device_flops = 4e12;

size_t varied_data_count_on_device(const struct graph *graph, size_t listed)
{
    double affordable =
        fmin(device_bytes / oracle_bytes(graph), device_flops / (oracle_flops(graph) + 1));
    size_t count = affordable < MOST_ON_DEVICE ? (size_t)fmax(affordable, 1) : MOST_ON_DEVICE;

    return count < listed ? count : listed;
}

static bool has_products(const struct graph *graph)
{
    for (size_t n = 0; n < graph->nodes.count; n++) {
        enum op_class kind = graph->nodes.items[n].op->kind;

        if (kind == OP_PRODUCT || kind == OP_CONVOLUTION || kind == OP_ATTENTION ||
            kind == OP_RECURRENCE)
            return true;
    }
    return false;
}

/* True if the variation leaves numbers about as large as they are drawn. */
static bool keeps_sizes(enum variation variation)
{
    return variation == VARIATION_TIES || variation == VARIATION_SORTED ||
           variation == VARIATION_NEGATIVE || variation == VARIATION_ALIKE ||
           variation == VARIATION_ALIKE_AGAIN || variation == VARIATION_WINNERS ||
           variation == VARIATION_ENDS || variation == VARIATION_END_COLUMNS ||
           variation == VARIATION_ROUND || variation == VARIATION_NEAR ||
           variation == VARIATION_SURE || variation == VARIATION_LEAST ||
           variation == VARIATION_MOST;
}

size_t varied_data_keep_for_device(const struct graph *graph, enum variation *list, size_t listed)
{
    bool has = has_products(graph);
    size_t kept = 0;

    for (size_t i = 0; i < listed; i++)
        if (!has || keeps_sizes(list[i]))
            list[kept++] = list[i];
    return kept;
}

/*
 * Operations whose results stay within few units wherever their operands are, so that rows far from
 * zero are near it behind them.
 */
static const char *const bounding[] = {"softmax",  "sigmoid",  "hardsigmoid", "tanh",
                                       "softsign", "sin",      "cos",         "erf",
                                       "sign",     "hardtanh", "atan",        NULL};

/* The most elements of tables that vary. */
static const double most_in_tables = 0x1p22;

bool varied_data_are_in_tables(const struct graph *graph)
{
    double elements = 0;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        bool is_real = dtype_is_float(value->dtype);

        if (value->role == TENSOR_INPUT && (is_real || value->fill.kind == FILL_MODEL))
            return false;
        if (value->role == TENSOR_PARAM && is_real)
            elements += (double)shape_elements(&value->shape);
    }
    return has_graph(graph) && elements > 0 && elements <= most_in_tables;
}

/* Flag the values that vary as inputs do. The caller frees. */
static bool *find_data(const struct graph *graph)
{
    bool *data = mem_alloc_zeroed(graph->values.count + 1, sizeof(*data));
    bool has_tables = varied_data_are_in_tables(graph);

    for (size_t i = 0; i < graph->values.count; i++) {
        enum tensor_role role = graph->values.items[i].role;

        data[i] = role == TENSOR_INPUT || (role == TENSOR_PARAM && has_tables);
    }
    return data;
}

/* Flag the values that can be far from zero: data, and what is computed from them. The caller
 * frees. */
static bool *find_far(const struct graph *graph)
{
    bool *far = find_data(graph);

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];

        for (size_t i = 0; i < node->in_count && !op_begins_with_one_of(node->op, bounding); i++)
            far[node->out] |= far[node->in[i]];
    }
    return far;
}

/* True if a node computes squares: a power, or a product of a value with itself. */
static bool is_square(const struct graph_node *node)
{
    return strcmp(node->op->name, "pow") == 0 ||
           (strcmp(node->op->name, "mul") == 0 && node->in[0] == node->in[1]);
}

/* True if an honest kernel may compute E[x^2] - E[x]^2 of numbers far from zero. */
static bool may_have_moments(const struct graph *graph)
{
    static const char *const moments[] = {"var",        "layer_norm",    "group_norm",
                                          "batch_norm", "instance_norm", NULL};
    static const char *const means[] = {"mean", NULL};
    bool *far = find_far(graph), has_moments = false, has_means = false, has_squares = false;

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        bool is_far = far[node->in[0]];

        has_moments |= is_far && op_begins_with_one_of(node->op, moments);
        has_means |= is_far && op_begins_with_one_of(node->op, means);
        has_squares |= is_far && is_square(node);
    }
    free(far);
    return has_moments || (has_means && has_squares);
}

/*
 * True if rows and columns far from zero are useful: for exponentials, where a kernel must first
 * subtract the largest element, and for maxima, minima and means of lines and windows, which are
 * otherwise hardly ever far from zero. They are not used where a kernel may compute a variance as
 * E[x^2] - E[x]^2, because the judge would then refuse honest kernels.
 */
static bool may_move(const struct graph *graph)
{
    static const char *const moved[] = {
        "softmax",  "log_softmax", "logsumexp", "scaled_dot_product_attention",
        "max_pool", "max",         "min",       "argm",
        "avg_pool", "adaptive_",   NULL};

    return graph_has_op(graph, moved) && !may_have_moments(graph);
}

static bool is_moved(enum variation variation)
{
    return variation == VARIATION_MOVED || variation == VARIATION_MOVED_COLUMNS ||
           variation == VARIATION_OPPOSITE_COLUMNS;
}

/* True if columns that are moved like this suit the graph: queries and keys have to be opposite. */
static bool suits_columns(enum variation variation, const struct graph *graph)
{
    static const char *const attention[] = {"scaled_dot_product_attention", NULL};

    return variation == VARIATION_MOVED ||
           graph_has_op(graph, attention) == (variation == VARIATION_OPPOSITE_COLUMNS);
}

static bool is_far(enum variation variation)
{
    return variation == VARIATION_FARTHEST || variation == VARIATION_FAR_COLUMNS;
}

static bool has_exponentials(const struct graph *graph)
{
    static const char *const exponentials[] = {"softmax", "log_softmax", "logsumexp", "exp", NULL};

    return graph_has_op(graph, exponentials);
}

/*
 * True if numbers very far from zero round by more than 1: in products of tensors, and in
 * exponentials, which kernels may compute as exp2(a * x - a * largest).
 */
static bool rounds_far_numbers(const struct graph *graph)
{
    bool does = has_exponentials(graph);

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        enum op_class kind = node->op->kind;
        bool is_product = strcmp(node->op->name, "mul") == 0 &&
                          graph->values.items[node->in[0]].role != TENSOR_CONSTANT &&
                          graph->values.items[node->in[1]].role != TENSOR_CONSTANT;

        does |= kind == OP_PRODUCT || kind == OP_CONVOLUTION || kind == OP_ATTENTION ||
                kind == OP_RECURRENCE || is_product;
    }
    return does;
}

/* True if the variation is only used instead of an unfair one. */
static bool is_milder(enum variation variation)
{
    for (int v = VARIATION_NONE + 1; v < VARIATION_COUNT; v++)
        if (variation_milder((enum variation)v) == variation)
            return true;
    return false;
}

/*
 * True if integers are reduced or scanned: along the last axis with `is_last`, else along another
 * axis.
 */
static bool counts_along(const struct graph *graph, bool is_last)
{
    for (size_t n = 0; n < graph->nodes.count; n++) {
        struct op_call call = graph_call(graph, n);
        unsigned last = call.in[0]->shape.rank ? 1U << (call.in[0]->shape.rank - 1) : 0;
        unsigned axes = call.op->axes ? call.op->axes(&call) : 0;

        if (!dtype_is_float(call.in[0]->dtype) && (is_last ? axes & last : axes & ~last))
            return true;
    }
    return false;
}

/*
 * True if a norm's operand is computed: a norm hides factors and summands of its operand unless
 * this is so small that the norm's epsilon counts.
 */
static bool has_norm_behind(const struct graph *graph)
{
    static const char *const norms[] = {"layer_norm",    "rms_norm",   "group_norm",
                                        "instance_norm", "batch_norm", NULL};

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];

        if (op_begins_with_one_of(node->op, norms) &&
            graph->values.items[node->in[0]].role == TENSOR_INNER)
            return true;
    }
    return false;
}

/*
 * True if an output has fewer elements than an input has rows, so that rows can hide each other's
 * errors.
 */
static bool joins_rows(const struct graph *graph)
{
    size_t most_rows = 0, least = SIZE_MAX;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role == TENSOR_INPUT && variation_applies(VARIATION_TINY, value))
            most_rows = row_count(value) > most_rows ? row_count(value) : most_rows;
        if (value->role == TENSOR_OUTPUT)
            least = value_elements(value) < least ? value_elements(value) : least;
    }
    return least < most_rows;
}

/*
 * True if sums of a product's results are computed. The tolerance of the product's small rows is
 * that of its largest one, because fast algorithms mix them, and a sum inherits it from all terms.
 */
static bool sums_products(const struct graph *graph)
{
    static const char *const sums[] = {"sum", "mean", "avg_pool", "adaptive_avg", NULL};
    bool *from_product = mem_alloc_zeroed(graph->values.count, sizeof(*from_product)),
         sums_any = false;

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        enum op_class kind = node->op->kind;
        bool is_from_product = false;

        for (size_t i = 0; i < node->in_count; i++)
            is_from_product |= from_product[node->in[i]];
        sums_any |= is_from_product && op_begins_with_one_of(node->op, sums);
        from_product[node->out] = is_from_product || kind == OP_PRODUCT || kind == OP_CONVOLUTION;
    }
    free(from_product);
    return sums_any;
}

/* True if an input is a vector of whole numbers: it is all at one end, and in another trial at the
 * other. */
static bool has_whole_vector(const struct graph *graph)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role == TENSOR_INPUT && row_count(value) == 1 && value_elements(value) > 1 &&
            variation_applies(VARIATION_END_COLUMNS, value))
            return true;
    }
    return false;
}

/* True if data of this variation, which pairs inputs, can reveal errors of kernels. */
static bool is_meant_for_pairs(enum variation variation, const struct graph *graph)
{
    if (variation == VARIATION_WINNERS)
        return paired_inputs_are_indices(graph);
    return joins_rows(graph) && (variation == VARIATION_SURE ? paired_inputs_are_indices(graph)
                                                             : paired_inputs_are_alike(graph));
}

/* True if data of this variation can reveal errors of kernels for this graph. */
static bool is_meant(enum variation variation, const struct graph *graph)
{
    if (is_moved(variation))
        return may_move(graph) && rounds_far_numbers(graph) && suits_columns(variation, graph);
    if (is_far(variation))
        return may_move(graph) && !rounds_far_numbers(graph);
    if (variation == VARIATION_PEAKS)
        return may_move(graph);
    if (variation == VARIATION_DEEP || variation == VARIATION_DEEP_COLUMNS)
        return may_move(graph) && has_exponentials(graph);
    if (variation == VARIATION_CONSTANT)
        return exactness_has_graph(graph); /* a row of one number may have no variance */
    if (variation == VARIATION_WINNERS || variation == VARIATION_SURE ||
        variation == VARIATION_NEAR)
        return is_meant_for_pairs(variation, graph);
    if (variation == VARIATION_TINY)
        return joins_rows(graph) || has_norm_behind(graph) || sums_products(graph);
    if (variation == VARIATION_ENDS)
        return counts_along(graph, true) || !counts_along(graph, false);
    if (variation == VARIATION_END_COLUMNS)
        return counts_along(graph, false) || has_whole_vector(graph);
    return !is_milder(variation);
}

/*
 * True if the variation counts for the value: data, and params where they put results far from
 * zero, also if inputs have a range of one sign that is kept.
 */
static bool counts_for(enum variation variation, const struct value *value, bool is_data)
{
    return is_data || (value->role == TENSOR_PARAM && (is_moved(variation) || is_far(variation)));
}

/* True if a value of the graph can vary alone. */
static bool has_alone(const struct graph *graph)
{
    size_t *list, count = varied_data_alone(graph, &list);

    free(list);
    return count > 0;
}

/* True if the variation changes a value of the graph that counts. */
static bool changes_any(enum variation variation, const struct graph *graph, const bool *data)
{
    uint64_t seed = varied_data_are_in_tables(graph) ? variation_seed_of_tables(variation, 0)
                                                     : variation_seed(variation, 0);
    bool does = variation == VARIATION_ALONE && has_alone(graph);

    for (size_t i = 0; i < graph->values.count && variation != VARIATION_ALONE; i++) {
        const struct value *value = &graph->values.items[i];

        does |= counts_for(variation, value, data[i]) && variation_changes(seed, value);
    }
    return does;
}

size_t varied_data_list(const struct graph *graph, enum variation list[VARIATION_COUNT])
{
    bool *data = find_data(graph);
    size_t count = 0;

    for (int v = VARIATION_NONE + 1; v < VARIATION_COUNT; v++)
        if (changes_any((enum variation)v, graph, data) && is_meant((enum variation)v, graph))
            list[count++] = (enum variation)v;
    free(data);
    return count;
}
