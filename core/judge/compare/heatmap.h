#ifndef CORE_JUDGE_COMPARE_HEATMAP_H
#define CORE_JUDGE_COMPARE_HEATMAP_H

#include "core/model/tensor.h"
#include "core/model/verdict.h"

/*
 * Builds an error map: errors arrive in the order of the elements, and each cell keeps the largest
 * error of its elements. A map has at most 64 x 128 cells, and each value is rounded up to three
 * digits. All zeros is a heatmap that ignores what is added.
 */

enum { HEATMAP_MAX_ROWS = 64, HEATMAP_MAX_COLS = 128 };

struct heatmap {
    struct error_map map;
    size_t row, col; /* cell of the next element */
    size_t cell_row, cell_col;
    /* Cell i of an axis begins at edge i. */
    size_t row_edges[HEATMAP_MAX_ROWS + 1], col_edges[HEATMAP_MAX_COLS + 1];
};

/* Start an empty map, whose next element is element `first` of a tensor of `shape`. */
void heatmap_start(struct heatmap *heatmap, const struct shape *shape, size_t first);

/* Add the errors of the next elements, as multiples of the tolerance. */
void heatmap_add(struct heatmap *heatmap, const double *over, size_t count);

/* Merge `other`, a heatmap of the same shape, which is empty afterwards. */
void heatmap_merge(struct heatmap *heatmap, struct heatmap *other);

/* Take the map, which is the caller's. The heatmap is empty afterwards. */
struct error_map heatmap_take(struct heatmap *heatmap);

#endif
