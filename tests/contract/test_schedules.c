/*
 * Judges the built-in generator's kernels through the real judge: graphs of every family and random
 * graphs, each under very different schedules. KFORGE_WORKER is the path of kforge-worker;
 * KFORGE_DEVICE names a device that may be absent.
 *
 * On a CPU, compilation takes nearly all of the time. There a graph is judged under a schedule only
 * if this gives a family of kernels a setting that no earlier graph has covered.
 * KFORGE_SCHEDULES=all judges each graph under all schedules. Usage: test_schedules [PART PARTS]:
 * every PARTS-th graph, from number PART on, counted from 0.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/base/vec.h"
#include "core/judge/judge.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"
#include "tests/contract/judge_fixture.h"
#include "tests/contract/random_graph.h"
#include "tests/contract/schedule_changes.h"
#include "tests/contract/schedule_cover.h"

static const char *const problems[] = {
    "contract/problems/attention",
    "contract/problems/batch",
    "contract/problems/broadcast",
    "contract/problems/center",
    "contract/problems/scans",
    "contract/problems/columns",
    "contract/problems/convolutions",
    "contract/problems/features",
    "contract/problems/layer_norm",
    "contract/problems/linear_odd",
    "contract/problems/places",
    "contract/problems/select",
    "contract/problems/slices",
    "contract/problems/stages",
    "contract/problems/steps",
    "problems/orders",
    "contract/problems/total",
    "contract/problems/types",
    "contract/problems/undefined",
    "problems/attention",
    "problems/causal",
    "problems/concat",
    "problems/conv",
    "problems/conv_odd",
    "problems/gather",
    "problems/lookup",
    "problems/norms",
    "problems/pool",
    "problems/pool3d",
    "problems/product",
    "problems/reduce",
    "problems/views",
    "contract/problems/mixed",
    "contract/problems/tails",
};

/* Changes to the first schedule for a CPU with vectors of 16 elements. */
static const char *const cpu_changes[] = {
    "fuse: 1 -> 0",
    "fuse: 1 -> 1, fast: 0 -> 1",
    "vec: 16 -> 4, items: 64 -> 1, group: 1 -> 0, store: 0 -> 1, tile_m: 4 -> 6, tile_n: 16 -> 32",
    "vec: 16 -> 8, store: 0 -> 1, unroll: 1 -> 2, order: 0 -> 1, pack: 1 -> 0",
    "vec: 16 -> 1, group: 1 -> 64, lanes: 1 -> 32, store: 0 -> 1, tile_n: 16 -> 2, pack: 1 -> 0",
    "vec: 16 -> 4, group: 1 -> 32, lanes: 1 -> 64, hold: 0 -> 1, tile_n: 16 -> 8, local: 0 -> 8",
    "vec: 16 -> 2, group: 1 -> 64, lanes: 1 -> 32, hold: 0 -> 4, tile_n: 16 -> 4, local: 0 -> 16",
};

enum { CPU_CHANGE_COUNT = sizeof(cpu_changes) / sizeof(*cpu_changes), SKIPPED = 77 };
enum { PROBLEM_COUNT = sizeof(problems) / sizeof(*problems), RANDOM_COUNT = 5 };
enum { TASK_COUNT = PROBLEM_COUNT + RANDOM_COUNT };

/* The graphs to judge; all by default. */
static struct {
    unsigned long part, parts;
} chosen = {0, 1};

struct task {
    const char *name;
    struct strbuf text;
    struct problem problem;
    bool is_wanted[CPU_CHANGE_COUNT]; /* for each change: judge the task under that schedule */
};

struct fixture {
    struct judge *judge;
    const struct device_info *device;
    struct task tasks[TASK_COUNT];
};

static void on_nothing(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

static struct judge *new_judge(void)
{
    static const char *executor[] = {NULL, "--executor", NULL};
    struct judge_options options = {
        .tune = {.choices = 64, .budget_us = 60000000},
        .executor = {.argv = executor,
                     .device = getenv("KFORGE_DEVICE"),
                     .build_limit_us = 120000000,
                     .run_limit_us = 20000000},
        .trials = 2,
        .unseen = 1,
        .precision = 0.5,
        .timing_budget_us = 1000,
        .without_baselines = true,
        .progress = on_nothing,
    };

    executor[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    return judge_new(&options);
}

/* The first schedule for the device; for any CPU, that of a CPU with wide vectors. */
static struct schedule first_schedule(const struct device_info *device)
{
    const struct device_info wide = {.is_cpu = true, .vector_width_f32 = 16};

    return schedule_first(device->is_cpu ? &wide : device);
}

static struct schedule schedule_of(const struct fixture *fixture, const char *change)
{
    struct schedule schedule = first_schedule(fixture->device);
    struct error err;

    if (schedule_change(&schedule, change, &err))
        fail_msg("%s", err.text);
    return schedule;
}

/* The number of settings that the graph's kernels would cover anew under a change. */
static unsigned new_settings(const struct fixture *fixture, const struct schedule_cover *cover,
                             size_t graph, size_t change)
{
    struct schedule schedule = schedule_of(fixture, cpu_changes[change]);

    return schedule_cover_new(
        cover, &(struct schedule_use){&fixture->tasks[graph].problem, "opencl", &schedule});
}

static void want(struct fixture *fixture, struct schedule_cover *cover, size_t graph, size_t change)
{
    struct schedule schedule = schedule_of(fixture, cpu_changes[change]);

    fixture->tasks[graph].is_wanted[change] = true;
    (void)schedule_cover_add(
        cover, &(struct schedule_use){&fixture->tasks[graph].problem, "opencl", &schedule});
}

/* The change that covers most; of equal ones the first from number `first` on. */
static size_t best_change(const struct fixture *fixture, const struct schedule_cover *cover,
                          size_t graph, size_t first)
{
    size_t best = first % CPU_CHANGE_COUNT;
    unsigned most = new_settings(fixture, cover, graph, best);

    for (size_t turn = 1; turn < CPU_CHANGE_COUNT; turn++) {
        size_t change = (first + turn) % CPU_CHANGE_COUNT;
        unsigned count = new_settings(fixture, cover, graph, change);

        if (count > most) {
            most = count;
            best = change;
        }
    }
    return best;
}

/*
 * Every graph is judged under the change that covers most, beginning with another change for each,
 * and then under those that cover what is left.
 */
static void choose_schedules(struct fixture *fixture)
{
    struct schedule_cover cover = {0};
    bool are_all = getenv("KFORGE_SCHEDULES");

    for (size_t g = 0; g < TASK_COUNT; g++)
        want(fixture, &cover, g, best_change(fixture, &cover, g, g));
    for (size_t g = 0; g < TASK_COUNT; g++)
        for (size_t change = 0; change < CPU_CHANGE_COUNT; change++)
            if (are_all || new_settings(fixture, &cover, g, change) > 0)
                want(fixture, &cover, g, change);
    schedule_cover_release(&cover);
}

static void read_task(size_t index, struct task *task)
{
    struct strbuf path = {0};
    struct error err = {0};

    if (index < PROBLEM_COUNT) {
        task->name = problems[index];
        strbuf_addf(&path, KFORGE_SOURCE_DIR "/tests/%s.json", task->name);
        if (file_read(strbuf_cstr(&path), 1 << 20, &task->text, &err))
            fail_msg("%s", err.text);
        strbuf_release(&path);
    } else {
        task->name = "random graph";
        random_graph_write((uint32_t)(index - PROBLEM_COUNT + 1), &task->text);
    }
    if (problem_parse(&task->problem, strbuf_cstr(&task->text), task->text.len, task->name, &err))
        fail_msg("%s\n%s", err.text, strbuf_cstr(&task->text));
}

static int set_up(void **state)
{
    struct fixture *fixture = mem_alloc_zeroed(1, sizeof(*fixture));
    const struct roofs *roofs;
    struct error err;

    fixture->judge = new_judge();
    if (judge_device(fixture->judge, &fixture->device, &roofs, &err))
        fail_msg("%s", err.text);
    for (size_t g = 0; g < TASK_COUNT; g++)
        read_task(g, &fixture->tasks[g]);
    if (fixture->device->is_cpu)
        choose_schedules(fixture);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    for (size_t g = 0; g < TASK_COUNT; g++) {
        problem_release(&fixture->tasks[g].problem);
        strbuf_release(&fixture->tasks[g].text);
    }
    judge_free(fixture->judge);
    free(fixture);
    return 0;
}

static void check_change(const struct fixture *fixture, const struct problem *problem,
                         const char *change)
{
    const struct schedule schedule = schedule_of(fixture, change);
    struct candidate candidate = {0};
    struct verdict verdict = {0};
    struct error err = {0};

    if (emit_candidate(problem, fixture->device->language, &schedule, &candidate, &err))
        fail_msg("%s: %s: %s", problem->name, change, err.text);
    if (!problem->tolerance.allows_mixed) /* those are as large as matrix units need */
        judge_fixture_skip_optimizer(&candidate);
    if (judge_evaluate(fixture->judge, &(struct judge_request){.candidate = &candidate}, &verdict,
                       &err))
        fail_msg("%s: %s: %s", problem->name, change, err.text);
    if (verdict.outcome != OUTCOME_CORRECT && verdict.outcome != OUTCOME_SUSPECT)
        fail_msg("%s: %s: %s: %s\n%s", problem->name, change, outcome_name(verdict.outcome),
                 verdict.detail, candidate.source);
    candidate_release(&candidate);
    verdict_release(&verdict);
}

static void check_task(const struct fixture *fixture, const struct task *task)
{
    struct error err = {0};

    if ((size_t)(task - fixture->tasks) % chosen.parts != chosen.part)
        return;
    if (judge_load(fixture->judge, strbuf_cstr(&task->text), task->text.len, task->name, &err))
        fail_msg("%s\n%s", err.text, strbuf_cstr(&task->text));
    for (size_t c = 0; fixture->device->is_cpu && c < CPU_CHANGE_COUNT; c++)
        if (task->is_wanted[c])
            check_change(fixture, &task->problem, cpu_changes[c]);
    for (size_t c = 0; !fixture->device->is_cpu && c < GPU_CHANGE_COUNT; c++)
        check_change(fixture, &task->problem, gpu_changes[c]);
    for (size_t c = 0; !fixture->device->is_cpu && c < MATRIX_CHANGE_COUNT; c++)
        if (task->problem.tolerance.allows_mixed)
            check_change(fixture, &task->problem, matrix_changes[c]);
}

static void every_family_is_right_under_every_schedule(void **state)
{
    const struct fixture *fixture = *state;

    for (size_t g = 0; g < PROBLEM_COUNT; g++)
        check_task(fixture, &fixture->tasks[g]);
}

static void random_graphs_are_right_under_every_schedule(void **state)
{
    const struct fixture *fixture = *state;

    for (size_t g = PROBLEM_COUNT; g < TASK_COUNT; g++)
        check_task(fixture, &fixture->tasks[g]);
}

/* A rewritten graph is judged by the problem as it is written. */
static void rewrites_are_right(void **state)
{
    static const char path[] = KFORGE_SOURCE_DIR "/tests/contract/problems/rewrites.json";
    const struct fixture *fixture = *state;
    struct task task = {.name = "rewrites"};
    struct error err = {0};

    if (chosen.part)
        return;
    if (file_read(path, 1 << 20, &task.text, &err) ||
        problem_parse(&task.problem, strbuf_cstr(&task.text), task.text.len, task.name, &err) ||
        judge_load(fixture->judge, strbuf_cstr(&task.text), task.text.len, task.name, &err))
        fail_msg("%s", err.text);
    check_change(fixture, &task.problem,
                 "fold: 0 -> 1, chain: 0 -> 1, drop: 0 -> 1, ahead: 0 -> 1");
    problem_release(&task.problem);
    strbuf_release(&task.text);
}

static bool has_device(void)
{
    struct device_list devices = {0};
    struct judge *judge = new_judge();
    bool is_there = !judge_probe(judge, &devices, NULL) && devices.count > 0;

    device_list_release(&devices);
    judge_free(judge);
    return is_there;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_is_right_under_every_schedule),
        cmocka_unit_test(random_graphs_are_right_under_every_schedule),
        cmocka_unit_test(rewrites_are_right),
    };

    if (argc == 3) {
        chosen.part = strtoul(argv[1], NULL, 10);
        chosen.parts = strtoul(argv[2], NULL, 10);
    }
    if (chosen.part >= chosen.parts)
        return EXIT_FAILURE;
    if (getenv("KFORGE_DEVICE") && !has_device()) {
        printf("no device %s: skipped\n", getenv("KFORGE_DEVICE"));
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
