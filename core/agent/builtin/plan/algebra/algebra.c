#include "core/agent/builtin/plan/algebra/algebra.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/model/problem_reader.h"

/* The most rewrites of a graph; after each one the graph is read again. */
enum { MAX_STEPS = 200 };

/* The operations that a balanced device computes in the time of moving one byte. */
static const double operations_per_byte = 10;

static const struct {
    unsigned rule;
    bool (*apply)(struct rewriting *r, struct json *steps);
} rules_table[] = {
    {ALGEBRA_STAGES, algebra_recurrence},
    {ALGEBRA_STAGES, algebra_steps},
    {ALGEBRA_STAGES, algebra_attention}, /* before rules that change its products */
    {ALGEBRA_DROP, algebra_drop},
    {ALGEBRA_CHAIN, algebra_chain},
    {ALGEBRA_FOLD, algebra_fold},
    {ALGEBRA_FOLD, algebra_pool},
    {ALGEBRA_DEPTH, algebra_depth},
    {ALGEBRA_STAGES, algebra_slices},
    {ALGEBRA_STAGES | ALGEBRA_VECTORS, algebra_thin},
    {ALGEBRA_STAGES, algebra_lines},
    {ALGEBRA_STAGES, algebra_shapes},
    {ALGEBRA_VECTORS, algebra_vectors},
    {ALGEBRA_STAGES, algebra_variance},
    {ALGEBRA_STAGES, algebra_stages},
    {ALGEBRA_STAGES | ALGEBRA_VECTORS, algebra_pieces},
    {ALGEBRA_STAGES | ALGEBRA_VECTORS, algebra_views},
    {ALGEBRA_STAGES, algebra_concats},
};

unsigned algebra_rules(const struct schedule *schedule)
{
    return (schedule->of[KNOB_DROP] ? ALGEBRA_DROP : 0U) |
           (schedule->of[KNOB_FOLD] ? ALGEBRA_FOLD : 0U) |
           (schedule->of[KNOB_CHAIN] ? ALGEBRA_CHAIN : 0U) |
           (schedule->of[KNOB_GROUP] > 1 ? ALGEBRA_STAGES : 0U) |
           (schedule->of[KNOB_GROUP] <= 1 && schedule->of[KNOB_FUSE] ? ALGEBRA_VECTORS : 0U) |
           (schedule->of[KNOB_GROUP] > 1 && !schedule->of[KNOB_MATRIX] ? ALGEBRA_DEPTH : 0U) |
           (schedule->of[KNOB_LANES] > 1 ? ALGEBRA_BATCH : 0U) |
           (schedule->of[KNOB_GROUP] > 1 && schedule->of[KNOB_MATRIX] &&
                    schedule->of[KNOB_WARPGROUP]
                ? ALGEBRA_COLUMNS
                : 0U);
}

void algebra_push(struct json *steps, const struct strbuf *before, const struct strbuf *after)
{
    struct json *step = json_push(steps, json_object_new());

    json_put_string(step, "before", strbuf_cstr(before));
    json_put_string(step, "after", strbuf_cstr(after));
}

bool algebra_rewrite_nodes(struct rewriting *r, node_rule *rule, struct json *steps)
{
    bool is_any = false;

    /* from the end, so that an insertion does not move the nodes that are still to be visited */
    for (size_t i = r->nodes.count; i-- > 0;) {
        struct strbuf before = {0}, after = {0};
        size_t count = r->nodes.count;

        if (!r->nodes.items[i])
            continue;
        node_describe(r, i, &before);
        if (rule(r, i)) {
            for (size_t n = i; n <= i + r->nodes.count - count; n++)
                node_describe(r, n, &after);
            algebra_push(steps, &before, &after);
            is_any = true;
        }
        strbuf_release(&before);
        strbuf_release(&after);
    }
    return is_any;
}

static bool apply_one(struct rewriting *r, unsigned rules, struct json *steps)
{
    for (size_t i = 0; i < COUNT(rules_table); i++)
        if (rules & rules_table[i].rule && rules_table[i].apply(r, steps))
            return true;
    return false;
}

/* Rewrite the document until no rule applies. */
static enum status rewrite(struct json **document, unsigned rules, struct json *steps,
                           struct error *err)
{
    struct rewriting r = {0};
    enum status st = STATUS_OK;
    bool is_changed = true;

    for (size_t i = 0; !st && is_changed && i < MAX_STEPS; i++) {
        st = rewriting_read(&r, *document, err);
        r.has_columns = rules & ALGEBRA_COLUMNS;
        r.has_batch = rules & ALGEBRA_BATCH;
        is_changed = !st && apply_one(&r, rules, steps);
        if (is_changed) {
            json_free(*document);
            *document = rewriting_document(&r);
        }
        rewriting_release(&r);
    }
    return st;
}

enum status algebra_open(struct algebra *algebra, const struct problem *original, unsigned rules,
                         struct error *err)
{
    struct json *document;
    struct strbuf text = {0};
    enum status st;

    *algebra = (struct algebra){.problem = original, .steps = json_array_new()};
    if (!rules || original->nodes.count == 0)
        return STATUS_OK;
    document = json_dup(original->document);
    st = rewrite(&document, rules, algebra->steps, err);
    if (!st && json_count(algebra->steps) > 0) {
        json_print(document, &text);
        st = problem_parse(&algebra->owned, strbuf_cstr(&text), text.len, original->file, err);
        algebra->problem = &algebra->owned;
    }
    strbuf_release(&text);
    json_free(document);
    return st;
}

void algebra_close(struct algebra *algebra)
{
    problem_release(&algebra->owned);
    json_free(algebra->steps);
    *algebra = (struct algebra){0};
}

/* True if the operation only views its operand in another shape, which costs nothing. */
static bool is_view(const struct graph_node *node)
{
    static const char *const views[] = {"reshape", "squeeze", "unsqueeze", "flatten", "expand"};

    for (size_t i = 0; i < COUNT(views); i++)
        if (strcmp(node->op->name, views[i]) == 0)
            return true;
    return false;
}

/* Mark views of params that are operands of values computed in `prepare`. */
static void mark_views_that_are_read(const struct graph *graph, const bool *of_params, bool *ahead)
{
    bool *is_read = mem_alloc_zeroed(graph->values.count + 1, sizeof(*is_read));

    for (size_t n = graph->nodes.count; n-- > 0;) {
        const struct graph_node *node = &graph->nodes.items[n];

        ahead[n] |= is_read[node->out] && of_params[node->out];
        for (size_t i = 0; ahead[n] && i < node->in_count; i++)
            is_read[node->in[i]] = true;
    }
    free(is_read);
}

/* More elements take as long to load as to compute. */
static bool is_small(const struct graph *graph, size_t value)
{
    enum { MOST_ELEMENTS = 1 << 16 };

    return shape_elements(&graph->values.items[value].shape) <= MOST_ELEMENTS;
}

bool *algebra_ahead(const struct graph *graph, bool has_params)
{
    bool *of_params = mem_alloc_zeroed(graph->values.count + 1, sizeof(*of_params));
    bool *is_work = mem_alloc_zeroed(graph->values.count + 1, sizeof(*is_work));
    bool *ahead = mem_alloc_zeroed(graph->nodes.count + 1, sizeof(*ahead));

    for (size_t v = 0; v < graph->values.count; v++) {
        const struct value *value = &graph->values.items[v];

        of_params[v] =
            value->role == TENSOR_CONSTANT ||
            (value->role == TENSOR_PARAM && (has_params || value->fill.kind == FILL_CONSTANT));
    }
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];

        of_params[node->out] = graph->values.items[node->out].role != TENSOR_OUTPUT &&
                               (has_params || is_small(graph, node->out));
        is_work[node->out] = !is_view(node);
        for (size_t i = 0; i < node->in_count; i++) {
            of_params[node->out] &= of_params[node->in[i]];
            is_work[node->out] |= is_work[node->in[i]];
        }
        ahead[n] = of_params[node->out] && is_work[node->out];
    }
    mark_views_that_are_read(graph, of_params, ahead);
    free(of_params);
    free(is_work);
    return ahead;
}

static double work_of(const struct graph *graph, size_t n)
{
    const struct op_call call = graph_call(graph, n);
    const struct value *out = &graph->values.items[graph->nodes.items[n].out];

    return op_flops(&call) / operations_per_byte +
           (is_view(&graph->nodes.items[n])
                ? 0
                : (double)shape_elements(&out->shape) * (double)dtype_bytes(out->dtype));
}

enum status algebra_work(const struct problem *problem, bool is_ahead, double *work, size_t *ahead,
                         struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    enum status st = graph_build(&graph, problem, &scope, err);
    bool *flags = st ? NULL : algebra_ahead(&graph, true);

    *work = 0;
    *ahead = 0;
    for (size_t n = 0; !st && n < graph.nodes.count; n++) {
        *ahead += flags[n];
        *work += is_ahead && flags[n] ? 0 : work_of(&graph, n);
    }
    for (size_t v = 0; !st && v < problem->tensors.count; v++)
        *work += graph_value_bytes(&graph, v);
    free(flags);
    graph_release(&graph);
    free(bindings);
    return st;
}
