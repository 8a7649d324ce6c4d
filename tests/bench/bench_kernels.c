/*
 * bench_kernels [-a] [-e FOLDER [-t]] [-n] [-p] [-r] [-s CHANGE]... PROBLEM...: what the built-in
 * agents write for a GPU that is not there. For each problem in JSON it writes the candidate that a
 * session on an H200 begins with, and the plain kernels that a session falls back to; with -a also
 * those under very different schedules. It resolves each plan at the main dimensions, holds the
 * launches against the device's limits, and compiles the source with NVRTC, which needs no GPU (-n:
 * does not). It prints a line of JSON for each candidate: problem, schedule, launches, the kernels
 * in words, compile_ms, obstacles (why the fastest kernels do not take an operation), and faults;
 * with -p also source and plan. With -s it also writes the first
 * candidate with a change of its schedule, such as "cluster: 1 -> 2". With -e it exports the first
 * candidate of each problem as FOLDER/PROBLEM.py for PyTorch, with -t as --tf32-convolutions does,
 * and the one with all rewrites that save work, if there are any, as FOLDER/PROBLEM_rewritten.py.
 * With -r it only prints what the algebra rewrites: each rewrite with a knob that saves work, and
 * the forms that a GPU gets without one.
 *
 * tests/bench/model_problems.py writes models in KernelBench's form as such problems.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cuda/compile.h"
#include "backends/cuda/nvidia.h"
#include "backends/cuda/ptx.h"
#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/agent/builtin/generator.h"
#include "core/agent/builtin/obstacle.h"
#include "core/agent/builtin/plan/algebra/algebra.h"
#include "core/agent/builtin/plan/rewrites.h"
#include "core/agent/builtin/plan/schedule.h"
#include "core/agent/reply/reply.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"
#include "core/session/recorded/standalone/standalone.h"
#include "tests/contract/schedule_changes.h"

/* The limits of a device of compute capability 9.0. */
enum {
    MOST_THREADS = 1024,
    MOST_SHARED = 227 << 10,
    MOST_REGISTERS = 1 << 16,
    MOST_CLUSTER = 8,            /* that every device of this capability starts */
    MOST_PARAMETER_BYTES = 4096, /* that every driver takes */
};
/* An int indexes this many elements or work-items. */
static const int64_t most_indices = INT64_C(1) << 31;
static const size_t most_block[LAUNCH_MAX_RANK] = {1024, 1024, 64};
static const size_t most_grid[LAUNCH_MAX_RANK] = {INT32_MAX, 65535, 65535};

static const struct device_info h200 = {
    .id = (char[]){"cuda:0"},
    .name = (char[]){"NVIDIA H200"},
    .platform = (char[]){"CUDA"},
    .compiler = (char[]){"NVRTC sm_90a"},
    .language = (char[]){"cuda"},
    .compute_units = 132,
    .vector_width_f32 = 1,
    .max_work_group = MOST_THREADS,
    .memory_bytes = 141LL << 30,
    .max_buffer_bytes = 141LL << 30,
    .local_bytes = MOST_SHARED,
};

enum { MOST_CHANGES = 16 };

struct check {
    const struct problem *problem;
    const struct nvrtc *nvrtc; /* NULL: do not compile */
    bool prints, is_of_rewrites;
    const char *exports; /* the folder for exported candidates, or NULL */
    bool exports_tf32;
    const char *changes[MOST_CHANGES];
    size_t change_count;
    struct json *row, *faults;
};

__attribute__((format(printf, 2, 3))) static void add_fault(struct check *check, const char *fmt,
                                                            ...)
{
    struct strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    json_push(check->faults, json_string_new(strbuf_cstr(&text)));
    strbuf_release(&text);
}

static void check_axis(struct check *check, const struct launch *launch, unsigned axis,
                       size_t block)
{
    size_t items = launch->global[axis];

    if (items % block)
        add_fault(check, "%s: block[%u] %zu does not divide %zu", launch->kernel, axis, block,
                  items);
    if (block > most_block[axis])
        add_fault(check, "%s: block[%u] is %zu", launch->kernel, axis, block);
    if (items / block > most_grid[axis])
        add_fault(check, "%s: grid[%u] is %zu", launch->kernel, axis, items / block);
}

/* True if the kernel declares variables of type int and computes no offset in 64 bits. */
static bool has_only_ints(const char *source, const char *kernel)
{
    struct strbuf head = {0};
    const char *at, *end, *found;

    strbuf_addf(&head, " %s(", kernel);
    at = strstr(source, strbuf_cstr(&head));
    end = at ? strstr(at, "\n}\n") : NULL;
    found = at ? strstr(at, "int ") : NULL;
    if (found && memmem(at, (size_t)(end - at), "(long)", strlen("(long)")))
        found = NULL;
    while (found && found < end && (isalnum((unsigned char)found[-1]) || found[4] == '*'))
        found = strstr(found + 1, "int ");
    strbuf_release(&head);
    return found && found < end;
}

/* A kernel of a large tensor, or of many work-items, must have no index of 32 bits. */
static void check_indices(struct check *check, const char *source, const struct dispatch *dispatch,
                          const struct launch *launch)
{
    int64_t most = 1;

    for (unsigned axis = 0; axis < launch->rank; axis++)
        most *= (int64_t)launch->global[axis];
    for (size_t i = 0; i < launch->arg_count; i++) {
        const struct launch_arg *arg = &launch->args[i];

        if (arg->kind == ARG_BUFFER && dispatch->buffers.items[arg->buffer].elements > most)
            most = dispatch->buffers.items[arg->buffer].elements;
    }
    if (most > most_indices && has_only_ints(source, launch->kernel))
        add_fault(check, "%s: an int does not hold %lld indices", launch->kernel, (long long)most);
}

static void check_cluster(struct check *check, const struct launch *launch)
{
    size_t groups = 1;

    for (unsigned axis = 0; axis < launch->rank && launch->cluster[0]; axis++)
        groups *= launch->cluster[axis];
    if (groups > MOST_CLUSTER)
        add_fault(check, "%s: a cluster of %zu blocks", launch->kernel, groups);
}

/* A pointer or a number takes 8 bytes, the map of a tensor 128. */
static void check_parameters(struct check *check, const struct launch *launch)
{
    enum { ARGUMENT_BYTES = 8, MAP_BYTES = 128 };
    size_t bytes = launch->arg_count * ARGUMENT_BYTES + launch->tensor_map_count * MAP_BYTES;

    if (bytes > MOST_PARAMETER_BYTES)
        add_fault(check, "%s: %zu bytes of parameters", launch->kernel, bytes);
}

static void check_space(struct check *check, const struct launch *launch)
{
    size_t group[LAUNCH_MAX_RANK], threads = 1;

    launch_group(launch, group);
    for (unsigned axis = 0; axis < launch->rank; axis++) {
        check_axis(check, launch, axis, group[axis]);
        threads *= group[axis];
    }
    if (threads > MOST_THREADS)
        add_fault(check, "%s: a block has %zu threads", launch->kernel, threads);
    if (launch->shared > MOST_SHARED)
        add_fault(check, "%s: %lld bytes of shared memory", launch->kernel,
                  (long long)launch->shared);
    check_cluster(check, launch);
    check_parameters(check, launch);
}

static void check_buffers(struct check *check, const struct dispatch *dispatch)
{
    double bytes = 0;

    for (size_t i = 0; i < dispatch->buffers.count; i++) {
        const struct buffer_spec *buffer = &dispatch->buffers.items[i];

        bytes += (double)buffer->elements * (double)dtype_bytes(buffer->dtype);
    }
    json_put_number(check->row, "gigabytes", bytes / 1e9);
    if (bytes > (double)h200.memory_bytes)
        add_fault(check, "%.0f GB of buffers", bytes / 1e9);
}

/* "... 'NAME' ... Used 40 registers, ... 1024 bytes smem" of the assembler's log. */
static void check_usage(struct check *check, const struct launch *launch, const char *log)
{
    enum { STEP = 8, WARP = 32 };
    struct strbuf quoted = {0};
    size_t group[LAUNCH_MAX_RANK], threads = 1;
    const char *at, *used, *end, *shared;
    long registers, bytes = (long)launch->shared;

    strbuf_addf(&quoted, "entry function '%s'", launch->kernel);
    at = strstr(log, strbuf_cstr(&quoted));
    used = at ? strstr(at, "Used ") : NULL;
    strbuf_release(&quoted);
    if (!used)
        return;
    launch_group(launch, group);
    for (unsigned axis = 0; axis < launch->rank; axis++)
        threads *= group[axis];
    registers = (strtol(used + strlen("Used "), NULL, 10) + STEP - 1) / STEP * STEP;
    if ((threads + WARP - 1) / WARP * WARP * (size_t)registers > MOST_REGISTERS)
        add_fault(check, "%s: %zu threads of %ld registers", launch->kernel, threads, registers);
    end = strchr(used, '\n');
    shared = strstr(used, " bytes smem");
    if (!shared || (end && shared > end))
        return;
    while (shared > used && shared[-1] != ' ')
        shared--;
    bytes += strtol(shared, NULL, 10);
    if (bytes > MOST_SHARED)
        add_fault(check, "%s: %ld bytes of shared memory", launch->kernel, bytes);
}

static void check_source(struct check *check, const struct candidate *candidate,
                         const struct dispatch *dispatch)
{
    const struct program_source source = {.text = candidate->source,
                                          .options = dispatch->options ? dispatch->options : ""};
    struct build_report report = {0};
    struct binary binary = {0};

    if (compile_source(check->nvrtc, "sm_90a", &source, &binary, &report))
        add_fault(check, "NVRTC: %.400s", binary.log);
    else
        for (size_t i = 0; i < dispatch->launches.count; i++)
            check_usage(check, &dispatch->launches.items[i], binary.log);
    json_put_number(check->row, "compile_ms", report.ms);
    binary_release(&binary);
    build_report_release(&report);
}

static void check_dispatch(struct check *check, const struct candidate *candidate,
                           const struct dispatch *dispatch)
{
    json_put_number(check->row, "launches", (double)dispatch->launches.count);
    check_buffers(check, dispatch);
    for (size_t i = 0; i < dispatch->prepare.count; i++)
        check_space(check, &dispatch->prepare.items[i]);
    for (size_t i = 0; i < dispatch->launches.count; i++) {
        check_space(check, &dispatch->launches.items[i]);
        check_indices(check, candidate->source, dispatch, &dispatch->launches.items[i]);
    }
    if (check->nvrtc)
        check_source(check, candidate, dispatch);
}

static void put_obstacles(struct check *check, const struct candidate *candidate)
{
    struct json *list = json_put(check->row, "obstacles", json_array_new());
    struct schedule schedule = schedule_first(&h200);
    struct obstacles found = {0};

    if (!schedule_read(&schedule, candidate->source) ||
        obstacles_find(&found, check->problem, &h200, &schedule, NULL))
        return;
    for (size_t i = 0; i < found.count; i++) {
        const struct obstacle *one = &found.items[i];
        struct strbuf text = {0};

        strbuf_addf(&text, "%s %s: %s", one->operation, one->instead, one->why);
        json_push(list, json_string_new(strbuf_cstr(&text)));
        strbuf_release(&text);
    }
}

static void check_candidate(struct check *check, const struct candidate *candidate)
{
    struct binding *bindings = mem_alloc_zeroed(check->problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(check->problem, 0, bindings);
    struct dispatch dispatch = {0};
    struct graph graph = {0};
    struct plan plan = {0};
    struct error err = {0};

    json_put_string(check->row, "kernels", candidate->remark);
    put_obstacles(check, candidate);
    if (check->prints) {
        json_put_string(check->row, "source", candidate->source);
        json_put_string(check->row, "plan", candidate->plan);
    }
    if (plan_parse(&plan, candidate->plan, strlen(candidate->plan), &err) ||
        graph_build(&graph, check->problem, &scope, &err) ||
        plan_resolve(&plan, &graph, &scope, &dispatch, &err))
        add_fault(check, "%s", err.text);
    else
        check_dispatch(check, candidate, &dispatch);
    dispatch_release(&dispatch);
    graph_release(&graph);
    plan_release(&plan);
    free(bindings);
}

/* Print the row of one candidate, or of the failure to write it. */
static void check_written(struct check *check, const char *schedule, enum status written,
                          const struct candidate *candidate, const struct error *err)
{
    struct strbuf text = {0};

    check->row = json_object_new();
    json_put_string(check->row, "problem", check->problem->name);
    json_put_string(check->row, "schedule", schedule);
    check->faults = json_put(check->row, "faults", json_array_new());
    if (written)
        add_fault(check, "%s", err->text);
    else
        check_candidate(check, candidate);
    json_print(check->row, &text);
    puts(strbuf_cstr(&text));
    fflush(stdout);
    strbuf_release(&text);
    json_free(check->row);
}

/* Export a candidate as FOLDER/PROBLEM and `ending`. */
static void export_candidate(struct check *check, const struct candidate *candidate,
                             const char *ending)
{
    const struct standalone standalone = {.problem = check->problem,
                                          .candidate = candidate,
                                          .tf32_convolutions = check->exports_tf32};
    struct strbuf path = {0};
    struct error err = {0};

    strbuf_addf(&path, "%s/%s%s.py", check->exports, check->problem->name, ending);
    if (standalone_write_torch(&standalone, strbuf_cstr(&path), &err))
        fprintf(stderr, "%s\n", err.text);
    strbuf_release(&path);
}

static void check_change(struct check *check, const struct schedule *from, const char *change)
{
    struct schedule schedule = *from;
    struct candidate candidate = {0};
    struct error err = {0};
    enum status st = schedule_change(&schedule, change, &err);

    if (!st)
        st = emit_candidate(check->problem, h200.language, &schedule, &candidate, &err);
    check_written(check, change, st, &candidate, &err);
    candidate_release(&candidate);
}

/* Check the candidate whose source begins with a schedule under each change of -s. */
static void check_changes(struct check *check, const struct candidate *candidate)
{
    struct schedule schedule = schedule_first(&h200);

    for (size_t i = 0; schedule_read(&schedule, candidate->source) && i < check->change_count; i++)
        check_change(check, &schedule, check->changes[i]);
}

/* Check the candidate whose source begins with a schedule with all rewrites that save work. */
static void check_rewritten(struct check *check, const struct candidate *first)
{
    struct schedule before = schedule_first(&h200), schedule;
    struct rewrite_found found = {0};
    struct candidate candidate = {0};
    struct strbuf change = {0};
    struct error err = {0};
    size_t next = 0;
    enum status st;

    schedule_read(&before, first->source);
    schedule = before;
    while (!(st = rewrites_find(check->problem, &schedule, &next, &found, &err)) && found.steps) {
        schedule = found.to;
        json_free(found.steps);
    }
    schedule_difference(&before, &schedule, ~0U, &change);
    if (!st && change.len)
        st = emit_candidate(check->problem, h200.language, &schedule, &candidate, &err);
    if (st || change.len)
        check_written(check, strbuf_cstr(&change), st, &candidate, &err);
    if (!st && change.len && check->exports)
        export_candidate(check, &candidate, "_rewritten");
    candidate_release(&candidate);
    strbuf_release(&change);
}

static void check_first(struct check *check)
{
    const struct brief brief = {.problem = check->problem, .device = &h200};
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    struct error err = {0};
    enum status st = generator_reply(&brief, &reply, &err);

    if (!st)
        st = reply_parse(strbuf_cstr(&reply), h200.language, &candidate, &err);
    check_written(check, "first", st, &candidate, &err);
    if (!st && check->exports)
        export_candidate(check, &candidate, "");
    if (!st) {
        check_changes(check, &candidate);
        check_rewritten(check, &candidate);
    }
    candidate_release(&candidate);
    strbuf_release(&reply);
}

/* Print the steps of the rules for GPUs, which have no knob, if there are any. */
static enum status print_forms(const struct problem *problem, struct error *err)
{
    struct algebra algebra = {0};
    struct strbuf text = {0};
    enum status st = algebra_open(&algebra, problem, ALGEBRA_STAGES, err);

    if (!st && json_count(algebra.steps)) {
        struct json *row = json_object_new();

        json_put_string(row, "problem", problem->name);
        json_put_string(row, "change", "forms");
        json_put(row, "steps", json_dup(algebra.steps));
        json_print(row, &text);
        puts(strbuf_cstr(&text));
        json_free(row);
    }
    algebra_close(&algebra);
    strbuf_release(&text);
    return st;
}

/* Print a line of JSON for each rewrite that saves work, each on top of those before. */
static int print_rewrites(const struct problem *problem)
{
    struct schedule schedule = schedule_first(&h200);
    struct rewrite_found found = {0};
    struct error err = {0};
    size_t next = 0;
    enum status st;

    while (!(st = rewrites_find(problem, &schedule, &next, &found, &err)) && found.steps) {
        struct json *row = json_object_new();
        struct strbuf change = {0}, text = {0};

        schedule_difference(&schedule, &found.to, ~0U, &change);
        json_put_string(row, "problem", problem->name);
        json_put_string(row, "change", strbuf_cstr(&change));
        json_put_number(row, "work_ratio", found.gain);
        json_put_number(row, "ahead", (double)found.ahead);
        json_put(row, "steps", found.steps);
        json_print(row, &text);
        puts(strbuf_cstr(&text));
        json_free(row);
        strbuf_release(&change);
        strbuf_release(&text);
        schedule = found.to;
    }
    if (!st)
        st = print_forms(problem, &err);
    if (st)
        fprintf(stderr, "%s: %s\n", problem->name, err.text);
    return st != STATUS_OK;
}

static int check_problem(struct check check, const char *path, bool all)
{
    const struct schedule cautious = schedule_first(&h200);
    struct problem problem = {0};
    struct error err = {0};

    if (problem_load(&problem, path, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    if (check.is_of_rewrites) {
        int failed = print_rewrites(&problem);

        problem_release(&problem);
        return failed;
    }
    check.problem = &problem;
    check_first(&check);
    check_change(&check, &cautious, "fuse: 1 -> 0");
    for (size_t i = 0; all && i < GPU_CHANGE_COUNT; i++)
        check_change(&check, &cautious, gpu_changes[i]);
    for (size_t i = 0; all && problem.tolerance.allows_mixed && i < MATRIX_CHANGE_COUNT; i++)
        check_change(&check, &cautious, matrix_changes[i]);
    problem_release(&problem);
    return 0;
}

int main(int argc, char **argv)
{
    bool all = false, compiles = true;
    struct check check = {0};
    struct nvrtc nvrtc = {0};
    struct error err = {0};
    int failures = 0;

    for (int option; (option = getopt(argc, argv, "ae:nprs:t")) != -1;) {
        if (option == '?')
            return 2;
        all |= option == 'a';
        compiles &= option != 'n';
        check.prints |= option == 'p';
        check.exports_tf32 |= option == 't';
        check.is_of_rewrites |= option == 'r';
        if (option == 'e')
            check.exports = optarg;
        if (option == 's' && check.change_count < MOST_CHANGES)
            check.changes[check.change_count++] = optarg;
    }
    if (compiles && !check.is_of_rewrites && nvrtc_open(&cuda_platform, &nvrtc, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    check.nvrtc = compiles && !check.is_of_rewrites ? &nvrtc : NULL;
    for (int i = optind; i < argc; i++)
        failures += check_problem(check, argv[i], all);
    return failures > 0;
}
