#include "tests/contract/device_fixture.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/model/language.h"

void assert_ok(enum status st, const struct error *err)
{
    if (st)
        fail_msg("%s", err->text);
}

struct program *device_fixture_kernels(const struct device_fixture *s)
{
    const struct kernel_sources *sources = s->sources;
    const struct program_source source = {.text = sources->kernels, .options = sources->options};
    struct error err = {0};
    struct verdict verdict = {0};
    struct program *program = NULL;

    assert_ok(s->ops->build(s->device, &source, &program, &verdict.build, &err), &err);
    if (!program)
        fail_msg("%s", verdict.build.log);
    assert_true(verdict.build.is_present);
    assert_string_equal(verdict.build.options, sources->options);
    verdict_release(&verdict);
    return program;
}

struct buffer *device_fixture_poisoned(const struct device_fixture *s, size_t bytes)
{
    const struct buffer_poison poison = {UINT32_MAX, DEVICE_FIXTURE_GUARD};
    struct error err = {0};
    struct buffer *buffer = NULL;

    assert_ok(s->ops->buffer_new(s->device, bytes, &buffer, &err), &err);
    assert_ok(s->ops->buffer_poison(buffer, poison, &err), &err);
    return buffer;
}

struct value row_value(enum dtype dtype, size_t count, struct fill fill)
{
    return (struct value){
        .name = "x",
        .dtype = dtype,
        .shape = {.rank = 1, .dims = {(int64_t)count}},
        .fill = fill,
    };
}

struct buffer *device_fixture_filled(const struct device_fixture *s, const struct value *value)
{
    const struct contents contents = {value, FIXTURE_SEED, FIXTURE_STREAM};
    struct error err = {0};
    struct buffer *buffer = device_fixture_poisoned(s, (size_t)shape_elements(&value->shape) *
                                                           dtype_bytes(value->dtype));

    assert_ok(s->ops->buffer_fill(buffer, &contents, &err), &err);
    return buffer;
}

unsigned char *device_fixture_read(const struct device_fixture *s, struct buffer *buffer,
                                   size_t bytes)
{
    struct error err = {0};
    unsigned char *allocation = mem_alloc_zeroed(bytes + 2 * (size_t)BUFFER_GUARD_BYTES, 1);

    assert_ok(s->ops->buffer_read(buffer, allocation, &err), &err);
    return allocation;
}

static void assert_guard(const unsigned char *guard)
{
    for (size_t i = 0; i < BUFFER_GUARD_BYTES; i++)
        assert_int_equal(guard[i], DEVICE_FIXTURE_GUARD);
}

void device_fixture_assert_contents(const struct device_fixture *s, struct buffer *buffer,
                                    const void *want, size_t bytes)
{
    unsigned char *allocation = device_fixture_read(s, buffer, bytes);

    assert_guard(allocation);
    assert_memory_equal(allocation + BUFFER_GUARD_BYTES, want, bytes);
    assert_guard(allocation + BUFFER_GUARD_BYTES + bytes);
    free(allocation);
}

void device_fixture_fit(const struct device_fixture *s, struct launch *launch)
{
    if (s->sources && !s->sources->has_groups)
        memset(launch->local, 0, sizeof(launch->local));
}

enum status device_fixture_run(const struct device_fixture *s, struct program *program,
                               const struct launch *launch, struct buffer *const *buffers,
                               struct error *err)
{
    struct launch copy = *launch;
    struct launch_list list = {.items = &copy, .count = 1};
    double each_us = 0;
    struct run_times times = {.each_us = &each_us};
    enum status st;

    device_fixture_fit(s, &copy);
    st = s->ops->run(program, &list, buffers, &times, err);

    if (!st) {
        assert_true(each_us > 0);
        assert_true(times.span_us >= each_us);
    }
    return st;
}

void device_fixture_assert_runs(const struct device_fixture *s, struct program *program,
                                const struct launch *launch, struct buffer *const *buffers)
{
    struct error err = {0};

    assert_ok(device_fixture_run(s, program, launch, buffers, &err), &err);
}

/* The device confirms the contents, if its back end can check them. */
static void assert_held(const struct device_fixture *s, struct buffer *buffer,
                        const struct value *value)
{
    const struct contents contents = {value, FIXTURE_SEED, FIXTURE_STREAM};
    struct error err = {0};
    bool holds = false;
    enum status st = s->ops->buffer_holds(buffer, &contents, &holds, &err);

    if (st == STATUS_UNAVAILABLE)
        return;
    assert_ok(st, &err);
    assert_true(holds);
}

void device_fixture_assert_filled(const struct device_fixture *s, const struct value *value)
{
    size_t bytes = (size_t)shape_elements(&value->shape) * dtype_bytes(value->dtype);
    struct buffer *buffer = device_fixture_filled(s, value);
    void *want = mem_alloc_zeroed(bytes, 1);

    fill_make(value, FIXTURE_SEED, FIXTURE_STREAM, want);
    device_fixture_assert_contents(s, buffer, want, bytes);
    assert_held(s, buffer, value);
    free(want);
    s->ops->buffer_free(buffer);
}

const struct kernel_resources *device_fixture_resources(const struct resource_list *list,
                                                        const char *kernel)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].kernel, kernel) == 0)
            return &list->items[i];
    fail_msg("no resources of %s", kernel);
    return NULL;
}

void device_fixture_assert_refused(const struct device_fixture *s, const struct launch *launch,
                                   const char *saying)
{
    struct program *program = device_fixture_kernels(s);
    struct buffer *buffers[] = {device_fixture_poisoned(s, 4096), device_fixture_poisoned(s, 4096)};
    struct error err = {0};

    assert_int_equal(device_fixture_run(s, program, launch, buffers, &err), STATUS_INVALID);
    if (!strstr(err.text, launch->kernel) || !strstr(err.text, saying))
        fail_msg("\"%s\" does not name %s and \"%s\"", err.text, launch->kernel, saying);
    s->ops->buffer_free(buffers[0]);
    s->ops->buffer_free(buffers[1]);
    s->ops->program_free(program);
}

static int test_device(struct device_fixture *s, const struct CMUnitTest *tests, size_t count)
{
    struct CMUnitTest *with_subject;
    struct error err = {0};
    int failed;

    if (!s->sources) {
        fprintf(stderr, "%s: no test programs in %s\n", s->info->id, s->info->language);
        return 1;
    }
    if (s->ops->open(s->index, &s->device, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    with_subject = mem_alloc_zeroed(count, sizeof(*with_subject));
    for (size_t i = 0; i < count; i++) {
        with_subject[i] = tests[i];
        with_subject[i].initial_state = s;
    }
    failed = _cmocka_run_group_tests(s->info->id, with_subject, count, NULL, NULL);
    free(with_subject);
    s->ops->close(s->device);
    return failed;
}

static bool has_language(const char *device)
{
    for (const struct language *language = languages; language->name; language++)
        if (language->device && strcmp(language->device, device) == 0)
            return true;
    return false;
}

int device_fixture_test_backend(const struct backend_ops *ops, const struct CMUnitTest *tests,
                                size_t count, size_t *tested)
{
    struct device_list list = {0};
    struct error err = {0};
    int failed = 0;

    if (ops->probe(&list, &err)) {
        fprintf(stderr, "%s: %s\n", ops->name, err.text);
        failed = 1;
    }
    if (!has_language(ops->name)) {
        fprintf(stderr, "%s: no row in core/model/language.c\n", ops->name);
        failed = 1;
    }
    for (size_t i = 0; i < list.count; i++, (*tested)++) {
        struct device_fixture s = {
            .ops = ops,
            .index = i,
            .device_count = list.count,
            .info = &list.items[i],
            .sources = kernel_sources_find(list.items[i].language),
        };

        failed += test_device(&s, tests, count);
    }
    device_list_release(&list);
    return failed;
}

int device_fixture_test_all(const struct CMUnitTest *tests, size_t count)
{
    size_t tested = 0;
    int failed = 0;

    for (size_t i = 0; backend_list[i]; i++)
        if (!backend_list[i]->is_named) /* those need Python packages: e2e.triton tries them */
            failed += device_fixture_test_backend(backend_list[i], tests, count, &tested);
    if (tested == 0)
        fputs("no device to test on: install pocl-opencl-icd\n", stderr);
    return failed || tested == 0;
}
