#include "tests/contract/random_graph.h"

#include <stdbool.h>
#include <stddef.h>

enum { RANK = 3, OPERATIONS = 6, LEAST_SIZE = 1, MOST_SIZE = 37, MOST_ELEMENTS = 20000 };

/* Values are v0, v1 ...; v0 is the input. */
struct random_graph {
    uint32_t state;
    int sizes[OPERATIONS + 1][RANK];
    int count;
    struct strbuf nodes;
};

/* Numerical Recipes' linear congruential generator; the upper bits are the better ones. */
static int draw(struct random_graph *g, int below)
{
    g->state = g->state * 1664525U + 1013904223U;
    return (int)((g->state >> 8) % (unsigned)below);
}

static void begin(struct random_graph *g, const char *op, int from)
{
    for (int axis = 0; axis < RANK; axis++)
        g->sizes[g->count][axis] = g->sizes[from][axis];
    strbuf_addf(&g->nodes, ",\n  {\"op\": \"%s\", \"in\": [\"v%d\"", op, from);
}

static void end(struct random_graph *g)
{
    strbuf_addf(&g->nodes, ", \"out\": \"v%d\"}", g->count++);
}

static void add_element(struct random_graph *g, int from)
{
    static const char *const ops[] = {"relu", "gelu", "sigmoid", "tanh", "neg", "silu"};

    begin(g, ops[draw(g, sizeof(ops) / sizeof(*ops))], from);
    strbuf_adds(&g->nodes, "]");
    end(g);
}

/*
 * Combine with another value when that value has the same shape or one element along an axis; else
 * with itself.
 */
static void add_pair(struct random_graph *g, int from)
{
    int other = draw(g, g->count);
    bool fits = true;

    for (int axis = 0; axis < RANK; axis++)
        fits =
            fits && (g->sizes[other][axis] == g->sizes[from][axis] || g->sizes[other][axis] == 1);
    begin(g, draw(g, 2) ? "mul" : "add", from);
    strbuf_addf(&g->nodes, ", \"v%d\"]", fits ? other : from);
    end(g);
}

static void add_reduction(struct random_graph *g, int from)
{
    static const char *const ops[] = {"mean", "max", "logsumexp"};
    int axis = draw(g, RANK);

    begin(g, ops[draw(g, sizeof(ops) / sizeof(*ops))], from);
    strbuf_addf(&g->nodes, "], \"dim\": %d, \"keepdim\": true", axis);
    g->sizes[g->count][axis] = 1;
    end(g);
}

static void add_rowwise(struct random_graph *g, int from)
{
    static const char *const ops[] = {"softmax", "cumsum"};

    begin(g, ops[draw(g, sizeof(ops) / sizeof(*ops))], from);
    strbuf_addf(&g->nodes, "], \"dim\": %d", draw(g, RANK));
    end(g);
}

static void add_transpose(struct random_graph *g, int from)
{
    int a = draw(g, RANK), b = draw(g, RANK);

    begin(g, "transpose", from);
    strbuf_addf(&g->nodes, "], \"dim0\": %d, \"dim1\": %d", a, b);
    g->sizes[g->count][a] = g->sizes[from][b];
    g->sizes[g->count][b] = g->sizes[from][a];
    end(g);
}

static void add_slice(struct random_graph *g, int from)
{
    int axis = draw(g, RANK), size = g->sizes[from][axis], start = draw(g, size);
    int step = 1 + draw(g, 2);

    begin(g, "slice", from);
    strbuf_addf(&g->nodes, "], \"dim\": %d, \"start\": %d, \"end\": %d, \"step\": %d", axis, start,
                size, step);
    g->sizes[g->count][axis] = (size - start + step - 1) / step;
    end(g);
}

static void add_concat(struct random_graph *g, int from)
{
    int axis = draw(g, RANK);
    long elements = 2L * g->sizes[from][0] * g->sizes[from][1] * g->sizes[from][2];

    if (elements > MOST_ELEMENTS) {
        add_element(g, from);
        return;
    }
    begin(g, "concat", from);
    strbuf_addf(&g->nodes, ", \"v%d\"], \"dim\": %d", from, axis);
    g->sizes[g->count][axis] *= 2;
    end(g);
}

static void add_pad(struct random_graph *g, int from)
{
    int before = draw(g, 3), after = draw(g, 3);

    begin(g, "pad", from);
    strbuf_addf(&g->nodes, "], \"pad\": [0, 0, %d, %d], \"value\": 0.5", before, after);
    g->sizes[g->count][RANK - 2] += before + after;
    end(g);
}

/* Merge the first axis into the second. */
static void add_reshape(struct random_graph *g, int from)
{
    int *sizes = g->sizes[g->count];

    begin(g, "reshape", from);
    sizes[1] *= sizes[0];
    sizes[0] = 1;
    strbuf_addf(&g->nodes, "], \"shape\": [1, %d, %d]", sizes[1], sizes[2]);
    end(g);
}

void random_graph_write(uint32_t seed, struct strbuf *out)
{
    static void (*const add[])(struct random_graph * g, int from) = {
        add_element,   add_pair,  add_pair,   add_reduction, add_rowwise,
        add_transpose, add_slice, add_concat, add_pad,       add_reshape,
    };
    struct random_graph g = {.state = seed * 2654435761U, .count = 1};
    const int *last = g.sizes[OPERATIONS];

    for (int axis = 0; axis < RANK; axis++)
        g.sizes[0][axis] = LEAST_SIZE + draw(&g, axis == RANK - 1 ? MOST_SIZE : 8);
    while (g.count <= OPERATIONS)
        add[draw(&g, sizeof(add) / sizeof(*add))](&g, g.count - 1);
    strbuf_addf(out,
                "{\"kforge\": 1, \"name\": \"random_%u\", \"summary\": \"\", \"dims\": {},\n "
                "\"tensors\": {\n"
                "  \"v0\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%d, %d, %d], "
                "\"fill\": {\"normal\": [0, 1]}},\n"
                "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%d, %d, %d]}},\n"
                " \"graph\": [%s,\n  {\"op\": \"add\", \"in\": [\"v%d\", 1.5], \"out\": \"y\"}],\n"
                " \"tolerance\": {\"class\": \"f32\"}}\n",
                seed, g.sizes[0][0], g.sizes[0][1], g.sizes[0][2], last[0], last[1], last[2],
                strbuf_cstr(&g.nodes) + 1, OPERATIONS);
    strbuf_release(&g.nodes);
}
