#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/vec.h"
#include "core/judge/oracle/fill.h"
#include "tests/contract/device_fixture.h"

/*
 * Tests of every back end against core/judge/device/backend.h, on every device of this machine.
 * test_contents.c tests the promises about buffers.
 */

static char scale[] = "scale", place[] = "place", reverse[] = "reverse", numbers[] = "numbers",
            stray[] = "stray", missing[] = "missing", step[] = "step";

static void describes_the_device(void **state)
{
    const struct device_fixture *s = *state;
    struct json *json = device_info_encode(s->info);
    struct json_ref root = json_ref_root(json, "device");
    struct device_info read = {0};
    struct strbuf id = {0};

    strbuf_addf(&id, "%s:%zu", s->ops->name, s->index);
    assert_int_equal(device_info_decode(&read, &root, NULL), STATUS_OK);
    assert_string_equal(read.id, id.data);
    assert_true(*read.name && *read.platform);
    assert_string_equal(read.language, s->info->language);
    assert_int_equal(read.is_cpu, s->info->is_cpu);
    assert_true(read.compute_units > 0 && read.max_work_group > 0 && read.local_bytes > 0);
    assert_true(read.memory_bytes >= read.max_buffer_bytes && read.max_buffer_bytes > 0);
    device_info_release(&read);
    strbuf_release(&id);
    json_free(json);
}

static void does_not_open_a_missing_device(void **state)
{
    const struct device_fixture *s = *state;
    struct device *device = NULL;
    struct error err = {0};

    assert_int_equal(s->ops->open(s->device_count, &device, &err), STATUS_UNAVAILABLE);
    assert_null(device);
}

static void a_broken_source_is_a_diagnostic(void **state)
{
    const struct device_fixture *s = *state;
    const struct program_source source = {.text = s->sources->broken, .options = ""};
    struct error err = {0};
    struct verdict verdict = {0};
    struct program *program = NULL;
    const struct diagnostic *first;

    assert_ok(s->ops->build(s->device, &source, &program, &verdict.build, &err), &err);
    assert_null(program);
    assert_int_equal(verdict.build.diagnostics.count, 1);
    first = verdict.build.diagnostics.items;
    assert_int_equal(first->severity, SEVERITY_ERROR);
    assert_int_equal(first->line, 3);
    assert_int_equal(first->column, 12);
    assert_non_null(strstr(first->text, s->sources->broken_text));
    assert_non_null(strstr(verdict.build.log, first->text));
    verdict_release(&verdict);
}

static void a_warning_is_a_diagnostic(void **state)
{
    const struct device_fixture *s = *state;
    const struct program_source source = {.text = s->sources->careless, .options = ""};
    struct error err = {0};
    struct verdict verdict = {0};
    struct program *program = NULL;

    assert_ok(s->ops->build(s->device, &source, &program, &verdict.build, &err), &err);
    assert_non_null(program);
    assert_int_equal(verdict.build.diagnostics.count, 1);
    assert_int_equal(verdict.build.diagnostics.items[0].severity, SEVERITY_WARNING);
    assert_int_equal(verdict.build.diagnostics.items[0].line, 2);
    s->ops->program_free(program);
    verdict_release(&verdict);
}

static void an_unknown_option_is_a_diagnostic(void **state)
{
    const struct device_fixture *s = *state;
    const struct program_source source = {.text = s->sources->kernels, .options = "-nonsense"};
    struct error err = {0};
    struct verdict verdict = {0};
    struct program *program = NULL;

    assert_ok(s->ops->build(s->device, &source, &program, &verdict.build, &err), &err);
    assert_null(program);
    assert_true(verdict.build.diagnostics.count > 0);
    assert_non_null(strstr(verdict.build.diagnostics.items[0].text, "-nonsense"));
    verdict_release(&verdict);
}

static void assert_requires_groups(const struct resource_list *list)
{
    const struct kernel_resources *found = device_fixture_resources(list, "demanding");

    assert_int_equal(found->required_rank, 3);
    assert_int_equal(found->required_group[0], 16);
    assert_true(!found->has_local || found->local_bytes >= 64);
}

static void tells_what_each_kernel_uses(void **state)
{
    const struct device_fixture *s = *state;
    struct program *program = device_fixture_kernels(s);
    struct resource_list list = {0};
    struct error err = {0};
    const struct kernel_resources *found;

    assert_ok(s->ops->resources(program, &list, &err), &err);
    found = device_fixture_resources(&list, "scale");
    assert_in_range(found->max_group, 1, s->info->max_work_group);
    assert_int_equal(found->required_rank, 0);
    if (s->sources->states_groups)
        assert_requires_groups(&list);
    resource_list_release(&list);
    s->ops->program_free(program);
}

/* A kernel that declares no local memory is reported to use none. */
static void no_local_memory_is_none(void **state)
{
    const struct device_fixture *s = *state;
    const struct program_source source = {.text = s->sources->careless, .options = ""};
    struct error err = {0};
    struct build_report report = {0};
    struct program *program = NULL;
    struct resource_list list = {0};

    assert_ok(s->ops->build(s->device, &source, &program, &report, &err), &err);
    assert_ok(s->ops->resources(program, &list, &err), &err);
    assert_int_equal(list.count, 1);
    assert_true(!list.items[0].has_local || list.items[0].local_bytes == 0);
    resource_list_release(&list);
    build_report_release(&report);
    s->ops->program_free(program);
}

static void runs_with_buffers_and_numbers(void **state)
{
    enum { N = 1000 };
    const struct device_fixture *s = *state;
    const struct value value = row_value(DTYPE_F32, N, (struct fill){FILL_UNIFORM, -1, 1});
    struct program *program = device_fixture_kernels(s);
    struct buffer *buffers[] = {device_fixture_poisoned(s, N * sizeof(float)),
                                device_fixture_filled(s, &value)};
    struct launch launch = {
        .kernel = scale,
        .rank = 1,
        .global = {1024},
        .local = {64},
        .arg_count = 4,
        .args = {{BUFFER(0)}, {BUFFER(1)}, {FLOAT(0.5)}, {INTEGER(N)}},
    };
    float x[N], want[N];

    fill_make(&value, FIXTURE_SEED, FIXTURE_STREAM, x);
    for (size_t i = 0; i < N; i++)
        want[i] = 0.5F * x[i];
    device_fixture_assert_runs(s, program, &launch, buffers);
    device_fixture_assert_contents(s, buffers[0], want, sizeof(want));
    device_fixture_assert_contents(s, buffers[1], x, sizeof(x));
    s->ops->buffer_free(buffers[0]);
    s->ops->buffer_free(buffers[1]);
    s->ops->program_free(program);
}

static void runs_in_each_rank(void **state)
{
    enum { WIDTH = 8, HEIGHT = 6, DEPTH = 4, N = WIDTH * HEIGHT * DEPTH };
    const struct device_fixture *s = *state;
    struct program *program;

    if (!s->sources->has_groups)
        return;
    program = device_fixture_kernels(s);
    for (unsigned rank = 1; rank <= LAUNCH_MAX_RANK; rank++) {
        struct launch launch = {
            .kernel = place,
            .rank = rank,
            .global = {WIDTH, rank > 1 ? HEIGHT : 1, rank > 2 ? DEPTH : 1},
            .local = {4, rank > 1 ? 3 : 1, rank > 2 ? 2 : 1},
            .arg_count = 1,
            .args = {{BUFFER(0)}},
        };
        size_t count = launch.global[0] * launch.global[1] * launch.global[2];
        struct buffer *buffer = device_fixture_poisoned(s, count * sizeof(int32_t));
        int32_t want[N];

        for (int32_t i = 0; i < (int32_t)count; i++)
            want[i] = 3 * (i % WIDTH + 100 * (i / WIDTH % HEIGHT) + 10000 * (i / WIDTH / HEIGHT));
        device_fixture_assert_runs(s, program, &launch, &buffer);
        device_fixture_assert_contents(s, buffer, want, count * sizeof(int32_t));
        s->ops->buffer_free(buffer);
    }
    s->ops->program_free(program);
}

static void assert_places(const struct device_fixture *s, struct program *program)
{
    static const int32_t want[] = {0, 3, 6, 9};
    struct launch launch = {.kernel = place,
                            .rank = 1,
                            .global = {4},
                            .local = {4},
                            .arg_count = 1,
                            .args = {{BUFFER(0)}}};
    struct buffer *buffer = device_fixture_poisoned(s, sizeof(want));

    device_fixture_assert_runs(s, program, &launch, &buffer);
    device_fixture_assert_contents(s, buffer, want, sizeof(want));
    s->ops->buffer_free(buffer);
}

static void assert_loads(const struct device_fixture *s, const struct binary *binary,
                         bool is_cached)
{
    const struct program_source source = {s->sources->kernels, s->sources->options, binary, NULL};
    struct build_report report = {0};
    struct program *program = NULL;
    struct error err = {0};

    assert_ok(s->ops->build(s->device, &source, &program, &report, &err), &err);
    assert_int_equal(report.is_cached, is_cached);
    if (is_cached)
        assert_string_equal(report.log, binary->log);
    assert_places(s, program);
    build_report_release(&report);
    s->ops->program_free(program);
}

/* A binary that the driver rejects is compiled again. */
static void a_cached_binary_is_loaded(void **state)
{
    const struct device_fixture *s = *state;
    struct program *program = device_fixture_kernels(s);
    struct binary binary = {0};
    struct error err = {0};
    enum status st;

    assert_places(s, program);
    st = s->ops->binary(program, &binary, &err);
    s->ops->program_free(program);
    if (st == STATUS_UNAVAILABLE && !s->info->is_cpu)
        return; /* the driver keeps its own cache of binaries */
    assert_ok(st, &err);
    assert_loads(s, NULL, false);
    free(binary.log);
    binary.log = mem_strdup("the compiler's remarks");
    assert_loads(s, &binary, true);
    binary.machine.len = 0;
    strbuf_adds(&binary.machine, "no machine code");
    assert_loads(s, &binary, false);
    binary_release(&binary);
}

static void lets_the_driver_choose_the_group(void **state)
{
    const struct device_fixture *s = *state;
    struct program *program = device_fixture_kernels(s);
    struct buffer *buffer = device_fixture_poisoned(s, 4 * sizeof(int32_t));
    struct launch launch = {
        .kernel = place, .rank = 1, .global = {4}, .arg_count = 1, .args = {{BUFFER(0)}}};

    device_fixture_assert_runs(s, program, &launch, &buffer);
    device_fixture_assert_contents(s, buffer, (const int32_t[]){0, 3, 6, 9}, 4 * sizeof(int32_t));
    s->ops->buffer_free(buffer);
    s->ops->program_free(program);
}

static void passes_numbers_of_each_width(void **state)
{
    static const int64_t want[] = {-5000000000, -7, 10};
    const struct device_fixture *s = *state;
    struct program *program = device_fixture_kernels(s);
    struct buffer *buffer = device_fixture_poisoned(s, sizeof(want));
    struct launch launch = {
        .kernel = numbers,
        .rank = 1,
        .global = {1},
        .local = {1},
        .arg_count = 4,
        .args = {{BUFFER(0)}, {LONG(-5e9)}, {INTEGER(-7)}, {FLOAT(2.5)}},
    };

    device_fixture_assert_runs(s, program, &launch, &buffer);
    device_fixture_assert_contents(s, buffer, want, sizeof(want));
    s->ops->buffer_free(buffer);
    s->ops->program_free(program);
}

/* A launch that reverses each group of `items` elements; a group shares `bytes` of local memory. */
static struct launch reverse_launch(const struct device_fixture *s, size_t items, int64_t bytes)
{
    struct launch launch = {.kernel = reverse, .rank = 1, .arg_count = 1, .args = {{BUFFER(0)}}};

    launch.global[0] = launch.local[0] = items;
    if (!s->sources->has_groups)
        return launch;
    if (s->sources->has_local_arguments)
        launch.args[launch.arg_count++] = (struct launch_arg){LOCAL(bytes)};
    else
        launch.shared = bytes;
    return launch;
}

/* Reversing twice restores the data: the second launch reads the first one's result. */
static void launches_run_in_order(void **state)
{
    enum { GROUP = 16, N = 4 * GROUP };
    const struct device_fixture *s = *state;
    const struct value value = row_value(DTYPE_I32, N, (struct fill){FILL_INTEGERS, 0, 1000});
    struct program *program = device_fixture_kernels(s);
    struct buffer *buffer = device_fixture_filled(s, &value);
    struct launch launch = reverse_launch(s, GROUP, GROUP * sizeof(int32_t));
    struct launch both[2];
    struct launch_list list = {.items = both, .count = 2};
    double each_us[2] = {0};
    struct run_times times = {.each_us = each_us}, whole = {0};
    struct error err = {0};
    int32_t x[N], reversed[N];

    launch.global[0] = N;
    device_fixture_fit(s, &launch);
    both[0] = both[1] = launch;
    fill_make(&value, FIXTURE_SEED, FIXTURE_STREAM, x);
    for (size_t i = 0; i < N; i++)
        reversed[i] = x[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    assert_ok(s->ops->run(program, &list, &buffer, &times, &err), &err);
    device_fixture_assert_contents(s, buffer, x, sizeof(x));
    assert_true(each_us[0] > 0 && each_us[1] > 0);
    assert_true(times.span_us >= each_us[0] + each_us[1]);
    assert_ok(s->ops->run(program, &list, &buffer, &whole, &err), &err);
    assert_true(whole.span_us > 0);
    assert_ok(s->ops->step(program, &list, &buffer, &err), &err);
    device_fixture_assert_contents(s, buffer, x, sizeof(x));
    device_fixture_assert_runs(s, program, &launch, &buffer);
    device_fixture_assert_contents(s, buffer, reversed, sizeof(reversed));
    s->ops->buffer_free(buffer);
    s->ops->program_free(program);
}

static void a_stray_write_is_in_the_guard(void **state)
{
    enum { N = 5 };
    const struct device_fixture *s = *state;
    static const int32_t places[] = {-1, N};
    struct program *program = device_fixture_kernels(s);

    for (size_t i = 0; i < 2; i++) {
        struct buffer *buffer = device_fixture_poisoned(s, N * sizeof(int32_t));
        struct launch launch = {
            .kernel = stray,
            .rank = 1,
            .global = {1},
            .local = {1},
            .arg_count = 2,
            .args = {{BUFFER(0)}, {INTEGER(places[i])}},
        };
        unsigned char *allocation;
        int32_t written = 0;

        device_fixture_assert_runs(s, program, &launch, &buffer);
        allocation = device_fixture_read(s, buffer, N * sizeof(int32_t));
        memcpy(&written, allocation + BUFFER_GUARD_BYTES + places[i] * (ptrdiff_t)sizeof(written),
               sizeof(written));
        assert_int_equal(written, 7);
        free(allocation);
        s->ops->buffer_free(buffer);
    }
    s->ops->program_free(program);
}

static void refuses_sizes_that_do_not_fit(void **state)
{
    const struct device_fixture *s = *state;
    struct launch launch = {.kernel = place, .rank = 1, .arg_count = 1, .args = {{BUFFER(0)}}};

    launch.global[0] = launch.local[0] = s->info->max_work_group * 2;
    if (!s->sources->has_groups) {
        launch.rank = 2;
        device_fixture_assert_refused(s, &launch, s->sources->local_name);
        return;
    }
    device_fixture_assert_refused(s, &launch, "exceeds");
    launch.global[0] = 100;
    launch.local[0] = 64;
    device_fixture_assert_refused(s, &launch, "64 does not divide");
}

static void refuses_too_much_local_memory(void **state)
{
    const struct device_fixture *s = *state;
    struct launch launch = reverse_launch(s, 16, s->info->local_bytes + 4);

    if (!s->sources->has_groups)
        launch.shared = 4;
    device_fixture_assert_refused(s, &launch, s->sources->local_name);
}

static void a_built_in_function_names_no_kernel(void **state)
{
    const struct device_fixture *s = *state;
    const struct program_source source = {.text = "kernel void step() {}\n", .options = ""};
    const struct launch launch = {.kernel = step, .rank = 1, .global = {1}, .local = {1}};
    struct build_report report = {0};
    struct program *program = NULL;
    struct error err = {0};

    if (strcmp(s->sources->language, "opencl") != 0)
        skip();
    assert_ok(s->ops->build(s->device, &source, &program, &report, &err), &err);
    if (device_fixture_run(s, program, &launch, NULL, &err))
        assert_non_null(strstr(err.text, "step is a built-in function"));
    s->ops->program_free(program);
    build_report_release(&report);
}

/* The sources property that a faulty call needs to be detectable. */
enum need { NOTHING, LOCAL_ARGUMENTS, POINTERS, FLOATS };

static bool has(const struct kernel_sources *sources, enum need need)
{
    switch (need) {
    case LOCAL_ARGUMENTS:
        return sources->has_local_arguments;
    case POINTERS:
        return sources->tells_pointers;
    case FLOATS:
        return !sources->hides_floats;
    case NOTHING:
    default:
        return true;
    }
}

static void refuses_arguments_that_do_not_fit(void **state)
{
    static const struct {
        const char *saying;
        char *kernel;
        size_t count;
        struct launch_arg args[4];
        enum need need;
    } calls[] = {
        {"takes 4", scale, 2, {{BUFFER(0)}, {BUFFER(1)}}, NOTHING},
        {"takes 1", place, 2, {{BUFFER(0)}, {INTEGER(3)}}, NOTHING},
        {"argument 2", scale, 4, {{BUFFER(0)}, {INTEGER(1)}, {FLOAT(2)}, {INTEGER(9)}}, NOTHING},
        {"argument 4", scale, 4, {{BUFFER(0)}, {BUFFER(1)}, {FLOAT(2)}, {BUFFER(0)}}, NOTHING},
        {"argument 2", numbers, 4, {{BUFFER(0)}, {INTEGER(1)}, {INTEGER(1)}, {FLOAT(1)}}, NOTHING},
        {"argument 2", numbers, 4, {{BUFFER(0)}, {BUFFER(1)}, {INTEGER(1)}, {FLOAT(1)}}, POINTERS},
        {"argument 1", place, 1, {{LONG(1)}}, POINTERS},
        {"argument 1", place, 1, {{LOCAL(8)}}, NOTHING},
        {"argument 2", reverse, 2, {{BUFFER(0)}, {BUFFER(1)}}, LOCAL_ARGUMENTS},
        {"argument 3", scale, 4, {{BUFFER(0)}, {BUFFER(1)}, {INTEGER(2)}, {INTEGER(9)}}, FLOATS},
        {"no kernel", missing, 0, {{0}}, NOTHING},
    };
    const struct device_fixture *s = *state;

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        struct launch launch = {
            .kernel = calls[i].kernel, .rank = 1, .global = {1}, .arg_count = calls[i].count};

        memcpy(launch.args, calls[i].args, sizeof(calls[i].args));
        if (has(s->sources, calls[i].need))
            device_fixture_assert_refused(s, &launch, calls[i].saying);
    }
}

static const struct CMUnitTest promises[] = {
    cmocka_unit_test(describes_the_device),
    cmocka_unit_test(does_not_open_a_missing_device),
    cmocka_unit_test(a_broken_source_is_a_diagnostic),
    cmocka_unit_test(a_warning_is_a_diagnostic),
    cmocka_unit_test(an_unknown_option_is_a_diagnostic),
    cmocka_unit_test(tells_what_each_kernel_uses),
    cmocka_unit_test(no_local_memory_is_none),
    cmocka_unit_test(runs_with_buffers_and_numbers),
    cmocka_unit_test(runs_in_each_rank),
    cmocka_unit_test(a_cached_binary_is_loaded),
    cmocka_unit_test(lets_the_driver_choose_the_group),
    cmocka_unit_test(passes_numbers_of_each_width),
    cmocka_unit_test(launches_run_in_order),
    cmocka_unit_test(a_stray_write_is_in_the_guard),
    cmocka_unit_test(refuses_sizes_that_do_not_fit),
    cmocka_unit_test(refuses_too_much_local_memory),
    cmocka_unit_test(refuses_arguments_that_do_not_fit),
    cmocka_unit_test(a_built_in_function_names_no_kernel),
};

int main(void)
{
    return device_fixture_test_all(promises, sizeof(promises) / sizeof(promises[0]));
}
