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
 * the one with all rewrites that save work, if there are any, as FOLDER/PROBLEM_rewritten.py, and
 * the one with the first change of -s as FOLDER/PROBLEM_changed1.py, and so on.
 * With -r it only prints what the algebra rewrites: each rewrite with a knob that saves work, and
 * the forms that a GPU gets without one.
 *
 * tests/bench/model_problems.py writes models in KernelBench's form as such problems.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cuda/compile.h"
#include "backends/cuda/nvidia.h"
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
#include "tests/bench/programs/kernel_check.h"
#include "tests/contract/schedule_changes.h"

static void put_obstacles(struct check *check, const struct candidate *candidate)
{
    struct json *list = json_put(check->row, "obstacles", json_array_new());
    struct schedule schedule = schedule_first(&kernel_check_device);
    struct obstacles found = {0};

    if (!schedule_read(&schedule, candidate->source) ||
        obstacles_find(&found, check->problem, &kernel_check_device, &schedule, NULL))
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
        kernel_check_fault(check, "%s", err.text);
    else
        kernel_check_dispatch(check, candidate, &dispatch);
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
        kernel_check_fault(check, "%s", err->text);
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

/* `ending`: that of the file that the candidate is exported to; NULL: none. */
static void check_change(struct check *check, const struct schedule *from, const char *change,
                         const char *ending)
{
    struct schedule schedule = *from;
    struct candidate candidate = {0};
    struct error err = {0};
    enum status st = schedule_change(&schedule, change, &err);

    if (!st)
        st = emit_candidate(check->problem, kernel_check_device.language, &schedule, &candidate,
                            &err);
    check_written(check, change, st, &candidate, &err);
    if (!st && ending && check->exports)
        export_candidate(check, &candidate, ending);
    candidate_release(&candidate);
}

/* Check the candidate whose source begins with a schedule under each change of -s. */
static void check_changes(struct check *check, const struct candidate *candidate)
{
    struct schedule schedule = schedule_first(&kernel_check_device);

    for (size_t i = 0; schedule_read(&schedule, candidate->source) && i < check->change_count;
         i++) {
        struct strbuf ending = {0};

        strbuf_addf(&ending, "_changed%zu", i + 1);
        check_change(check, &schedule, check->changes[i], strbuf_cstr(&ending));
        strbuf_release(&ending);
    }
}

/* Check the candidate whose source begins with a schedule with all rewrites that save work. */
static void check_rewritten(struct check *check, const struct candidate *first)
{
    struct schedule before = schedule_first(&kernel_check_device), schedule;
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
        st = emit_candidate(check->problem, kernel_check_device.language, &schedule, &candidate,
                            &err);
    if (st || change.len)
        check_written(check, strbuf_cstr(&change), st, &candidate, &err);
    if (!st && change.len && check->exports)
        export_candidate(check, &candidate, "_rewritten");
    candidate_release(&candidate);
    strbuf_release(&change);
}

static void check_first(struct check *check)
{
    const struct brief brief = {.problem = check->problem, .device = &kernel_check_device};
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    struct error err = {0};
    enum status st = generator_reply(&brief, &reply, &err);

    if (!st)
        st = reply_parse(strbuf_cstr(&reply), kernel_check_device.language, &candidate, &err);
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
    struct schedule schedule = schedule_first(&kernel_check_device);
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
    const struct schedule cautious = schedule_first(&kernel_check_device);
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
    check_change(&check, &cautious, "fuse: 1 -> 0", NULL);
    for (size_t i = 0; all && i < GPU_CHANGE_COUNT; i++)
        check_change(&check, &cautious, gpu_changes[i], NULL);
    for (size_t i = 0; all && problem.tolerance.allows_mixed && i < MATRIX_CHANGE_COUNT; i++)
        check_change(&check, &cautious, matrix_changes[i], NULL);
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
