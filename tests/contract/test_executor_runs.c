/* Runs in an executor: repeated ones, timed ones that are checked, and an executor below a tool. */
#include "tests/contract/comparison_scene.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/judge/timing/timed_check.h"
#include "core/judge/tool_runs/tool_process.h"
#include "core/judge/tools/tool.h"
#include "core/system/file.h"

/*
 * A run is repeated on the same inputs, with poisoned outputs, until the judge asks for the times;
 * what is collected then is the last one's.
 */
static void repeats_a_run_until_it_is_asked_for_the_times(void **state)
{
    const struct executor_options *options = *state;
    const struct executor_repeat repeat = {SLOT_CANDIDATE, POISON_NAN, 2000};
    struct repeat_times times = {0};
    struct executor_times again = {0};
    struct scene s;
    struct error err;
    size_t bytes;

    scene_open(&s, &scene_outputs_f32);
    struct executor *executor = scene_run_plain(&s, options);
    const struct executor_run run = {.input_seed = 6};

    assert_int_equal(executor_collect(executor, 0, &err), STATUS_OK);
    assert_int_equal(executor_run(executor, &run, &again, &err), STATUS_OK);
    assert_int_equal(executor_repeat_run(executor, &repeat, &times, &err), STATUS_OK);
    assert_in_range(times.count, 1, REPEATS_MAX);
    for (size_t i = 0; i < times.count; i++)
        assert_true(times.items[i].span_us > 0);
    assert_int_equal(executor_collect(executor, 1, &err), STATUS_OK);
    for (size_t output = 1; output <= 2; output++) {
        const unsigned char *first = executor_allocation(executor, 0, output, &bytes);

        assert_memory_equal(executor_allocation(executor, 1, output, &bytes), first,
                            bytes + BUFFER_MARGINS_BYTES);
    }
    executor_free(executor);
    scene_close(&s);
}

/* The seeds of the runs that were verified against values computed at that moment. */
struct verified {
    uint64_t seed;
    size_t count;
};

static enum status note_verified(void *data, const struct sampled_run *run, struct error *err)
{
    struct verified *verified = data;

    (void)err;
    verified->seed = run->input_seed;
    verified->count++;
    return STATUS_OK;
}

/* Make a run of the candidate on data from `seed`, and check it as a secret timed run. */
static void check_secret(struct timed_checks *checks, const struct expectation *known,
                         uint64_t seed)
{
    struct executor *executor = checks->inspection->executor;
    const struct executor_run run = {.input_seed = seed};
    struct executor_times times = {0};
    struct error err;

    assert_int_equal(executor_run(executor, &run, &times, &err), STATUS_OK);
    if (timed_check_run(checks, CHECK_AGAIN, known, seed, &err))
        fail_msg("%s", err.text);
    assert_int_equal(checks->verdict->outcome, OUTCOME_NONE);
}

/*
 * After the last timed run further ones are compared where outputs stay on the device, however many
 * were before.
 */
static void assert_last_ones_follow(struct timed_checks *checks)
{
    size_t before = checks->references;

    assert_int_equal(timed_checks_finish(checks, NULL), STATUS_OK);
    assert_int_equal(checks->references, before);
    checks->reference_is_in_place = true;
    for (int i = 0; i < 2; i++) {
        before = checks->references;
        assert_int_equal(timed_checks_finish(checks, NULL), STATUS_OK);
        assert_in_range(checks->references, before + 6, before + 10);
    }
    checks->reference_is_in_place = false;
}

/*
 * Where the oracle is slow, runs on the data of a verified run have to leave its bits. The verified
 * outputs are changed in the end, so that a further run differs: then it is verified, on their
 * data.
 */
static void runs_are_compared_with_a_verified_one(void **state)
{
    enum { SECRETS = 14 };
    const struct executor_options *options = *state;
    const struct dispatch nothing = {0};
    struct scene s;

    scene_open(&s, &scene_outputs_f32);
    struct executor *executor = scene_run_plain(&s, options);
    static char text[] = "N";
    struct expectations_case shape = {.graph = s.graph, .text = text};
    const struct inspection inspection = {.executor = executor,
                                          .problem = &s.problem,
                                          .dispatch = &nothing,
                                          .shape = &shape,
                                          .param_seed = 5,
                                          .expected = &s.here};
    struct verdict verdict = {.outcome = OUTCOME_NONE};
    struct sampled_runs sample = sampled_runs_make(1, &inspection);
    struct verified verified = {0};
    int64_t aside_us = 0;
    struct timed_checks checks = {.inspection = &inspection,
                                  .verdict = &verdict,
                                  .sample = &sample,
                                  .most_different = 1,
                                  .verify = note_verified,
                                  .data = &verified,
                                  .aside_us = &aside_us};

    check_secret(&checks, &s.here, 6);
    for (uint64_t i = 0; i < SECRETS; i++)
        check_secret(&checks, NULL, 100 + i);
    assert_in_range(checks.references, 1, SECRETS);
    assert_last_ones_follow(&checks);
    assert_int_equal(verified.count, 0);
    *(unsigned char *)checks.reference.outputs[2] ^= 1;
    for (uint64_t i = 0; i < SECRETS && verified.count == 0; i++)
        check_secret(&checks, NULL, 200 + i);
    assert_int_equal(verified.count, 1);
    assert_int_equal(verified.seed, 6);
    timed_checks_release(&checks);
    sampled_runs_release(&sample);
    verdict_release(&verdict);
    executor_free(executor);
    scene_close(&s);
}

/* The tool of a test notes each start in a file, and then becomes the program. */
static char *text_of(const char *file)
{
    struct strbuf text = {0};

    if (file_read(file, 1 << 10, &text, NULL))
        strbuf_release(&text);
    return strbuf_take(&text);
}

static void a_tool_is_started_before_it_is_needed(void **state)
{
    struct executor_options *options = *state;
    char *folder = file_make_temporary_folder("kforge-tool-", NULL),
         *file = file_join(folder, "starts"), *starts;
    const char *const tool[] = {"/bin/sh", "-c", "echo start >>$0; exec \"$@\"", file, NULL};
    const struct tool_process_spec spec = {
        .executor = options, .tool = tool, .device = options->device};
    struct tool_process *process = tool_process_new(&spec);
    struct device_list devices = {0};
    struct error err;

    tool_process_begin(process);
    tool_process_settle(process);
    starts = text_of(file);
    assert_string_equal(starts, "start\n");
    free(starts);
    assert_int_equal(executor_probe(tool_process_executor(process), &devices, &err), STATUS_OK);
    starts = text_of(file);
    assert_string_equal(starts, "start\n");
    tool_process_free(process);
    device_list_release(&devices);
    tool_folder_free(folder);
    free(starts);
    free(file);
}

int main(void)
{
    static const char *argv[] = {NULL, "--executor", NULL};
    const struct executor_options options = {.argv = argv,
                                             .device = getenv("KFORGE_DEVICE"),
                                             .build_limit_us = 120000000,
                                             .run_limit_us = 60000000};
    void *state = (void *)(uintptr_t)&options;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_tool_is_started_before_it_is_needed, state),
        cmocka_unit_test_prestate(runs_are_compared_with_a_verified_one, state),
        cmocka_unit_test_prestate(repeats_a_run_until_it_is_asked_for_the_times, state),
    };

    argv[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("executor_runs", tests, NULL, NULL);
}
