#include "core/judge/executor/wire.h"

#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/formats/base64.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/judge/executor/readback.h"
#include "core/system/random.h"

void wire_tensors_release(struct tensor_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free((char *)(uintptr_t)sources->items[i].value.name);
    vec_release(sources);
}

static void encode_given(const struct given *given, const struct lent_memory *lent,
                         struct json *object)
{
    json_put_number(object, "given_at", (double)(given->bytes - lent->bytes));
    json_put_number(object, "given_stride", (double)given->stride);
    json_put_number(object, "given_count", (double)given->count);
}

static struct json *encode_tensor(const struct value *value, size_t index,
                                  const struct lent_memory *lent)
{
    struct json *object = json_object_new();
    struct json *shape;

    json_put_string(object, "name", value->name);
    json_put_string(object, "dtype", dtype_name(value->dtype));
    json_put_number(object, "role", value->role);
    json_put_number(object, "fill", value->fill.kind);
    json_put_number(object, "a", value->fill.a);
    json_put_number(object, "b", value->fill.b);
    json_put_number(object, "stream", (double)index);
    if (value->given.count)
        encode_given(&value->given, lent, object);
    shape = json_put(object, "shape", json_array_new());
    for (size_t d = 0; d < value->shape.rank; d++)
        json_push(shape, json_number_new((double)value->shape.dims[d]));
    return object;
}

struct json *wire_encode_tensors(const struct problem *problem, const struct graph *graph)
{
    struct json *array = json_array_new();

    for (size_t i = 0; i < problem->tensors.count; i++)
        json_push(array, encode_tensor(&graph->values.items[i], i, &problem->lent));
    return array;
}

static enum status decode_shape(struct shape *shape, const struct json_ref *at, struct error *err)
{
    enum status st = json_expect(at, JSON_ARRAY, err);

    shape->rank = json_count(at->value);
    if (!st && shape->rank > SHAPE_MAX_RANK)
        st = json_ref_error(at, err, "more than %d dimensions", SHAPE_MAX_RANK);
    for (size_t d = 0; !st && d < shape->rank; d++) {
        struct json_ref element = json_ref_element(at, d);

        st = json_read_integer(&element, &shape->dims[d], err);
    }
    return st;
}

/* The numbers are not trusted: each is checked against the size of the lent memory. */
static enum status decode_given(struct value *value, const struct json_ref *at,
                                const struct lent_memory *lent, struct error *err)
{
    double offset = json_get_number(at->value, "given_at", 0);
    double stride = json_get_number(at->value, "given_stride", 0);
    double count = json_get_number(at->value, "given_count", 0), bytes;

    if (count == 0)
        return STATUS_OK;
    if (!shape_is_valid(&value->shape))
        return json_ref_error(at, err, "not the shape of a tensor");
    bytes = (double)shape_elements(&value->shape) * (double)dtype_bytes(value->dtype);
    if (!(offset >= 0 && stride >= 0 && count >= 1 &&
          offset + (count - 1) * stride + bytes <= (double)lent->size))
        return json_ref_error(at, err, "beyond the end of the lent memory");
    value->given = (struct given){
        .bytes = lent->bytes + (size_t)offset, .stride = (size_t)stride, .count = (size_t)count};
    return STATUS_OK;
}

static enum status decode_tensor(struct tensor_source *source, const struct json_ref *at,
                                 const struct lent_memory *lent, struct error *err)
{
    struct json_ref name = json_ref_member(at, "name"), dtype = json_ref_member(at, "dtype");
    struct json_ref shape = json_ref_member(at, "shape");
    const char *text;
    enum status st = json_read_string(&name, &text, err);

    if (!st)
        st = dtype_read(&dtype, &source->value.dtype, err);
    if (!st)
        st = decode_shape(&source->value.shape, &shape, err);
    if (!st)
        st = decode_given(&source->value, at, lent, err);
    if (st)
        return st;
    source->value.name = mem_strdup(text);
    source->value.role = (enum tensor_role)json_get_whole(at->value, "role", TENSOR_CONSTANT, 0);
    source->value.fill.kind = (enum fill_kind)json_get_whole(at->value, "fill", FILL_MODEL, 0);
    source->value.fill.a = json_get_number(at->value, "a", 0);
    source->value.fill.b = json_get_number(at->value, "b", 0);
    source->stream = (uint32_t)json_get_whole(at->value, "stream", UINT32_MAX, 0);
    return STATUS_OK;
}

enum status wire_decode_tensors(struct tensor_sources *sources, const struct json_ref *at,
                                const struct lent_memory *lent, struct error *err)
{
    struct tensor_sources decoded = {0};
    enum status st = json_expect(at, JSON_ARRAY, err);

    for (size_t i = 0; !st && i < json_count(at->value); i++) {
        struct json_ref element = json_ref_element(at, i);
        struct tensor_source source = {0};

        st = decode_tensor(&source, &element, lent, err);
        if (!st)
            vec_push(&decoded, source);
    }
    if (st) {
        wire_tensors_release(&decoded);
        return st;
    }
    *sources = decoded;
    return STATUS_OK;
}

struct json *wire_request(const char *what)
{
    struct json *request = json_object_new();

    json_put_string(request, "do", what);
    return request;
}

struct json *wire_encode_run(const struct executor_run *run)
{
    struct json *request = wire_request("run");

    json_put_number(request, "slot", run->slot);
    json_put_number(request, "input_seed", (double)run->input_seed);
    if (run->with_prepare)
        json_put_number(request, "param_seed", (double)run->param_seed);
    json_put_number(request, "poison", poison_word(run->poison, random_bits()));
    json_put_bool(request, "without_launches", run->without_launches);
    json_put_bool(request, "keeps_data", run->keeps_data);
    json_put_bool(request, "is_watched", run->is_watched);
    json_put_bool(request, "stepwise", run->stepwise);
    json_put_bool(request, "times_each", run->times_each);
    return request;
}

struct json *wire_encode_copy(const struct executor_copy *copy)
{
    struct json *request = wire_request("collect");

    json_put_number(request, "slot", copy->slot);
    json_put_number(request, "input_seed", (double)copy->input_seed);
    json_put_number(request, "param_seed", (double)copy->param_seed);
    json_put_number(request, "side", copy->side);
    json_put_bool(request, "in_place", copy->in_place);
    json_put_bool(request, "trusts_kernels", copy->trusts_kernels);
    return request;
}

struct json *wire_encode_repeat(unsigned slot, enum poison_kind poison)
{
    struct json *request = wire_request("repeat");

    json_put_number(request, "slot", slot);
    json_put_number(request, "poison", poison_word(poison, random_bits()));
    return request;
}

static uint64_t read_seed(const struct json *request, const char *key)
{
    return (uint64_t)json_get_number(request, key, 0);
}

struct wire_run wire_decode_run(const struct json *request)
{
    return (struct wire_run){
        .with_prepare = json_get(request, "param_seed") != NULL,
        .without_launches = json_get_bool(request, "without_launches", false),
        .keeps_data = json_get_bool(request, "keeps_data", false),
        .is_watched = json_get_bool(request, "is_watched", false),
        .times_each = json_get_bool(request, "times_each", false),
        .input_seed = read_seed(request, "input_seed"),
        .param_seed = read_seed(request, "param_seed"),
        .poison = (uint32_t)json_get_number(request, "poison", 0),
    };
}

struct executor_copy wire_decode_copy(const struct json *request)
{
    return (struct executor_copy){
        .input_seed = read_seed(request, "input_seed"),
        .param_seed = read_seed(request, "param_seed"),
        .side = json_get_number(request, "side", 0) > 0,
        .in_place = json_get_bool(request, "in_place", false),
        .trusts_kernels = json_get_bool(request, "trusts_kernels", false),
    };
}

bool wire_has_handle(const struct buffer_spec *output)
{
    return readback_contents(output) >= BUFFER_EXPORTED_BYTES;
}

struct json *wire_encode_stash(const struct executor_stash *stash)
{
    struct json *request = wire_request("stash");
    struct json *tensors = json_put(request, "tensors", json_array_new());

    json_put_number(request, "place", (double)stash->place);
    json_put_bool(request, "back", stash->back);
    for (size_t i = 0; i < stash->count; i++)
        json_push(tensors, json_number_new((double)stash->tensors[i]));
    return request;
}

struct executor_stash wire_decode_stash(const struct json *request)
{
    struct executor_stash stash = {.place = (size_t)json_get_number(request, "place", 0),
                                   .back = json_get_bool(request, "back", false)};
    const struct json *index = json_first(json_get(request, "tensors"));

    for (; index && stash.count < STASH_TENSORS; index = json_next(index))
        stash.tensors[stash.count++] = (size_t)json_whole(index, SIZE_MAX, SIZE_MAX);
    return stash;
}

struct json *wire_encode_delivery(unsigned slot, size_t buffer, const char *handle)
{
    struct json *request = wire_request("deliver");

    json_put_number(request, "slot", slot);
    json_put_number(request, "buffer", (double)buffer);
    json_put_string(request, "handle", handle);
    return request;
}

struct json *wire_encode_handle(const struct buffer_handle *handle)
{
    struct strbuf text = {0};
    struct json *encoded;

    base64_add(&text, handle->bytes, sizeof(handle->bytes));
    encoded = json_string_new(strbuf_cstr(&text));
    strbuf_release(&text);
    return encoded;
}

enum status wire_decode_handle(struct buffer_handle *handle, const char *text, struct error *err)
{
    struct strbuf bytes = {0};
    bool is_whole = base64_decode(&bytes, text) && bytes.len == sizeof(handle->bytes);

    if (is_whole)
        memcpy(handle->bytes, bytes.data, bytes.len);
    strbuf_release(&bytes);
    return is_whole ? STATUS_OK : error_set(err, STATUS_INVALID, "the handle is not whole");
}

struct json *wire_encode_work(const struct thread_work *work)
{
    struct json *array = json_array_new();

    json_push(array, json_number_new(work->total_us));
    json_push(array, json_number_new(work->longest_us));
    json_push(array, json_number_new(work->threads));
    return array;
}

/* Read the numbers of an array; missing ones are not changed. */
static void decode_numbers(const struct json *array, double *numbers, size_t count)
{
    const struct json *element = json_first(array);

    for (size_t i = 0; i < count; i++, element = json_next(element))
        numbers[i] = json_number(element, 0);
}

/* The number of members of CPU time. */
enum { WORK_NUMBERS = 3 };

/* A forged number of threads is limited. */
static struct thread_work work_of(const double numbers[WORK_NUMBERS])
{
    const double most_threads = 1024;

    return (struct thread_work){numbers[0], numbers[1],
                                (unsigned)fmax(fmin(numbers[2], most_threads), 0)};
}

static struct thread_work decode_work(const struct json *array)
{
    double numbers[WORK_NUMBERS] = {0};

    decode_numbers(array, numbers, WORK_NUMBERS);
    return work_of(numbers);
}

void wire_put_repeats(struct json *answer, const struct repeat_times *times)
{
    struct json *list = json_put(answer, "times", json_array_new());

    for (size_t i = 0; i < times->count; i++) {
        const struct repeat_time *time = &times->items[i];
        struct json *numbers = json_push(list, json_array_new());

        json_push(numbers, json_number_new(time->span_us));
        json_push(numbers, json_number_new(time->work.total_us));
        json_push(numbers, json_number_new(time->work.longest_us));
        json_push(numbers, json_number_new(time->work.threads));
    }
}

void wire_decode_repeats(const struct json *answer, struct repeat_times *times)
{
    const struct json *element = json_first(json_get(answer, "times"));

    for (times->count = 0; element && times->count < REPEATS_MAX; element = json_next(element)) {
        double numbers[1 + WORK_NUMBERS] = {0};

        decode_numbers(element, numbers, COUNT(numbers));
        times->items[times->count++] = (struct repeat_time){numbers[0], work_of(numbers + 1)};
    }
}

void wire_decode_times(const struct json *answer, size_t launches, struct executor_times *times)
{
    times->span_us = json_get_number(answer, "span_us", 0);
    times->prepare_us = json_get_number(answer, "prepare_us", 0);
    times->free_bytes = json_get_number(answer, "free_bytes", 0);
    times->work = decode_work(json_get(answer, "work"));
    if (times->each_us)
        decode_numbers(json_get(answer, "each_us"), times->each_us, launches);
}

enum status wire_decode_devices(struct device_list *devices, const struct json *answer,
                                struct error *err)
{
    struct json_ref root = json_ref_root(answer, "executor");
    struct json_ref list = json_ref_member(&root, "devices");
    enum status st = json_expect(&list, JSON_ARRAY, err);

    safeguards_decode(&devices->safeguards, json_get(answer, "containment"));
    strbuf_adds(&devices->absent, json_get_string(answer, "absent", ""));
    for (size_t i = 0; !st && i < json_count(list.value); i++) {
        struct json_ref element = json_ref_element(&list, i);
        struct device_info info = {0};

        st = device_info_decode(&info, &element, err);
        if (!st)
            vec_push(devices, info);
    }
    return st;
}

enum status wire_decode_build(struct executor_build *build, const struct json *answer,
                              struct error *err)
{
    struct json_ref root = json_ref_root(answer, "executor");
    struct json_ref report = json_ref_member(&root, "build");
    struct json_ref resources = json_ref_member(&root, "resources");
    enum status st = build_report_decode(&build->report, &report, err);

    if (!st)
        st = resource_list_decode(&build->resources, &resources, err);
    build->is_accepted = json_get_bool(answer, "built", false);
    return st;
}

struct json *wire_encode_error(const struct error *err)
{
    struct json *answer = json_object_new();

    json_put_string(answer, "error", err->text);
    json_put_number(answer, "code", err->code);
    return answer;
}

enum status wire_check(const struct json *answer, struct error *err)
{
    const char *text = json_get_string(answer, "error", NULL);
    enum status code = (enum status)json_get_whole(answer, "code", STATUS_IO, STATUS_IO);

    return text ? error_set(err, code ? code : STATUS_IO, "%s", text) : STATUS_OK;
}
