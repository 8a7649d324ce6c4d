/*
 * The kernels of the built-in generator through the real judge: graphs of
 * every family and graphs drawn at random, each under schedules far apart.
 * KFORGE_WORKER is the path of kforge-worker, KFORGE_DEVICE a device that may
 * not be there.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/design.h"
#include "core/base/file.h"
#include "core/judge/judge.h"
#include "tests/contract/changes.h"
#include "tests/contract/random_graph.h"

static const char *const problems[] = {
    "contract/problems/attention",
    "contract/problems/batch",
    "contract/problems/broadcast",
    "contract/problems/center",
    "contract/problems/columns",
    "contract/problems/convolutions",
    "contract/problems/layer_norm",
    "contract/problems/linear_odd",
    "contract/problems/places",
    "contract/problems/select",
    "contract/problems/total",
    "contract/problems/types",
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

/* Changes to the first schedule for a CPU with vectors of 16. */
static const char *const cpu_changes[] = {
    "fuse: 1 -> 0",
    "fuse: 1 -> 1, fast: 0 -> 1",
    "vec: 16 -> 4, items: 64 -> 1, group: 1 -> 0, keep: 0 -> 1, tile_m: 4 -> 6, tile_n: 16 -> 32",
    "vec: 16 -> 8, keep: 0 -> 1, unroll: 1 -> 2, order: 0 -> 1, pack: 1 -> 0",
    "vec: 16 -> 1, group: 1 -> 64, lanes: 1 -> 32, keep: 0 -> 1, tile_n: 16 -> 2, pack: 1 -> 0",
    "vec: 16 -> 4, group: 1 -> 32, lanes: 1 -> 64, hold: 0 -> 1, tile_n: 16 -> 8, local: 0 -> 8",
    "vec: 16 -> 2, group: 1 -> 64, lanes: 1 -> 32, hold: 0 -> 4, tile_n: 16 -> 4, local: 0 -> 16",
};

enum { CPU_CHANGE_COUNT = sizeof(cpu_changes) / sizeof(*cpu_changes), SKIPPED = 77 };

static void hear_nothing(void *data, const struct judge_progress *progress)
{
    (void)data;
    (void)progress;
}

static int start_judge(void **state)
{
    static const char *executor[] = {NULL, "--executor", NULL};
    struct judge_options options = {
        .tune = {.choices = 64, .budget_us = 60000000},
        .executor = {.argv = executor,
                     .device = getenv("KFORGE_DEVICE"),
                     .build_limit_us = 120000000,
                     .run_limit_us = 20000000},
        .trials = 2,
        .unseen = 2,
        .precision = 0.5,
        .timing_budget_us = 1000,
        .progress = hear_nothing,
    };

    executor[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    *state = judge_new(&options);
    return 0;
}

static int end_judge(void **state)
{
    judge_free(*state);
    return 0;
}

/* The device, or a CPU whose vectors are wide. */
static struct schedule first_schedule(const struct device_info *device)
{
    const struct device_info wide = {.is_cpu = true, .vector_width_f32 = 16};

    return schedule_first(device->is_cpu ? &wide : device);
}

static const struct device_info *device_of(struct judge *judge)
{
    const struct device_info *device;
    const struct roofs *roofs;
    struct error err = {0};

    if (judge_device(judge, &device, &roofs, &err))
        fail_msg("%s", err.text);
    return device;
}

static void check_schedule(struct judge *judge, const struct problem *problem, const char *change)
{
    const struct device_info *device = device_of(judge);
    struct schedule schedule = first_schedule(device);
    struct candidate candidate = {0};
    struct verdict verdict = {0};
    struct error err = {0};

    if (schedule_change(&schedule, change, &err) ||
        design_candidate(problem, device->language, &schedule, &candidate, &err) ||
        judge_evaluate(judge, &(struct judge_request){.candidate = &candidate}, &verdict, &err))
        fail_msg("%s: %s: %s", problem->name, change, err.text);
    if (verdict.outcome != OUTCOME_CORRECT && verdict.outcome != OUTCOME_SUSPECT)
        fail_msg("%s: %s: %s: %s\n%s", problem->name, change, outcome_name(verdict.outcome),
                 verdict.detail, candidate.source);
    candidate_release(&candidate);
    verdict_release(&verdict);
}

static void check_changes(struct judge *judge, const struct problem *problem,
                          const char *const *changes, size_t count)
{
    for (size_t c = 0; c < count; c++)
        check_schedule(judge, problem, changes[c]);
}

static void check_schedules(struct judge *judge, const struct strbuf *text, const char *name)
{
    struct problem problem = {0};
    struct error err = {0};

    if (problem_parse(&problem, strbuf_cstr(text), text->len, name, &err) ||
        judge_load(judge, strbuf_cstr(text), text->len, name, &err))
        fail_msg("%s\n%s", err.text, strbuf_cstr(text));
    if (device_of(judge)->is_cpu) {
        check_changes(judge, &problem, cpu_changes, CPU_CHANGE_COUNT);
    } else {
        check_changes(judge, &problem, gpu_changes, GPU_CHANGE_COUNT);
        if (problem.tolerance.allows_mixed)
            check_changes(judge, &problem, matrix_changes, MATRIX_CHANGE_COUNT);
    }
    problem_release(&problem);
}

static void every_family_is_right_under_every_schedule(void **state)
{
    for (size_t p = 0; p < sizeof(problems) / sizeof(*problems); p++) {
        struct strbuf path = {0}, text = {0};
        struct error err = {0};

        strbuf_addf(&path, KFORGE_SOURCE_DIR "/tests/%s.json", problems[p]);
        if (file_read(strbuf_cstr(&path), 1 << 20, &text, &err))
            fail_msg("%s", err.text);
        check_schedules(*state, &text, problems[p]);
        strbuf_release(&text);
        strbuf_release(&path);
    }
}

enum { RANDOM_GRAPHS = 6 };

static void random_graphs_are_right_under_every_schedule(void **state)
{
    for (uint32_t seed = 1; seed <= RANDOM_GRAPHS; seed++) {
        struct strbuf text = {0};

        random_graph_write(seed, &text);
        check_schedules(*state, &text, "random graph");
        strbuf_release(&text);
    }
}

static bool has_device(void)
{
    struct device_list devices = {0};
    void *judge;
    bool is_there;

    start_judge(&judge);
    is_there = !judge_probe(judge, &devices, NULL) && devices.count > 0;
    device_list_release(&devices);
    end_judge(&judge);
    return is_there;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_is_right_under_every_schedule),
        cmocka_unit_test(random_graphs_are_right_under_every_schedule),
    };

    if (getenv("KFORGE_DEVICE") && !has_device()) {
        printf("no device %s: skipped\n", getenv("KFORGE_DEVICE"));
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, start_judge, end_judge);
}
