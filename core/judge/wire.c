#include "core/judge/wire.h"

#include <string.h>

#include "core/base/vec.h"

void tensor_sources_release(struct tensor_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free((char *)(uintptr_t)sources->items[i].value.name);
    vec_release(sources);
}

static struct json *encode_tensor(const struct tensor *tensor, const struct value *value,
                                  size_t index)
{
    struct json *object = json_object_new();
    struct json *shape;

    json_put_string(object, "name", value->name);
    json_put_string(object, "dtype", dtype_name(value->dtype));
    json_put_number(object, "role", value->role);
    json_put_number(object, "fill", tensor->fill.kind);
    json_put_number(object, "a", tensor->fill.a);
    json_put_number(object, "b", tensor->fill.b);
    json_put_number(object, "stream", fill_stream(index));
    shape = json_put(object, "shape", json_array_new());
    for (size_t d = 0; d < value->shape.rank; d++)
        json_push(shape, json_number_new((double)value->shape.dims[d]));
    return object;
}

struct json *wire_encode_tensors(const struct problem *problem, const struct graph *graph)
{
    struct json *array = json_array_new();

    for (size_t i = 0; i < problem->tensors.count; i++)
        json_push(array, encode_tensor(&problem->tensors.items[i], &graph->values.items[i], i));
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

static enum status decode_tensor(struct tensor_source *source, const struct json_ref *at,
                                 struct error *err)
{
    struct json_ref name = json_ref_member(at, "name"), dtype = json_ref_member(at, "dtype");
    struct json_ref shape = json_ref_member(at, "shape");
    const char *text;
    enum status st = json_read_string(&name, &text, err);

    if (!st)
        st = dtype_read(&dtype, &source->value.dtype, err);
    if (!st)
        st = decode_shape(&source->value.shape, &shape, err);
    if (st)
        return st;
    source->value.name = mem_strdup(text);
    source->value.role = (enum tensor_role)json_get_number(at->value, "role", 0);
    source->value.fill.kind = (enum fill_kind)json_get_number(at->value, "fill", 0);
    source->value.fill.a = json_get_number(at->value, "a", 0);
    source->value.fill.b = json_get_number(at->value, "b", 0);
    source->stream = (uint32_t)json_get_number(at->value, "stream", 0);
    return STATUS_OK;
}

enum status wire_decode_tensors(struct tensor_sources *sources, const struct json_ref *at,
                                struct error *err)
{
    struct tensor_sources decoded = {0};
    enum status st = json_expect(at, JSON_ARRAY, err);

    for (size_t i = 0; !st && i < json_count(at->value); i++) {
        struct json_ref element = json_ref_element(at, i);
        struct tensor_source source = {0};

        st = decode_tensor(&source, &element, err);
        if (!st)
            vec_push(&decoded, source);
    }
    if (st) {
        tensor_sources_release(&decoded);
        return st;
    }
    *sources = decoded;
    return STATUS_OK;
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

    if (!text)
        return STATUS_OK;
    return error_set(err, (enum status)json_get_number(answer, "code", STATUS_IO), "%s", text);
}
