#include "backends/bench.h"

#include "tests/unit/unit.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/device/backend.h"

/* A device with room for some buffers. */
struct device {
    size_t room, allocated;
};

struct buffer {
    struct device *device;
};

struct program {
    int unused;
};

static enum status buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                              struct error *err)
{
    if (device->allocated == device->room)
        return error_set(err, STATUS_UNAVAILABLE, "no room for %zu bytes", bytes);
    device->allocated++;
    *buffer = mem_alloc_zeroed(1, sizeof(**buffer));
    (*buffer)->device = device;
    return STATUS_OK;
}

static void buffer_free(struct buffer *buffer)
{
    buffer->device->allocated--;
    free(buffer);
}

static enum status buffer_poison(struct buffer *buffer, uint32_t word, struct error *err)
{
    (void)word;
    (void)err;
    assert_non_null(buffer);
    return STATUS_OK;
}

static enum status build(struct device *device, const struct program_source *source,
                         struct program **program, struct build_report *report, struct error *err)
{
    (void)device;
    (void)source;
    (void)report;
    (void)err;
    *program = mem_alloc_zeroed(1, sizeof(**program));
    return STATUS_OK;
}

static void program_free(struct program *program)
{
    free(program);
}

static void close_device(struct device *device)
{
    assert_int_equal(device->allocated, 0);
}

static const struct backend_ops ops = {
    .buffer_new = buffer_new,
    .buffer_free = buffer_free,
    .buffer_poison = buffer_poison,
    .build = build,
    .program_free = program_free,
    .close = close_device,
};

/* Give the bench tensors of one element, of which the last is an output. */
static enum status place(struct bench *bench, size_t count)
{
    struct tensor_sources sources = {.items = mem_alloc_zeroed(count, sizeof(*sources.items)),
                                     .count = count,
                                     .capacity = count};

    for (size_t i = 0; i < count; i++)
        sources.items[i].value = (struct value){.name = mem_strdup("t"), .role = TENSOR_INPUT};
    sources.items[count - 1].value.role = TENSOR_OUTPUT;
    return bench_set_tensors(bench, &sources, NULL);
}

/* Load a program with `scratch` buffers besides `tensors`. */
static enum status load(struct bench *bench, unsigned slot, size_t tensors, size_t scratch)
{
    size_t count = tensors + scratch;
    struct dispatch dispatch = {.options = mem_strdup(""), .tensor_count = tensors};

    dispatch.buffers.items = mem_alloc_zeroed(count, sizeof(*dispatch.buffers.items));
    dispatch.buffers.count = dispatch.buffers.capacity = count;
    for (size_t i = 0; i < count; i++)
        dispatch.buffers.items[i] = (struct buffer_spec){.name = mem_strdup("b"), .elements = 1};
    return bench_load(bench, &bench->slots[slot], &(struct bench_source){.text = ""}, &dispatch,
                      NULL);
}

static void FullDevice_KeepsNoTensors(void **state)
{
    struct device device = {.room = 2};
    struct bench bench = {.ops = &ops, .device = &device};

    (void)state;
    assert_int_equal(place(&bench, 3), STATUS_UNAVAILABLE);
    assert_int_equal(device.allocated, 0);
    assert_int_equal(load(&bench, SLOT_CANDIDATE, 3, 0), STATUS_INVALID);
    assert_int_equal(place(&bench, 2), STATUS_OK);
    assert_int_equal(load(&bench, SLOT_CANDIDATE, 2, 0), STATUS_OK);
    bench_release(&bench);
}

static void FullDevice_KeepsNoHalfOfAProgram(void **state)
{
    struct device device = {.room = 4};
    struct bench bench = {.ops = &ops, .device = &device};

    (void)state;
    assert_int_equal(place(&bench, 2), STATUS_OK);
    assert_int_equal(load(&bench, SLOT_CANDIDATE, 2, 1), STATUS_OK);
    assert_int_equal(load(&bench, SLOT_PLAIN, 2, 2), STATUS_UNAVAILABLE);
    assert_null(bench.slots[SLOT_PLAIN].buffers);
    assert_int_equal(device.allocated, 3);
    assert_non_null(bench.slots[SLOT_CANDIDATE].buffers);
    assert_int_equal(load(&bench, SLOT_PLAIN, 2, 1), STATUS_OK);
    bench_release(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(FullDevice_KeepsNoTensors),
        cmocka_unit_test(FullDevice_KeepsNoHalfOfAProgram),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
