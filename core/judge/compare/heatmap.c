#include "core/judge/compare/heatmap.h"

#include <math.h>

#include "core/base/attr.h"
#include "core/base/mem.h"

/* Divide `size` elements into at most `max` cells. Returns the number of cells. */
static size_t cut_axis(size_t size, size_t max, size_t *edges)
{
    size_t cells = size < max ? size : max;

    for (size_t i = 0; i <= cells; i++)
        edges[i] = i * size / cells;
    return cells;
}

static size_t find_cell(const size_t *edges, size_t place)
{
    size_t cell = 0;

    while (edges[cell + 1] <= place)
        cell++;
    return cell;
}

void heatmap_start(struct heatmap *heatmap, const struct shape *shape, size_t first)
{
    size_t cols = shape->rank ? (size_t)shape->dims[shape->rank - 1] : 1;
    size_t rows = (size_t)shape_elements(shape) / cols;
    struct error_map *map = &heatmap->map;

    map->rows = cut_axis(rows, HEATMAP_MAX_ROWS, heatmap->row_edges);
    map->cols = cut_axis(cols, HEATMAP_MAX_COLS, heatmap->col_edges);
    map->cells = mem_alloc_zeroed(map->rows * map->cols, sizeof(*map->cells));
    heatmap->row = first / cols;
    heatmap->col = first % cols;
    heatmap->cell_row = find_cell(heatmap->row_edges, heatmap->row);
    heatmap->cell_col = find_cell(heatmap->col_edges, heatmap->col);
}

static void advance(struct heatmap *heatmap, size_t cols)
{
    heatmap->col += cols;
    if (heatmap->col == heatmap->col_edges[heatmap->cell_col + 1])
        heatmap->cell_col++;
    if (heatmap->cell_col < heatmap->map.cols)
        return;
    heatmap->cell_col = heatmap->col = 0;
    heatmap->row++;
    if (heatmap->row == heatmap->row_edges[heatmap->cell_row + 1])
        heatmap->cell_row++;
}

WIDE static double worst_of(const double *over, size_t count, double worst)
{
#pragma omp simd reduction(max : worst)
    for (size_t i = 0; i < count; i++)
        worst = over[i] > worst ? over[i] : worst;
    return worst;
}

/* Elements that share a cell are added together. */
void heatmap_add(struct heatmap *heatmap, const double *over, size_t count)
{
    struct error_map *map = &heatmap->map;

    if (!map->cells)
        return;
    for (size_t i = 0, run; i < count; i += run) {
        size_t left = count - i;
        double *cell = &map->cells[heatmap->cell_row * map->cols + heatmap->cell_col];

        run = heatmap->col_edges[heatmap->cell_col + 1] - heatmap->col;
        run = run < left ? run : left;
        *cell = worst_of(over + i, run, *cell);
        advance(heatmap, run);
    }
}

void heatmap_merge(struct heatmap *heatmap, struct heatmap *other)
{
    struct error_map *all = &heatmap->map;

    for (size_t i = 0; i < all->rows * all->cols; i++)
        all->cells[i] = fmax(all->cells[i], other->map.cells[i]);
    error_map_release(&other->map);
}

/*
 * Three digits are enough for a picture and short as text. Rounding up keeps values above 1 above
 * 1.
 */
static double round_up(double value)
{
    double unit;

    if (value == 0 || !isfinite(value))
        return value;
    unit = pow(10, floor(log10(value)) - 2);
    return unit > 0 ? ceil(value / unit) * unit : value;
}

struct error_map heatmap_take(struct heatmap *heatmap)
{
    struct error_map map = heatmap->map;

    for (size_t i = 0; i < map.rows * map.cols; i++)
        map.cells[i] = round_up(map.cells[i]);
    heatmap->map = (struct error_map){0};
    return map;
}
