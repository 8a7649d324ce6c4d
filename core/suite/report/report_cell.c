#include "core/suite/report/report_cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/stats/stats.h"
#include "core/suite/statistics/student.h"

static double until_correct_of(const struct report_row *row)
{
    return row->until_correct;
}

static double until_best_of(const struct report_row *row)
{
    return row->until_best;
}

static double bound_of(const struct report_row *row)
{
    return row->bound_fraction;
}

static double us_of(const struct report_row *row)
{
    return row->time.median_us;
}

static double speedup_of(const struct report_row *row)
{
    return row->speedup.value;
}

/* Collect one value of each ended repeat, but none that is 0 (unknown); return their number. */
static size_t collect(const struct report_row *const *rows, size_t count,
                      double (*of)(const struct report_row *row), double *values)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (rows[i]->phase == TASK_HAS_ENDED && of(rows[i]) > 0)
            values[found++] = of(rows[i]);
    return found;
}

static double median(const struct report_row *const *rows, size_t count,
                     double (*of)(const struct report_row *row), double *values)
{
    size_t found = collect(rows, count, of, values);

    stats_sort(values, found);
    return found ? stats_quantile(values, found, 0.5) : 0;
}

static void count_row(const struct report_row *row, struct report_cell *cell)
{
    cell->usd += row->usd;
    cell->tokens += row->tokens;
    cell->minutes += row->minutes;
    cell->has_usd &= row->has_usd;
    cell->has_tokens &= row->has_tokens;
    cell->failed += row->phase == TASK_HAS_FAILED;
    if (row->phase != TASK_HAS_ENDED)
        return;
    cell->ended++;
    cell->correct += row->until_correct > 0;
    cell->timed += row->speedup.value > 0;
    if (row->over && cell->over)
        cell->differs |= strcmp(row->over, cell->over) != 0;
    if (row->over && !cell->over)
        cell->over = row->over;
}

/* The repeat that has a time, where only one has. */
static const struct report_row *only(const struct report_row *const *rows, size_t count,
                                     double (*of)(const struct report_row *row))
{
    for (size_t i = 0; i < count; i++)
        if (rows[i]->phase == TASK_HAS_ENDED && of(rows[i]) > 0)
            return rows[i];
    return NULL;
}

struct report_cell report_cell_make(const struct report_row *const *rows, size_t count)
{
    struct report_cell cell = {.has_usd = true, .has_tokens = true};
    double *values = mem_alloc_zeroed(count + 1, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        count_row(rows[i], &cell);
    if (cell.differs)
        cell.over = NULL;
    cell.until_correct = median(rows, count, until_correct_of, values);
    cell.until_best = median(rows, count, until_best_of, values);
    cell.bound_fraction = median(rows, count, bound_of, values);
    if (collect(rows, count, us_of, values) == 1) {
        const struct estimate *time = &only(rows, count, us_of)->time;

        cell.us = (struct ratio){time->median_us, time->low_us, time->high_us};
    } else {
        cell.us = student_mean(values, collect(rows, count, us_of, values));
    }
    if (collect(rows, count, speedup_of, values) == 1)
        cell.speedup = only(rows, count, speedup_of)->speedup;
    else
        cell.speedup = student_mean(values, collect(rows, count, speedup_of, values));
    free(values);
    return cell;
}
