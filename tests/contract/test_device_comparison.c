/* Holds the comparison on the device against the comparison on the CPU. */
#include "tests/unit/unit.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/codegen/plain.h"
#include "core/judge/device_oracle/device_oracle.h"
#include "core/judge/timed_check.h"
#include "core/judge/tool_runs/tool_process.h"
#include "core/judge/tools/tool.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"

/*
 * Two outputs of different types. The logarithm of a negative number is NaN, and some of the
 * numbers are infinite in f16. There are more elements than work-items. On a GPU the first is large
 * enough to stay there, and the second is not.
 */
static const char outputs_problem[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [3, \"N\"],"
    "                   \"fill\": {\"normal\": [0, 30000]}},"
    "             \"a\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [3, \"N\"]},"
    "             \"b\": {\"role\": \"output\", \"dtype\": \"f16\", \"shape\": [3, \"N\"]}},"
    " \"graph\": [{\"op\": \"log\", \"in\": [\"x\"], \"out\": \"a\"},"
    "           {\"op\": \"cast\", \"in\": [\"x\"], \"out\": \"b\", \"dtype\": \"f16\"}]";

/* Columns around their means, and products with them: tolerances need two evaluations. */
static const char centred_problem[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [3, \"N\"],"
    "                   \"fill\": {\"normal\": [0, 30000]}},"
    "             \"a\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [3, \"N\"]},"
    "             \"b\": {\"role\": \"output\", \"dtype\": \"f16\", \"shape\": [3, \"N\"]},"
    "             \"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [3, 3],"
    "                   \"fill\": {\"uniform\": [0, 1]}}},"
    " \"graph\": [{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"m\", \"dim\": [0], \"keepdim\": "
    "true},"
    "           {\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"},"
    "           {\"op\": \"matmul\", \"in\": [\"w\", \"d\"], \"out\": \"a\"},"
    "           {\"op\": \"cast\", \"in\": [\"d\"], \"out\": \"b\", \"dtype\": \"f16\"}]";

enum { FEW = 24000, MANY = 400000 };

static bool is_gpu(const char *id)
{
    return id && strncmp(id, "opencl", 6) != 0;
}

static const char *executor_argv[] = {NULL, "--executor", NULL};

struct scene {
    struct problem problem;
    struct binding bindings[1];
    struct graph graph;
    struct expectation here; /* computed on the CPU */
};

/* What a test is about: a problem, and the class of its tolerance. */
struct scene_text {
    const char *problem, *class;
};

static const struct scene_text outputs_f32 = {outputs_problem, "f32"};
static const struct scene_text outputs_mixed = {outputs_problem, "mixed"};
static const struct scene_text centred_f32 = {centred_problem, "f32"};

static void open_scene(struct scene *s, const struct scene_text *of)
{
    struct expected_outputs_source source = {.problem = &s->problem};
    char text[2048];
    struct scope scope;
    struct error err;

    snprintf(text, sizeof(text),
             "{\"kforge\": 1, \"name\": \"outputs\", \"summary\": \"\", \"dims\": {\"N\": %d}, "
             "%s, \"tolerance\": {\"class\": \"%s\"}}",
             is_gpu(getenv("KFORGE_DEVICE")) ? MANY : FEW, of->problem, of->class);
    *s = (struct scene){.here = {.param_seed = 5, .input_seed = 6}};
    assert_int_equal(problem_parse(&s->problem, text, strlen(text), "p.json", &err), STATUS_OK);
    scope = problem_scope(&s->problem, 0, s->bindings);
    assert_int_equal(graph_build(&s->graph, &s->problem, &scope, &err), STATUS_OK);
    assert_int_equal(expected_outputs_make(&source, &s->graph, &s->here, &err), STATUS_OK);
}

static void close_scene(struct scene *s)
{
    expected_outputs_release(&s->graph, s->here.outputs);
    graph_release(&s->graph);
    problem_release(&s->problem);
}

/* Elements of an output: the expected ones, with 5 wrong ones if there are to be some. */
static void *make_got(const struct scene *s, size_t output, bool is_wrong)
{
    static const size_t places[] = {0, 30001, 47999, 65600, 71999};
    static const double numbers[] = {1e4, 70, -20, (double)NAN, (double)-INFINITY};
    const struct value *value = &s->graph.values.items[output];
    size_t count = (size_t)shape_elements(&value->shape), size = dtype_bytes(value->dtype);
    const float *expected = s->here.outputs[output].elements;
    char *got = mem_alloc_zeroed(count, size);

    for (size_t i = 0; i < count; i++)
        dtype_from_double(value->dtype, &(double){(double)expected[i]}, got + i * size, 1);
    for (size_t i = 0; is_wrong && i < 5; i++)
        dtype_from_double(value->dtype, &numbers[i], got + places[i] * size, 1);
    return got;
}

static void assert_near(double a, double b, double relative)
{
    assert_true(a == b || fabs(a - b) <= relative * fabs(b));
}

static void assert_same(const struct trial *a, const struct trial *b)
{
    assert_int_equal(a->elements, b->elements);
    assert_int_equal(a->mismatched, b->mismatched);
    assert_int_equal(a->nonfinite, b->nonfinite);
    assert_near(a->max_abs, b->max_abs, 1e-6);
    assert_near(a->max_rel, b->max_rel, 1e-6);
    assert_near(a->rel_norm, b->rel_norm, 1e-6);
    assert_near(a->worst_over_tolerance, b->worst_over_tolerance, 1e-4);
    assert_int_equal(a->worst_count, b->worst_count);
    for (size_t i = 0; i < a->worst_count; i++)
        assert_int_equal(a->worst[i].rank, b->worst[i].rank);
    /* Errors that are not finite are equally large, so that their order is open. */
    for (size_t i = (size_t)a->nonfinite; i < a->worst_count; i++) {
        assert_int_equal(a->worst[i].index[0], b->worst[i].index[0]);
        assert_int_equal(a->worst[i].index[1], b->worst[i].index[1]);
        assert_near(a->worst[i].got, b->worst[i].got, 0);
        assert_near(a->worst[i].want, b->worst[i].want, 1e-6);
    }
}

/* Values are rounded up to three digits, on both sides. */
static void assert_same_map(const struct error_map *a, const struct error_map *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    for (size_t i = 0; i < a->rows * a->cols; i++)
        assert_near(a->cells[i], b->cells[i], 0.011);
}

static struct device_oracle *device;

static struct expected_comparison
of_output(const struct scene *s, const struct expectation *expected, size_t output, const void *got)
{
    return (struct expected_comparison){.problem = &s->problem,
                                        .graph = &s->graph,
                                        .expected = expected,
                                        .output = output,
                                        .got = got};
}

/* Compare the output on the device and on the CPU. Returns whether it passes. */
static bool hold(const struct scene *s, const struct expectation *there, size_t output,
                 const void *got)
{
    const struct expected_comparison here = of_output(s, &s->here, output, got);
    const struct expected_comparison deferred = of_output(s, there, output, got);
    struct trial by_host = {.seed_id = 3}, by_device = {.seed_id = 3};
    struct error_map maps[2] = {{0}, {0}};
    bool passes;
    struct error err;

    assert_int_equal(expected_outputs_compare(&here, &by_host, &maps[0], &err), STATUS_OK);
    if (there->deferred.compare(there->deferred.data, &deferred, &by_device, &maps[1], &err))
        fail_msg("%s", err.text);
    assert_same(&by_device, &by_host);
    assert_int_equal(by_device.seed_id, 3);
    assert_same_map(&maps[1], &maps[0]);
    passes = verify_passes(&by_device, &s->problem.tolerance);
    error_map_release(&maps[0]);
    error_map_release(&maps[1]);
    return passes;
}

static uint64_t digest_of(const struct scene *s, const struct expectation *there, size_t output,
                          const void *got)
{
    const struct expected_comparison comparison = of_output(s, there, output, got);
    uint64_t digest = 0;
    struct error err;

    if (expected_outputs_digest(&comparison, &digest, &err))
        fail_msg("%s", err.text);
    return digest;
}

/* The index of an element whose bits differ from those of the first. */
static size_t find_other(const char *elements, size_t count, size_t size)
{
    size_t i = 1;

    while (i < count && memcmp(elements, elements + i * size, size) == 0)
        i++;
    assert_true(i < count);
    return i;
}

/* One bit, and the order of two elements, change a digest; a repetition does not. */
static void assert_digests_tell_bits(const struct scene *s, const struct expectation *there,
                                     size_t output)
{
    const struct value *value = &s->graph.values.items[output];
    size_t count = (size_t)shape_elements(&value->shape), size = dtype_bytes(value->dtype);
    char *got = make_got(s, output, false), *last = got + (count - 1) * size, *other;
    char first[sizeof(double)];
    uint64_t digest = digest_of(s, there, output, got);

    assert_true(digest == digest_of(s, there, output, got));
    *last ^= 1;
    assert_true(digest != digest_of(s, there, output, got));
    *last ^= 1;
    assert_true(digest == digest_of(s, there, output, got));
    other = got + find_other(got, count, size) * size;
    memcpy(first, got, size);
    memcpy(got, other, size);
    memcpy(other, first, size);
    assert_true(digest != digest_of(s, there, output, got));
    free(got);
}

static void finds_what_the_cpu_finds(void **state)
{
    struct scene s;
    struct error err;

    open_scene(&s, *state);
    struct expected_outputs_source source = {.problem = &s.problem,
                                             .device = {device_oracle_expect, device_oracle_compare,
                                                        device_oracle_digest,
                                                        device_oracle_look_ahead, device, true}};
    struct expectation there = {.param_seed = 5, .input_seed = 6};

    assert_int_equal(expected_outputs_make(&source, &s.graph, &there, &err), STATUS_OK);
    assert_null(there.outputs);
    assert_true(there.compare_us > 0);
    device_oracle_allow(device, 1e8);
    /* what is computed ahead is for other data first, whose params are not those in place */
    const struct expectation other = {.param_seed = 5, .input_seed = 7},
                             renewed = {.param_seed = 8, .input_seed = 6};

    there.deferred.look_ahead(device, &s.problem, &s.graph,
                              &(struct expectation_list){{&renewed, &other}, 2});
    there.deferred.look_ahead(device, &s.problem, &s.graph,
                              &(struct expectation_list){{&other}, 1});
    for (size_t output = 1; output <= 2; output++) {
        void *right = make_got(&s, output, false), *wrong = make_got(&s, output, true);

        assert_digests_tell_bits(&s, &there, output);
        assert_true(hold(&s, &there, output, right));
        there.deferred.look_ahead(device, &s.problem, &s.graph,
                                  &(struct expectation_list){{&other, &there}, 2});
        assert_false(hold(&s, &there, output, wrong));
        free(right);
        free(wrong);
    }
    device_oracle_rest(device);
    close_scene(&s);
}

/* Run the plain kernels on the data of the scene, in an executor of their own. */
static struct executor *run_plain(struct scene *s, const struct executor_options *options)
{
    struct executor *executor = executor_new(options);
    const struct executor_run run = {.input_seed = 6, .with_prepare = true, .param_seed = 5};
    struct scope scope = problem_scope(&s->problem, 0, s->bindings);
    struct executor_load load = {.slot = SLOT_CANDIDATE};
    struct executor_build build = {0};
    struct executor_times times = {0};
    const struct device_info *info;
    struct candidate plain = {0};
    struct dispatch dispatch = {0};
    struct plan plan = {0};
    struct error err;

    assert_int_equal(executor_device(executor, &info, &err), STATUS_OK);
    assert_int_equal(
        plain_candidate(&s->problem, &(struct plain_target){info->language, false}, &plain, &err),
        STATUS_OK);
    assert_int_equal(plan_parse(&plan, plain.plan, strlen(plain.plan), &err), STATUS_OK);
    assert_int_equal(plan_resolve(&plan, &s->graph, &scope, &dispatch, &err), STATUS_OK);
    load.source = plain.source;
    load.dispatch = &dispatch;
    assert_int_equal(executor_set_tensors(executor, &s->problem, &s->graph, &err), STATUS_OK);
    assert_int_equal(executor_load(executor, &load, &build, &err), STATUS_OK);
    assert_int_equal(executor_run(executor, &run, &times, &err), STATUS_OK);
    executor_build_release(&build);
    dispatch_release(&dispatch);
    plan_release(&plan);
    candidate_release(&plain);
    return executor;
}

/*
 * A run is repeated on the same inputs, with poisoned outputs, until the judge asks for the times;
 * what is collected then is the last one's.
 */
static void repeats_a_run_until_it_is_asked_for_the_times(void **state)
{
    const struct device_oracle_options *options = *state;
    const struct executor_repeat repeat = {SLOT_CANDIDATE, POISON_NAN, 2000};
    struct repeat_times times = {0};
    struct executor_times again = {0};
    struct scene s;
    struct error err;
    size_t bytes;

    open_scene(&s, &outputs_f32);
    struct executor *executor = run_plain(&s, &options->executor);
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
    close_scene(&s);
}

/*
 * Compare an output of the executor on the device, in place where it has not been copied. Returns
 * its digest.
 */
static uint64_t assert_passes(const struct scene *s, const struct executor *executor, size_t output)
{
    const struct expectation there = {.param_seed = 5, .input_seed = 6};
    size_t bytes;
    struct expected_comparison comparison = of_output(
        s, &there, output, executor_allocation(executor, 0, output, &bytes) + BUFFER_GUARD_BYTES);
    struct trial trial = {0};
    uint64_t digest = 0;
    struct error err;

    comparison.handle = executor_handle(executor, output);
    if (device_oracle_digest(device, &comparison, &digest, &err) ||
        device_oracle_compare(device, &comparison, &trial, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(trial.elements, shape_elements(&s->graph.values.items[output].shape));
    assert_true(verify_passes(&trial, &s->problem.tolerance));
    return digest;
}

/* Large outputs stay on a device whose driver lets another process read them. */
static void compares_outputs_in_place(void **state)
{
    const struct device_oracle_options *options = *state;
    bool has_handles = is_gpu(options->executor.device);
    struct scene s;
    struct error err;

    open_scene(&s, &outputs_f32);
    struct executor *executor = run_plain(&s, &options->executor);

    assert_int_equal(executor_collect_in_place(executor, 0, &err), STATUS_OK);
    assert_int_equal(executor_handle(executor, 1) != NULL, has_handles);
    assert_null(executor_handle(executor, 2)); /* half as large */
    uint64_t in_place = assert_passes(&s, executor, 1);

    assert_passes(&s, executor, 2);
    assert_int_equal(executor_fetch(executor, 0, &err), STATUS_OK);
    assert_null(executor_handle(executor, 1));
    assert_true(assert_passes(&s, executor, 1) == in_place);
    assert_int_equal(executor_collect_in_place(executor, 0, &err), STATUS_OK);
    assert_null(executor_handle(executor, 1)); /* they could not be read in place once */
    executor_free(executor);
    device_oracle_rest(device);
    close_scene(&s);
}

/* A process that was taken over may send any handle: it is refused, and the oracle goes on. */
static void refuses_forged_handles(void **state)
{
    static const char *const forged[] = {"", "AAAA", "not base64!"};
    const struct expectation there = {.param_seed = 5, .input_seed = 6};
    struct scene s;

    (void)state;
    open_scene(&s, &outputs_f32);
    for (size_t i = 0; i < sizeof(forged) / sizeof(*forged); i++) {
        struct expected_comparison comparison = of_output(&s, &there, 1, NULL);
        struct trial trial = {.seed_id = 3};
        struct error err;

        comparison.handle = forged[i];
        assert_int_not_equal(device_oracle_compare(device, &comparison, &trial, NULL, &err),
                             STATUS_OK);
        assert_int_equal(trial.elements, 0);
    }
    device_oracle_rest(device);
    close_scene(&s);
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
    const struct device_oracle_options *options = *state;
    const struct dispatch nothing = {0};
    struct scene s;

    open_scene(&s, &outputs_f32);
    struct executor *executor = run_plain(&s, &options->executor);
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
    close_scene(&s);
}

static enum status refuse(void *data, const struct expected_comparison *comparison,
                          struct trial *trial, struct error_map *map, struct error *err)
{
    (void)comparison;
    (void)trial;
    (void)map;
    ++*(unsigned *)data;
    return error_set(err, STATUS_UNAVAILABLE, "the device has no room");
}

/* A device that computed deferred outputs once, and then cannot. */
static void falls_back_to_the_cpu(void **state)
{
    unsigned calls = 0;
    const struct expectation there = {
        .param_seed = 5, .input_seed = 6, .deferred = {.compare = refuse, .data = &calls}};
    struct scene s;
    struct error err;

    (void)state;
    open_scene(&s, &outputs_f32);
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        void *got = make_got(&s, 1, is_wrong);
        const struct expected_comparison comparison = of_output(&s, &there, 1, got);
        struct trial trial = {0};

        assert_int_equal(expected_outputs_compare(&comparison, &trial, NULL, &err), STATUS_OK);
        assert_int_equal(verify_passes(&trial, &s.problem.tolerance), !is_wrong);
        free(got);
    }
    assert_int_equal(calls, 2);
    close_scene(&s);
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
    struct device_oracle_options *options = *state;
    char *folder = tool_folder_new(NULL), *file = file_join(folder, "starts"), *starts;
    const char *const tool[] = {"/bin/sh", "-c", "echo start >>$0; exec \"$@\"", file, NULL};
    const struct tool_process_spec spec = {
        .executor = &options->executor, .tool = tool, .device = options->executor.device};
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
    const char *id = getenv("KFORGE_DEVICE");
    const struct device_oracle_options options = {
        .executor = {.argv = executor_argv,
                     .device = id,
                     .build_limit_us = 120000000,
                     .run_limit_us = 60000000},
        .build = is_gpu(id) ? NULL : "-cl-opt-disable",
        .compares_bytes = 1,
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(finds_what_the_cpu_finds, (void *)(uintptr_t)&outputs_f32),
        cmocka_unit_test_prestate(finds_what_the_cpu_finds, (void *)(uintptr_t)&outputs_mixed),
        cmocka_unit_test_prestate(finds_what_the_cpu_finds, (void *)(uintptr_t)&centred_f32),
        cmocka_unit_test_prestate(compares_outputs_in_place, (void *)(uintptr_t)&options),
        cmocka_unit_test_prestate(a_tool_is_started_before_it_is_needed,
                                  (void *)(uintptr_t)&options),
        cmocka_unit_test_prestate(runs_are_compared_with_a_verified_one,
                                  (void *)(uintptr_t)&options),
        cmocka_unit_test(refuses_forged_handles),
        cmocka_unit_test(falls_back_to_the_cpu),
        cmocka_unit_test_prestate(repeats_a_run_until_it_is_asked_for_the_times,
                                  (void *)(uintptr_t)&options),
    };
    int failed;

    executor_argv[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    device = device_oracle_new(&options);
    failed = cmocka_run_group_tests_name("device_comparison", tests, NULL, NULL);
    device_oracle_free(device);
    return failed;
}
