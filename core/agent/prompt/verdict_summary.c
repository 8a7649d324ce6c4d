#include "core/agent/prompt/verdict_summary.h"

#include <math.h>
#include <stdio.h>

#include "core/base/array.h"
#include "core/judge/oracle/variation/variation_kind.h"

/*
 * The share of the bound, the share of the time and the share of a roof from which on each counts
 * as the limit.
 */
static const double near_bound = 0.95, many_launches = 0.2, near_roof = 0.6;

static double rounded(double number)
{
    double scale = number != 0 && isfinite(number) ? pow(10, 2 - floor(log10(fabs(number)))) : 1;

    return round(number * scale) / scale;
}

void verdict_summary_put(struct json *object, const char *key, double number)
{
    json_put_number(object, key, rounded(number));
}

/* Put the number as a string, because JSON has no NaN and no infinity. */
static void put_value(struct json *object, const char *key, double number)
{
    char text[32];

    snprintf(text, sizeof(text), "%.6g", number);
    json_put_string(object, key, text);
}

static struct json *list_worst(const struct trial *trial)
{
    struct json *list = json_array_new();

    for (size_t i = 0; i < trial->worst_count; i++) {
        const struct mismatch *m = &trial->worst[i];
        struct json *object = json_push(list, json_object_new());
        struct json *index = json_put(object, "index", json_array_new());

        for (size_t axis = 0; axis < m->rank; axis++)
            json_push(index, json_number_new((double)m->index[axis]));
        put_value(object, "got", m->got);
        put_value(object, "want", m->want);
    }
    return list;
}

static bool is_nan(const struct mismatch *m, const struct mismatch *first)
{
    (void)first;
    return isnan(m->got);
}

static bool is_zero(const struct mismatch *m, const struct mismatch *first)
{
    (void)first;
    return m->got == 0;
}

static bool has_wrong_sign(const struct mismatch *m, const struct mismatch *first)
{
    (void)first;
    return fabs(m->got + m->want) <= 1e-3 * fabs(m->want);
}

static bool has_same_ratio(const struct mismatch *m, const struct mismatch *first)
{
    double ratio = first->got / first->want;

    return isfinite(ratio) && fabs(m->got - ratio * m->want) <= 1e-3 * fabs(m->got);
}

static bool has_same_offset(const struct mismatch *m, const struct mismatch *first)
{
    double offset = first->got - first->want;

    return isfinite(offset) && fabs(m->got - m->want - offset) <= 1e-3 * fabs(offset);
}

/* The common fault of all the worst elements; the most specific one comes first. */
static const char *find_pattern(const struct trial *trial)
{
    static const struct {
        const char *name;
        bool (*holds)(const struct mismatch *m, const struct mismatch *first);
        size_t least; /* fewer elements could agree by chance */
    } patterns[] = {
        {"nan", is_nan, 1},           {"zero", is_zero, 1},           {"sign", has_wrong_sign, 2},
        {"ratio", has_same_ratio, 3}, {"offset", has_same_offset, 3},
    };

    for (size_t p = 0; p < COUNT(patterns); p++) {
        size_t count = 0;

        while (count < trial->worst_count &&
               patterns[p].holds(&trial->worst[count], &trial->worst[0]))
            count++;
        if (count == trial->worst_count && count >= patterns[p].least)
            return patterns[p].name;
    }
    return "";
}

struct json *verdict_summary_mismatches(const struct verdict *verdict)
{
    struct json *list = json_array_new();

    for (size_t i = 0; i < verdict->trials.count; i++) {
        const struct trial *trial = &verdict->trials.items[i];
        struct json *object;

        if (trial->mismatched == 0)
            continue;
        object = json_push(list, json_object_new());
        json_put_string(object, "output", trial->output);
        json_put_string(object, "dims", trial->dims);
        json_put_string(object, "data", variation_meaning(trial->dims));
        json_put_number(object, "elements", (double)trial->elements);
        json_put_number(object, "mismatched", (double)trial->mismatched);
        verdict_summary_put(object, "percent",
                            100 * (double)trial->mismatched / (double)trial->elements);
        json_put_number(object, "nonfinite", (double)trial->nonfinite);
        json_put_string(object, "how", find_pattern(trial));
        verdict_summary_put(object, "ratio",
                            trial->worst_count ? trial->worst[0].got / trial->worst[0].want : 0);
        json_put(object, "worst", list_worst(trial));
    }
    return list;
}

struct json *verdict_summary_passed(const struct verdict *verdict)
{
    struct json *list = json_array_new();

    for (size_t i = 0; i < verdict->trials.count; i++)
        if (verdict->trials.items[i].mismatched == 0)
            json_push(list, json_string_new(verdict->trials.items[i].dims));
    return list;
}

struct json *verdict_summary_places(const struct verdict *verdict)
{
    const struct error_map *map = &verdict->map;
    size_t wrong = 0, row_first = map->rows, row_last = 0, col_first = map->cols, col_last = 0;
    struct json *object;

    for (size_t i = 0; i < map->rows * map->cols; i++) {
        size_t row = i / map->cols, col = i % map->cols;

        if (map->cells[i] <= 1)
            continue;
        wrong++;
        row_first = row < row_first ? row : row_first;
        row_last = row > row_last ? row : row_last;
        col_first = col < col_first ? col : col_first;
        col_last = col > col_last ? col : col_last;
    }
    if (wrong == 0)
        return json_null_new();
    object = json_object_new();
    json_put_number(object, "blocks", (double)(map->rows * map->cols));
    json_put_number(object, "wrong", (double)wrong);
    json_put_number(object, "rows", (double)map->rows);
    json_put_number(object, "cols", (double)map->cols);
    json_put_number(object, "row_first", (double)row_first);
    json_put_number(object, "row_last", (double)row_last);
    json_put_number(object, "col_first", (double)col_first);
    json_put_number(object, "col_last", (double)col_last);
    return object;
}

struct json *verdict_summary_share(const struct verdict *verdict)
{
    const struct bound *bound = &verdict->bound;
    char text[BOUND_SHARE_SIZE];
    struct json *object;

    if (!bound->is_present || bound->fraction <= 0)
        return json_null_new();
    object = json_object_new();
    json_put_string(object, "text", bound_share(bound, text));
    json_put_bool(object, "beaten", bound_is_beaten(bound));
    verdict_summary_put(object, "left", 1 / bound->fraction);
    return object;
}

/* A rate and its roof, both in 10^6 per second, as {"rate", "roof", "percent"} in 10^9. */
static struct json *roof_variables(double rate, double roof)
{
    struct json *object;

    if (!(roof > 0))
        return json_null_new();
    object = json_object_new();
    verdict_summary_put(object, "rate", rate * 1e-3);
    verdict_summary_put(object, "roof", roof * 1e-3);
    verdict_summary_put(object, "percent", 100 * rate / roof);
    return object;
}

static struct json *list_kernels(const struct timing *timing)
{
    struct json *list = json_array_new();

    for (size_t i = 0; i < timing->per_kernel.count; i++) {
        const struct kernel_time *kernel = &timing->per_kernel.items[i];
        struct json *object = json_push(list, json_object_new());

        json_put_string(object, "name", kernel->kernel);
        verdict_summary_put(object, "us", kernel->median_us);
        verdict_summary_put(object, "percent", 100 * kernel->median_us / timing->time.median_us);
    }
    return list;
}

/* The share of the time in which no kernel runs; below 0 if the kernels were not timed. */
static double share_between(const struct timing *timing)
{
    double sum = 0;

    for (size_t i = 0; i < timing->per_kernel.count; i++)
        sum += timing->per_kernel.items[i].median_us;
    return sum > 0 ? fmax(1 - sum / timing->time.median_us, 0) : -1;
}

static const char *find_limit(const struct bound *bound, double between, double memory,
                              double compute)
{
    if (bound_is_beaten(bound))
        return "beaten";
    if (bound->fraction >= near_bound)
        return "bound";
    if (between >= many_launches)
        return "launches";
    if (fmax(memory, compute) < near_roof)
        return "latency";
    return memory >= compute ? "memory" : "compute";
}

struct json *verdict_summary_profile(const struct verdict *verdict, const struct roofs *roofs)
{
    const struct timing *timing = &verdict->timing;
    const struct bound *bound = &verdict->bound;
    double between = share_between(timing), bandwidth, memory, compute;
    struct json *object;

    if (!timing->is_present || !bound->is_present)
        return json_null_new();
    bandwidth = roofs_bandwidth(roofs, bound->bytes);
    memory = bound->bytes / timing->time.median_us;
    compute = bound->flops / timing->time.median_us;
    object = json_object_new();
    json_put(object, "memory", roof_variables(memory, bandwidth));
    json_put(object, "compute", roof_variables(compute, roofs->flops_per_us));
    json_put(object, "kernels", list_kernels(timing));
    json_put(object, "between",
             between < 0 ? json_null_new() : json_number_new(rounded(100 * between)));
    json_put_string(object, "limit",
                    find_limit(bound, between, bandwidth > 0 ? memory / bandwidth : 0,
                               roofs->flops_per_us > 0 ? compute / roofs->flops_per_us : 0));
    return object;
}
