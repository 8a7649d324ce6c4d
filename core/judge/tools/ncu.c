#include "core/judge/tools/ncu.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/formats/csv.h"
#include "core/base/text.h"
#include "core/base/vec.h"

/*
 * The metrics that the rules (bottleneck.h) and readers of a profile use. ncu runs a kernel in as
 * many passes as its counters need, so that a metric of many counters costs time.
 */
static const struct {
    const char *name;   /* the metric's name in a profile */
    const char *metric; /* NULL: the busiest of `pipes` */
} metrics[] = {
    {"duration_ns", "gpu__time_duration.sum"},
    {"sm_percent", NULL},
    {"dram_percent", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l2_percent", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l1_percent", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"dram_read_bytes", "dram__bytes_read.sum"},
    {"dram_write_bytes", "dram__bytes_write.sum"},
    {"l2_hit_percent", "lts__t_sector_hit_rate.pct"},
    {"l1_hit_percent", "l1tex__t_sector_hit_rate.pct"},
    {"load_used_percent", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
    {"store_used_percent", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"},
    {"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"shared_load_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"shared_store_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {"instructions", "smsp__inst_executed.sum"},
    {"shared_instructions", "smsp__sass_inst_executed_op_shared.sum"},
    {"local_instructions", "smsp__sass_inst_executed_op_local.sum"},
    {"threads_per_instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"tensor_percent", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    {"fma_percent", "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"},
    {"issue_percent", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"occupancy_percent", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"occupancy_limit_percent", "sm__maximum_warps_per_active_cycle_pct"},
    {"blocks_by_registers", "launch__occupancy_limit_registers"},
    {"blocks_by_shared", "launch__occupancy_limit_shared_mem"},
    {"blocks_by_warps", "launch__occupancy_limit_warps"},
    {"waves", "launch__waves_per_multiprocessor"},
    {"registers", "launch__registers_per_thread"},
    {"stall_memory", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"},
    {"stall_shared", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"},
    {"stall_shared_queue", "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"},
    {"stall_memory_queue", "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"},
    {"stall_barrier", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"},
    {"stall_math", "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"},
    {"stall_result", "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"},
    {"stall_code", "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"},
};

enum { METRIC_COUNT = COUNT(metrics) };

/*
 * The issue of instructions and the pipes that execute them. sm__throughput is the busiest of some
 * twenty such parts, but takes 49 counters and half of all passes on a Hopper GPU; the others are
 * not the busiest in usual kernels. Each of these is known from Volta to Blackwell.
 */
static const char *const pipes[] = {
    "sm__issue_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
};

void ncu_list_metrics(struct strbuf *out)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (metrics[i].metric)
            strbuf_addf(out, "%s%s", i ? "," : "", metrics[i].metric);
    for (size_t i = 0; i < COUNT(pipes); i++)
        strbuf_addf(out, ",%s", pipes[i]);
}

/* Read "1,234.5", whose digits are grouped. False if the text is no number. */
static bool read_number(const char *text, double *number)
{
    struct strbuf digits = {0};
    char *end;

    for (; *text; text++)
        if (*text != ',')
            strbuf_add(&digits, text, 1);
    *number = strtod(strbuf_cstr(&digits), &end);
    end = digits.len && !*end ? end : NULL;
    strbuf_release(&digits);
    return end;
}

/* The function's name without its parameters: "scale" for "scale(float *, int)". The caller's. */
static char *cut_name(const char *function)
{
    struct strbuf name = {0};

    strbuf_add(&name, function, strcspn(function, "("));
    return strbuf_take(&name);
}

/* The column of the largest number of a row among those of `pipes`. */
static size_t find_busiest(const struct csv_row *columns, const struct csv_row *row)
{
    size_t busiest = columns->fields.count;
    double most = -1;

    for (size_t i = 0; i < COUNT(pipes); i++) {
        size_t column = csv_find(columns, pipes[i]);
        double percent;

        if (!read_number(csv_field(row, column), &percent) || percent <= most)
            continue;
        most = percent;
        busiest = column;
    }
    return busiest;
}

static struct kernel_profile read_kernel(const struct csv_row *columns, const struct csv_row *units,
                                         const struct csv_row *row)
{
    struct kernel_profile kernel = {.name =
                                        cut_name(csv_field(row, csv_find(columns, "Kernel Name")))};

    for (size_t i = 0; i < METRIC_COUNT; i++) {
        size_t column =
            metrics[i].metric ? csv_find(columns, metrics[i].metric) : find_busiest(columns, row);
        struct profile_metric metric = {.value = 0};

        if (!read_number(csv_field(row, column), &metric.value))
            continue;
        metric.name = mem_strdup(metrics[i].name);
        metric.unit = mem_strdup(csv_field(units, column));
        vec_push(&kernel.metrics, metric);
        if (i == 0)
            kernel.us = metric.value / 1000;
    }
    return kernel;
}

/* Find the names of the columns, the first row that has one for the kernel's name. */
static bool find_columns(const char **csv, struct csv_row *columns)
{
    while (csv_next(csv, columns))
        if (csv_find(columns, "Kernel Name") < columns->fields.count)
            return true;
    return false;
}

static void share_out(struct profile *profile)
{
    double sum_us = 0;

    for (size_t i = 0; i < profile->kernels.count; i++)
        sum_us += profile->kernels.items[i].us;
    for (size_t i = 0; i < profile->kernels.count; i++)
        profile->kernels.items[i].share = sum_us > 0 ? profile->kernels.items[i].us / sum_us : 0;
}

bool ncu_read_raw(const char *csv, struct profile *profile)
{
    struct csv_row columns = {0}, units = {0}, row = {0};
    bool is_table = find_columns(&csv, &columns) && csv_next(&csv, &units);

    while (is_table && csv_next(&csv, &row))
        if (row.fields.count == columns.fields.count &&
            strcmp(csv_field(&row, csv_find(&columns, "Kernel Name")), PROFILE_WARM_UP) != 0)
            vec_push(&profile->kernels, read_kernel(&columns, &units, &row));
    share_out(profile);
    csv_row_release(&columns);
    csv_row_release(&units);
    csv_row_release(&row);
    return is_table && profile->kernels.count > 0;
}

/* Example: "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access ..." */
char *ncu_find_error(const char *log)
{
    static const char mark[] = "==ERROR== ";
    const char *line = strstr(log, mark);
    struct strbuf text = {0};

    if (strstr(log, "ERR_NVGPUCTRPERM"))
        return mem_strdup(
            "the driver does not let this user read its counters: run as root, or load the "
            "module nvidia with NVreg_RestrictProfilingToAdminUsers=0");
    if (!line)
        return NULL;
    line += strlen(mark);
    strbuf_add(&text, line, strcspn(line, "\r\n"));
    return strbuf_take(&text);
}

/*
 * One function's table in the page "source". ncu prints the text of a source line with its quotes
 * unescaped, so a row may have more fields than there are columns. The samples are therefore found
 * from the end of the row.
 */
struct table {
    struct kernel_profile
        lines;                /* lines found so far, each with its number of samples as its share */
    double samples;           /* sum of the samples */
    bool is_ours;             /* the table is about the candidate's file, not a header */
    size_t columns, from_end; /* number of columns, and the place of the samples counted from the
                                 end; 0: not known yet */
};

static void add_line(struct table *table, const struct csv_row *row)
{
    double line = 0, samples = 0;
    size_t count = row->fields.count;

    if (!table->is_ours || !table->from_end || count < table->columns ||
        !read_number(csv_field(row, 0), &line) || !(line >= 1 && line <= UINT_MAX) ||
        !read_number(csv_field(row, count - table->from_end), &samples) || samples <= 0)
        return;
    table->samples += samples;
    vec_push(&table->lines.hot, ((struct hot_line){(unsigned)line, samples}));
}

/* For qsort(): the hottest first. */
static int compare_lines(const void *a, const void *b)
{
    const struct hot_line *x = a, *y = b;

    return (x->share < y->share) - (x->share > y->share);
}

enum { HOTTEST_LINES = 5 };

static bool is_candidate(const char *path)
{
    const char *name = strrchr(path, '/');

    return text_begins(name ? name + 1 : path, "kernel.");
}

/* Turn samples into shares, and give the hottest lines to each launch of the function. */
static void settle(struct table *table, struct profile *profile)
{
    struct kernel_profile *found = &table->lines;

    if (found->hot.count > 0)
        qsort(found->hot.items, found->hot.count, sizeof(*found->hot.items), compare_lines);
    for (size_t k = 0; found->name && k < profile->kernels.count; k++) {
        struct kernel_profile *kernel = &profile->kernels.items[k];

        if (strcmp(kernel->name, found->name) != 0 || kernel->hot.count > 0)
            continue;
        for (size_t i = 0; i < found->hot.count && i < HOTTEST_LINES; i++)
            vec_push(&kernel->hot, ((struct hot_line){found->hot.items[i].line,
                                                      found->hot.items[i].share / table->samples}));
    }
    free(found->name);
    vec_release(&found->hot);
    *table = (struct table){.is_ours = table->is_ours};
}

/* Rows "File Path" and "Function Name" come before the columns of a table. */
static void read_source_row(struct table *table, const struct csv_row *row, struct profile *profile)
{
    size_t samples = csv_find(row, "Warp Stall Sampling (All Samples)");

    if (strcmp(csv_field(row, 0), "File Path") == 0) {
        settle(table, profile);
        table->is_ours = is_candidate(csv_field(row, 1));
    } else if (strcmp(csv_field(row, 0), "Function Name") == 0) {
        settle(table, profile);
        table->lines.name = cut_name(csv_field(row, 1));
    } else if (samples < row->fields.count) {
        table->columns = row->fields.count;
        table->from_end = row->fields.count - samples;
    } else {
        add_line(table, row);
    }
}

void ncu_read_source(const char *csv, struct profile *profile)
{
    struct csv_row row = {0};
    struct table table = {0};

    while (csv_next(&csv, &row))
        read_source_row(&table, &row, profile);
    settle(&table, profile);
    csv_row_release(&row);
}
