#include "core/session/recorded/standalone/standalone_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/executor/readback.h"
#include "core/model/language.h"
#include "core/model/plan/bare_source.h"

static void put_sizes(struct json *object, const char *key, const size_t *sizes, size_t count)
{
    struct json *array = json_put(object, key, json_array_new());

    for (size_t i = 0; i < count; i++)
        json_push(array, json_number_new((double)sizes[i]));
}

/* Put the bits of an argument as a decimal text: JSON has no integers of 64 bits. */
static void put_bits(struct json *object, const struct launch_arg *arg)
{
    uint64_t bits = (uint32_t)arg->integer;
    struct strbuf text = {0};

    if (arg->kind == ARG_NUMBER) {
        bits = 0;
        dtype_from_double(arg->dtype, &arg->number, &bits, 1);
    }
    strbuf_addf(&text, "%" PRIu64, arg->kind == ARG_INTEGER || arg->kind == ARG_NUMBER ? bits : 0);
    json_put_string(object, "bits", strbuf_cstr(&text));
    strbuf_release(&text);
}

static struct json *describe_argument(const struct launch_arg *arg)
{
    static const char *const kinds[] = {[ARG_BUFFER] = "buffer",
                                        [ARG_INTEGER] = "value",
                                        [ARG_NUMBER] = "value",
                                        [ARG_LOCAL] = "local",
                                        [ARG_TENSOR_MAP] = "tensor_map"};
    struct json *object = json_object_new();
    double bytes = arg->kind == ARG_INTEGER  ? sizeof(int32_t)
                   : arg->kind == ARG_NUMBER ? (double)dtype_bytes(arg->dtype)
                   : arg->kind == ARG_LOCAL  ? (double)arg->integer
                                             : 0;

    double index = arg->kind == ARG_BUFFER       ? (double)arg->buffer
                   : arg->kind == ARG_TENSOR_MAP ? (double)arg->integer
                                                 : 0;

    json_put_string(object, "kind", kinds[arg->kind]);
    json_put_number(object, "index", index);
    json_put_number(object, "bytes", bytes);
    json_put_bool(object, "real",
                  arg->kind == ARG_NUMBER && (arg->dtype == DTYPE_F32 || arg->dtype == DTYPE_F64));
    put_bits(object, arg);
    return object;
}

/* Describe a tensor map for cuTensorMapEncodeTiled(): contiguous axis first, strides in bytes. */
static struct json *describe_map(const struct tensor_map *map)
{
    struct json *object = json_object_new();
    int64_t sizes[TENSOR_MAP_MAX_RANK], strides[TENSOR_MAP_MAX_RANK], box[TENSOR_MAP_MAX_RANK];
    int64_t stride = (int64_t)dtype_bytes(map->dtype);

    for (size_t i = 0; i < map->rank; i++) {
        sizes[i] = map->shape[map->rank - 1 - i];
        box[i] = map->box[map->rank - 1 - i];
        strides[i] = stride *= sizes[i];
    }
    json_put_number(object, "buffer", (double)map->buffer);
    json_put_number(object, "type", tensor_map_type(map->dtype));
    json_put_number(object, "rank", (double)map->rank);
    json_put_number(object, "swizzle", tensor_map_swizzle(map->swizzle));
    json_put_integers(object, "sizes", sizes, map->rank);
    json_put_integers(object, "strides", strides, map->rank);
    json_put_integers(object, "box", box, map->rank);
    return object;
}

/* Put the index space. In some languages the driver chooses the size of a work-group. */
static void put_space(struct json *object, const struct launch *launch,
                      const struct language *language)
{
    size_t group[LAUNCH_MAX_RANK], blocks[LAUNCH_MAX_RANK];

    launch_group(launch, group);
    for (unsigned axis = 0; axis < LAUNCH_MAX_RANK; axis++)
        blocks[axis] = axis < launch->rank ? launch->global[axis] / group[axis] : 1;
    put_sizes(object, "global", launch->global, LAUNCH_MAX_RANK);
    put_sizes(object, "local", language->driver_sizes_groups ? launch->local : group,
              LAUNCH_MAX_RANK);
    put_sizes(object, "blocks", blocks, LAUNCH_MAX_RANK);
    put_sizes(object, "cluster", launch->cluster, LAUNCH_MAX_RANK);
}

/*
 * Put the options of a launch that counts programs instead of threads. The compiler, which chooses
 * the threads, needs all of them.
 */
static void put_programs(struct json *object, const struct launch *launch)
{
    const char *constants = launch->constants ? launch->constants : "{}";
    struct json *numbers = json_put(object, "numbers", json_array_new());
    struct json *types = json_put(object, "types", json_array_new());

    put_sizes(object, "grid", launch->global, launch->rank);
    json_put(object, "constants", json_parse(constants, strlen(constants), NULL));
    json_put_number(object, "warps", launch->warps);
    json_put_number(object, "stages", launch->stages);
    json_put_number(object, "ctas", launch->ctas);
    for (size_t i = 0; i < launch->arg_count; i++) {
        const struct launch_arg *arg = &launch->args[i];
        bool is_integer = arg->kind == ARG_INTEGER;

        json_push(numbers, json_number_new(is_integer ? (double)arg->integer : arg->number));
        json_push(types, json_string_new(dtype_name(is_integer ? DTYPE_I32 : arg->dtype)));
    }
}

static struct json *describe_launch(const struct launch *launch, const struct language *language)
{
    struct json *object = json_object_new();
    struct json *args = json_put(object, "args", json_array_new());
    struct json *maps = json_put(object, "tensor_maps", json_array_new());

    json_put_string(object, "kernel", launch->kernel);
    json_put_number(object, "rank", launch->rank);
    json_put_number(object, "shared", (double)launch->shared);
    put_space(object, launch, language);
    for (size_t i = 0; i < launch->arg_count; i++)
        json_push(args, describe_argument(&launch->args[i]));
    for (size_t i = 0; i < launch->tensor_map_count; i++)
        json_push(maps, describe_map(&launch->tensor_maps[i]));
    if (language->has_programs)
        put_programs(object, launch);
    return object;
}

static void put_launches(struct json *object, const char *key, const struct launch_list *list,
                         const struct language *language)
{
    struct json *array = json_put(object, key, json_array_new());

    for (size_t i = 0; i < list->count; i++)
        json_push(array, describe_launch(&list->items[i], language));
}

/* The source, so that the exported program's compiler takes it as the judge's does. */
static void put_source(struct json *object, const struct candidate *candidate,
                       const struct language *language)
{
    char *completed = language->lacks_headers
                          ? bare_source_complete(candidate->source, language->source_file)
                          : mem_strdup(candidate->source);

    json_put_string(object, "source", completed);
    free(completed);
}

struct json *standalone_program_describe(const struct candidate *candidate,
                                         const struct dispatch *dispatch, const char *file)
{
    struct json *object = json_object_new();
    struct json *bytes = json_put(object, "bytes", json_array_new());
    struct json *scratch = json_put(object, "scratch", json_array_new());
    struct json *types = json_put(object, "scratch_types", json_array_new());
    const struct language *language = language_of(candidate->language);

    json_put_string(object, "file", file);
    put_source(object, candidate, language);
    json_put_string(object, "options", dispatch->options);
    for (size_t i = 0; i < dispatch->buffers.count; i++) {
        double size = (double)readback_contents(&dispatch->buffers.items[i]);

        json_push(bytes, json_number_new(size));
        if (i >= dispatch->tensor_count)
            json_push(scratch, json_number_new(size));
        if (i >= dispatch->tensor_count && language->has_programs)
            json_push(types, json_string_new(dtype_name(dispatch->buffers.items[i].dtype)));
    }
    put_launches(object, "prepare", &dispatch->prepare, language);
    put_launches(object, "launches", &dispatch->launches, language);
    return object;
}
