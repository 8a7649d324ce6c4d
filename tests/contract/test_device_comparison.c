/* Holds the comparison on the device against the comparison on the CPU. */
#include "tests/contract/comparison_scene.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/device_oracle/device_oracle.h"
#include "tests/contract/judge_fixture.h"

static const char *executor_argv[] = {NULL, "--executor", NULL};

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

/* Compute ahead for one or two seeds. Returns how many were computed. */
static size_t look_ahead(const struct scene *s, const struct expectation *first,
                         const struct expectation *second)
{
    struct expectation_list next = {.items = {first, second}, .count = second ? 2 : 1};

    device_oracle_look_ahead(device, &s->problem, &s->graph, &next);
    return next.computed;
}

/* Nothing is computed ahead once the first output is about to be compared. */
static void computes_nothing_ahead_too_late(void **state)
{
    const struct expectation seeds = {.param_seed = 5, .input_seed = 6};
    const atomic_bool is_late = true;
    struct expectation_list next = {.items = {&seeds}, .count = 1, .is_late = &is_late};
    struct scene s;

    scene_open(&s, *state);
    device_oracle_allow(device, 1e8);
    device_oracle_look_ahead(device, &s.problem, &s.graph, &next);
    assert_int_equal(next.computed, 0);
    device_oracle_rest(device);
    scene_close(&s);
}

static void finds_what_the_cpu_finds(void **state)
{
    struct scene s;
    struct error err;

    scene_open(&s, *state);
    struct expected_outputs_source source = {
        .problem = &s.problem,
        .device = {device_oracle_expect, device_oracle_compare, device_oracle_digest,
                   device_oracle_look_ahead, device_oracle_load, device, true}};
    struct expectation there = {.param_seed = 5, .input_seed = 6};

    assert_int_equal(expected_outputs_make(&source, &s.graph, &there, &err), STATUS_OK);
    assert_null(there.outputs);
    assert_true(there.compare_us > 0);
    device_oracle_allow(device, 1e8);
    /* what is computed ahead is for other data first, whose params are not those in place */
    const struct expectation other = {.param_seed = 5, .input_seed = 7},
                             renewed = {.param_seed = 8, .input_seed = 6};

    assert_int_equal(look_ahead(&s, &renewed, &other), 2);
    assert_int_equal(look_ahead(&s, &other, NULL), 1);
    for (size_t output = 1; output <= 2; output++) {
        void *right = make_got(&s, output, false), *wrong = make_got(&s, output, true);

        assert_digests_tell_bits(&s, &there, output);
        assert_true(hold(&s, &there, output, right));
        assert_int_equal(look_ahead(&s, &other, &there), 2);
        assert_false(hold(&s, &there, output, wrong));
        free(right);
        free(wrong);
    }
    device_oracle_rest(device);
    scene_close(&s);
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
    bool has_handles = scene_is_on_gpu(options->executor.device);
    struct scene s;
    struct error err;

    scene_open(&s, &scene_outputs_f32);
    struct executor *executor = scene_run_plain(&s, &options->executor);

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
    scene_close(&s);
}

/* A process that was taken over may send any handle: it is refused, and the oracle goes on. */
static void refuses_forged_handles(void **state)
{
    static const char *const forged[] = {"", "AAAA", "not base64!"};
    const struct expectation there = {.param_seed = 5, .input_seed = 6};
    struct scene s;

    (void)state;
    scene_open(&s, &scene_outputs_f32);
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
    scene_close(&s);
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
    scene_open(&s, &scene_outputs_f32);
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        void *got = make_got(&s, 1, is_wrong);
        const struct expected_comparison comparison = of_output(&s, &there, 1, got);
        struct trial trial = {0};

        assert_int_equal(expected_outputs_compare(&comparison, &trial, NULL, &err), STATUS_OK);
        assert_int_equal(verify_passes(&trial, &s.problem.tolerance), !is_wrong);
        free(got);
    }
    assert_int_equal(calls, 2);
    scene_close(&s);
}

int main(void)
{
    const char *id = getenv("KFORGE_DEVICE");
    const struct device_oracle_options options = {
        .executor = {.argv = executor_argv,
                     .device = id,
                     .build_limit_us = 120000000,
                     .run_limit_us = 60000000},
        .build = judge_fixture_build_option(),
        .compares_bytes = 1,
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(finds_what_the_cpu_finds, (void *)(uintptr_t)&scene_outputs_f32),
        cmocka_unit_test_prestate(finds_what_the_cpu_finds,
                                  (void *)(uintptr_t)&scene_outputs_mixed),
        cmocka_unit_test_prestate(finds_what_the_cpu_finds, (void *)(uintptr_t)&scene_centred_f32),
        cmocka_unit_test_prestate(finds_what_the_cpu_finds, (void *)(uintptr_t)&scene_edges_f32),
        cmocka_unit_test_prestate(computes_nothing_ahead_too_late,
                                  (void *)(uintptr_t)&scene_outputs_f32),
        cmocka_unit_test_prestate(compares_outputs_in_place, (void *)(uintptr_t)&options),
        cmocka_unit_test(refuses_forged_handles),
        cmocka_unit_test(falls_back_to_the_cpu),
    };
    int failed;

    executor_argv[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    device = device_oracle_new(&options);
    failed = cmocka_run_group_tests_name("device_comparison", tests, NULL, NULL);
    device_oracle_free(device);
    return failed;
}
