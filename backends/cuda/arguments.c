#include "backends/cuda/arguments.h"

#include <string.h>

#include "backends/cuda/memory.h"
#include "core/base/array.h"

/*
 * The PTX types of parameters. f16 and bf16 are structs in CUDA C++, so PTX declares them as arrays
 * of two bytes.
 */
static const struct {
    enum dtype dtype;
    const char *type;
    size_t length;
} numbers[] = {
    {DTYPE_F32, "f32", 0}, {DTYPE_F64, "f64", 0}, {DTYPE_I32, "u32", 0}, {DTYPE_I64, "u64", 0},
    {DTYPE_F16, "b8", 2},  {DTYPE_BF16, "b8", 2}, {DTYPE_BOOL, "u8", 0},
};

static bool is_number(const struct ptx_parameter *parameter, enum dtype dtype)
{
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (numbers[i].dtype == dtype)
            return strcmp(parameter->type, numbers[i].type) == 0 &&
                   parameter->length == numbers[i].length;
    return false;
}

static bool takes(const struct ptx_parameter *parameter, const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return is_number(parameter, DTYPE_I64);
    case ARG_INTEGER:
        return is_number(parameter, DTYPE_I32);
    case ARG_NUMBER:
        return is_number(parameter, arg->dtype);
    case ARG_TENSOR_MAP:
        return strcmp(parameter->type, "b8") == 0 && parameter->length == sizeof(CUtensorMap);
    case ARG_LOCAL:
    default:
        return false;
    }
}

/* A description of the argument, for messages. */
static const char *given_name(const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return "a buffer";
    case ARG_LOCAL:
        return "local memory, which CUDA declares as extern __shared__ and plans as \"shared\"";
    case ARG_TENSOR_MAP:
        return "a tensor map (const __grid_constant__ CUtensorMap)";
    case ARG_INTEGER:
        return dtype_name(DTYPE_I32);
    case ARG_NUMBER:
    default:
        return dtype_name(arg->dtype);
    }
}

enum { PROMOTE_TO_256_BYTES = 3 }; /* CUtensorMapL2promotion of cuda.h */

/* The driver counts axes from the contiguous one, a plan from the outermost. */
static CUresult encode_map(const struct tensor_map *map, const struct buffer *buffer,
                           CUtensorMap *encoded)
{
    uint64_t sizes[TENSOR_MAP_MAX_RANK], strides[TENSOR_MAP_MAX_RANK];
    unsigned box[TENSOR_MAP_MAX_RANK], steps[TENSOR_MAP_MAX_RANK];
    uint64_t stride = dtype_bytes(map->dtype);

    for (size_t i = 0; i < map->rank; i++) {
        sizes[i] = (uint64_t)map->shape[map->rank - 1 - i];
        box[i] = (unsigned)map->box[map->rank - 1 - i];
        steps[i] = 1;
        strides[i] = stride *= sizes[i];
    }
    return buffer->device->cuda.cuTensorMapEncodeTiled(
        encoded, tensor_map_type(map->dtype), (unsigned)map->rank,
        (void *)(uintptr_t)cuda_buffer_contents(buffer), sizes, strides, box, steps, 0,
        tensor_map_swizzle(map->swizzle), PROMOTE_TO_256_BYTES, 0);
}

static enum status set_map(const struct launch *launch, size_t arg, struct buffer *const *buffers,
                           CUtensorMap *encoded, struct error *err)
{
    const struct tensor_map *map = &launch->tensor_maps[launch->args[arg].integer];
    const struct buffer *buffer = buffers[map->buffer];

    return cuda_check(
        cuda_result(buffer->device, encode_map(map, buffer, encoded), STATUS_INVALID), err,
        "encode the tensor map that is argument %zu of %s: its box must fit the swizzle, and "
        "its rows must be multiples of 16 bytes",
        arg + 1, launch->kernel);
}

static uint64_t number_of(const struct launch_arg *arg, struct buffer *const *buffers)
{
    uint64_t number = 0;

    if (arg->kind == ARG_BUFFER)
        return cuda_buffer_contents(buffers[arg->buffer]);
    if (arg->kind == ARG_INTEGER)
        return (uint32_t)arg->integer;
    dtype_from_double(arg->dtype, &arg->number, &number, 1);
    return number;
}

static enum status set_argument(const struct launch *launch, size_t index,
                                struct buffer *const *buffers, union argument *value,
                                struct error *err)
{
    if (launch->args[index].kind == ARG_TENSOR_MAP)
        return set_map(launch, index, buffers, &value->map, err);
    value->number = number_of(&launch->args[index], buffers);
    return STATUS_OK;
}

enum status cuda_arguments_set(const struct kernel *kernel, const struct launch *launch,
                               struct buffer *const *buffers, struct arguments *arguments,
                               struct error *err)
{
    const struct ptx_entry *entry = kernel->entry;
    enum status st = STATUS_OK;

    if (entry->parameters.count != launch->arg_count)
        return error_set(err, STATUS_INVALID, "%s is given %zu arguments and takes %zu",
                         entry->name, launch->arg_count, entry->parameters.count);
    for (size_t i = 0; !st && i < launch->arg_count; i++) {
        const struct ptx_parameter *parameter = &entry->parameters.items[i];

        if (!takes(parameter, &launch->args[i]))
            return error_set(err, STATUS_INVALID, "argument %zu of %s is %s and is given %s", i + 1,
                             entry->name, parameter->type, given_name(&launch->args[i]));
        st = set_argument(launch, i, buffers, &arguments->values[i], err);
        arguments->pointers[i] = &arguments->values[i];
    }
    return st;
}
