#include "core/judge/oracle/oracle_pieces.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/oracle/oracle_family.h"

static bool are_elementwise(const struct graph *graph)
{
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct oracle_rule *rule = oracle_rule_of(graph->nodes.items[n].op->name);

        if (!rule || rule->evaluate != oracle_elements)
            return false;
    }
    return graph->nodes.count > 0;
}

/*
 * The number of elements of all values that have more than one element; 0 if these values differ in
 * it.
 */
static size_t common_elements(const struct graph *graph)
{
    size_t most = 1;

    for (size_t i = 0; i < graph->values.count; i++) {
        size_t count = value_elements(&graph->values.items[i]);

        if (count == 1 || count == most)
            continue;
        if (most > 1)
            return 0;
        most = count;
    }
    return most;
}

/*
 * True if each tensor can be made in pieces. Single elements and constants are the same in all
 * pieces.
 */
static bool have_parts(const struct graph *graph, const struct oracle_seeds *seeds)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        uint64_t seed = value->role == TENSOR_PARAM ? seeds->params : seeds->inputs;

        if (tensor_is_given(value->role) && !fill_has_parts(value, seed))
            return false;
        if (value->role == TENSOR_OUTPUT && value_elements(value) == 1)
            return false;
    }
    return true;
}

size_t oracle_pieces_elements(const struct graph *graph, const struct oracle_seeds *seeds,
                              const struct rounding *rounding)
{
    size_t elements = common_elements(graph);

    if (elements <= ORACLE_PIECE_ELEMENTS || (rounding && rounding->is_mixed) ||
        !are_elementwise(graph) || !have_parts(graph, seeds))
        return 0;
    return elements;
}

/*
 * The size of the next piece of `left` elements. No piece has one element, because a single element
 * is taken for a number that all pieces share.
 */
static size_t piece_of(size_t left)
{
    if (left <= ORACLE_PIECE_ELEMENTS)
        return left;
    return left == ORACLE_PIECE_ELEMENTS + 1 ? ORACLE_PIECE_ELEMENTS / 2 : ORACLE_PIECE_ELEMENTS;
}

/* Give all values of the graph the shape of a piece. A single element has no axis. */
static void cut(const struct graph *graph, size_t count, struct graph *piece)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        struct shape shape = {0};

        if (value_elements(value) > 1)
            shape = (struct shape){.rank = 1, .dims = {(int64_t)count}};
        piece->values.items[i].shape = shape;
    }
}

enum status oracle_pieces_expect(const struct graph *graph, const struct oracle_seeds *seeds,
                                 const struct oracle_values *values,
                                 const struct oracle_piece_taker *taker, struct error *err)
{
    size_t elements = common_elements(graph), count;
    struct graph piece = *graph;
    enum status st = STATUS_OK;

    piece.values.items = mem_alloc_zeroed(graph->values.count, sizeof(*piece.values.items));
    for (size_t i = 0; i < graph->values.count; i++)
        piece.values.items[i] = graph->values.items[i];
    for (size_t first = 0; !st && first < elements; first += count) {
        struct oracle_values made = {
            .rounding = values->rounding, .blocks = values->blocks, .first = first};

        count = piece_of(elements - first);
        cut(graph, count, &piece);
        st = oracle_expect(&piece, NULL, seeds, &made, err);
        if (!st) {
            taker->take(taker->data, &made, first, count);
            oracle_values_release(&made);
        }
    }
    free(piece.values.items);
    return st;
}
