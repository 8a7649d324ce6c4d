#include "backends/bench.h"

#include "tests/unit/unit.h"

#include <stdlib.h>

#include "backends/executor_answers.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/judge/device/backend.h"

/* A device with room for some buffers. */
struct device {
    size_t room, allocated;
    size_t fills, copies; /* number of calls */
    double free_bytes;
};

struct buffer {
    struct device *device;
    const unsigned char *set; /* what it was filled with */
    bool is_changed;          /* by a run */
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

static enum status buffer_poison(struct buffer *buffer, struct buffer_poison poison,
                                 struct error *err)
{
    (void)poison;
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

static enum status buffer_fill(struct buffer *buffer, const struct contents *contents,
                               struct error *err)
{
    const struct given *given = &contents->value->given;

    (void)err;
    buffer->device->fills++;
    buffer->set = given->bytes + contents->seed % given->count * given->stride;
    buffer->is_changed = false;
    return STATUS_OK;
}

static enum status buffer_copy(struct buffer *buffer, struct buffer *source, struct error *err)
{
    (void)err;
    buffer->device->copies++;
    buffer->set = source->set;
    buffer->is_changed = source->is_changed;
    return STATUS_OK;
}

static enum status buffer_digest(struct buffer *buffer, struct digest_key key, uint64_t *digest,
                                 struct error *err)
{
    (void)err;
    assert_int_not_equal(key.first, key.second);
    *digest = key.first + (uint64_t)(uintptr_t)buffer->set + key.second * buffer->is_changed;
    return STATUS_OK;
}

static double free_bytes(struct device *device)
{
    return device->free_bytes;
}

static const struct backend_ops copying_ops = {
    .buffer_new = buffer_new,
    .buffer_free = buffer_free,
    .buffer_poison = buffer_poison,
    .buffer_fill = buffer_fill,
    .buffer_copy = buffer_copy,
    .free_bytes = free_bytes,
    .buffer_digest = buffer_digest,
    .close = close_device,
};

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

static void a_full_device_keeps_no_tensors(void **state)
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

static void a_full_device_keeps_no_half_of_a_program(void **state)
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

/* A bench on a device with that much free memory, whose input of 8 MB has two sets in `sets`. */
static struct bench bench_of_sets(struct device *device, const unsigned char *sets,
                                  double free_bytes)
{
    struct bench bench = {.ops = &copying_ops, .device = device};
    struct tensor_sources sources = {
        .items = mem_alloc_zeroed(1, sizeof(*sources.items)), .count = 1, .capacity = 1};

    *device = (struct device){.room = 8, .free_bytes = free_bytes};
    sources.items[0].value = (struct value){.name = mem_strdup("x"),
                                            .role = TENSOR_INPUT,
                                            .dtype = DTYPE_F32,
                                            .shape = {.rank = 1, .dims = {1 << 21}},
                                            .fill = {.kind = FILL_MODEL},
                                            .given = {.bytes = sets, .stride = 1, .count = 2}};
    assert_int_equal(bench_set_tensors(&bench, &sources, NULL), STATUS_OK);
    return bench;
}

static void fill_inputs(struct bench *bench, uint64_t seed)
{
    const struct loaded none = {0};

    assert_int_equal(bench_renew_inputs(bench, &none, seed, 0, NULL), STATUS_OK);
}

/* Each set that a model has made is handed over once; runs after the first get a copy of it. */
static void sets_of_a_model_are_handed_over_once(void **state)
{
    static const unsigned char sets[2];
    struct device device;
    struct bench bench = bench_of_sets(&device, sets, 1e12);

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        fill_inputs(&bench, seed);
        assert_ptr_equal(bench.tensors[0]->set, sets + seed % 2);
    }
    assert_int_equal(device.fills, 2);
    assert_int_equal(device.copies, 2 + 4);
    assert_int_equal(device.allocated, 3);
    bench_release(&bench);
    assert_int_equal(device.allocated, 0);
}

/* True if the bench finds that the input is what the host made from the seed. */
static bool input_holds(struct bench *bench, uint64_t seed)
{
    const struct tensor_source *source = &bench->sources.items[0];
    const struct contents contents = {&source->value, seed, source->stream};
    const struct given_place place = {bench->ops, bench->device, bench->tensors[0]};
    bool holds = false;

    assert_int_equal(given_copies_hold(&bench->given[0], &place, &contents, &holds, NULL),
                     STATUS_OK);
    return holds;
}

/* A run may change the tensor, or the copy of which the next run gets its contents. */
static void changes_of_given_tensors_and_copies_are_found(void **state)
{
    static const unsigned char sets[2];
    struct device device;
    struct bench bench = bench_of_sets(&device, sets, 1e12);

    (void)state;
    fill_inputs(&bench, 0);
    assert_true(input_holds(&bench, 0));
    bench.tensors[0]->is_changed = true;
    assert_false(input_holds(&bench, 0));
    fill_inputs(&bench, 2);
    assert_true(input_holds(&bench, 2));
    bench.given[0].sets[0].buffer->is_changed = true;
    fill_inputs(&bench, 4);
    assert_false(input_holds(&bench, 4));
    fill_inputs(&bench, 1);
    assert_true(input_holds(&bench, 1));
    bench_release(&bench);
}

/* Without much free memory there are no copies. */
static void sets_are_not_copied_where_memory_is_scarce(void **state)
{
    static const unsigned char sets[2];
    struct device device;
    struct bench bench = bench_of_sets(&device, sets, 64e6);

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++)
        fill_inputs(&bench, seed);
    assert_int_equal(device.fills, 6);
    assert_int_equal(device.copies, 0);
    assert_int_equal(device.allocated, 1);
    bench_release(&bench);
}

/* The program of `bench` has two kernels, which were compiled one by one. */
static enum status binary(const struct program *program, struct binary *made, struct error *err)
{
    (void)program;
    (void)err;
    for (size_t i = 0; i < 2; i++) {
        struct binary_part part = {.kernel = mem_strdup("k"), .ptx = mem_strdup("")};

        strbuf_add(&part.machine, &"\0no"[i], 2);
        vec_push(&made->parts, part);
    }
    return STATUS_OK;
}

static enum status whole_binary(const struct program *program, struct binary *made,
                                struct error *err)
{
    (void)program;
    (void)err;
    strbuf_adds(&made->machine, "code");
    return STATUS_OK;
}

static void machine_code_has_a_line_for_each_part(void **state)
{
    const struct backend_ops parts = {.binary = binary}, whole = {.binary = whole_binary};
    struct bench bench = {.ops = &parts}, other = {.ops = &whole};
    struct json *answer = json_object_new();
    struct loaded slot = {0};

    (void)state;
    assert_true(executor_put_parts(&bench, &slot, answer));
    assert_string_equal(json_get_string(answer, "code", ""), "AG4=\nbm8=\n");
    json_free(answer);
    answer = json_object_new();
    assert_false(executor_put_parts(&other, &slot, answer));
    assert_null(json_get(answer, "code"));
    json_free(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_device_keeps_no_tensors),
        cmocka_unit_test(sets_of_a_model_are_handed_over_once),
        cmocka_unit_test(changes_of_given_tensors_and_copies_are_found),
        cmocka_unit_test(sets_are_not_copied_where_memory_is_scarce),
        cmocka_unit_test(a_full_device_keeps_no_half_of_a_program),
        cmocka_unit_test(machine_code_has_a_line_for_each_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
