#ifndef CORE_JUDGE_COMPARE_HEATMAP_H
#define CORE_JUDGE_COMPARE_HEATMAP_H

#include "core/model/tensor.h"
#include "core/model/verdict.h"

/*
 * Making an error map: errors come in the order of the elements, and each
 * cell keeps the worst of its own.  A map has at most 64 x 128 cells, each
 * rounded up to three digits.  All zeros is a heatmap that takes nothing.
 */

enum { HEATMAP_MAX_ROWS = 64, HEATMAP_MAX_COLS = 128 };

struct heatmap {
    struct error_map map;
    size_t row, col; /* of the next element */
    size_t cell_row, cell_col;
    /* Cell i of an axis begins at its edge i. */
    size_t row_edges[HEATMAP_MAX_ROWS + 1], col_edges[HEATMAP_MAX_COLS + 1];
};

/* A map without errors, whose next element is element `first` of a tensor of `shape`. */
void heatmap_start(struct heatmap *heatmap, const struct shape *shape, size_t first);

/* The errors of the next elements, as multiples of the tolerance. */
void heatmap_add(struct heatmap *heatmap, const double *over, size_t count);

/* Take what is in `other`, of the same shape, which is empty afterwards. */
void heatmap_merge(struct heatmap *heatmap, struct heatmap *other);

/* The map, which is the caller's; the heatmap is empty afterwards. */
struct error_map heatmap_take(struct heatmap *heatmap);

#endif
