#include "core/model/plan/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/record.h"
#include "core/base/strbuf.h"

static const char *const kind_names[] = {
    [ARG_BUFFER] = "buffer", [ARG_INTEGER] = "integer",       [ARG_NUMBER] = "number",
    [ARG_LOCAL] = "local",   [ARG_TENSOR_MAP] = "tensor_map", NULL,
};

static const struct field arg_fields[] = {
    {FIELD(CHOICE, struct launch_arg, kind), .choices = kind_names},
    {FIELD(CHOICE, struct launch_arg, dtype), .choices = dtype_names},
    {FIELD(SIZE, struct launch_arg, buffer)},
    {FIELD(INT64, struct launch_arg, integer)},
    {FIELD(REAL, struct launch_arg, number)},
    {0},
};
static const struct field arg_row = {.kind = FIELD_RECORD, .fields = arg_fields};

static const struct field size_row = {.kind = FIELD_SIZE};
static const struct field integer_row = {.kind = FIELD_INT64};
static const struct field map_fields[] = {
    {FIELD(SIZE, struct tensor_map, buffer)},
    {FIELD(CHOICE, struct tensor_map, dtype), .choices = dtype_names},
    {FIELD(ARRAY, struct tensor_map, shape), .other = offsetof(struct tensor_map, rank),
     .item = &integer_row, .size = sizeof(int64_t), .max = TENSOR_MAP_MAX_RANK},
    {FIELD(ARRAY, struct tensor_map, box), .item = &integer_row, .size = sizeof(int64_t),
     .max = TENSOR_MAP_MAX_RANK},
    {FIELD(INT64, struct tensor_map, swizzle)},
    {0},
};
static const struct field map_row = {.kind = FIELD_RECORD, .fields = map_fields};

static const struct field launch_fields[] = {
    {FIELD(TEXT, struct launch, kernel)},
    {FIELD(UNSIGNED, struct launch, rank)},
    {FIELD(ARRAY, struct launch, global), .item = &size_row, .size = sizeof(size_t),
     .max = LAUNCH_MAX_RANK},
    {FIELD(ARRAY, struct launch, local), .item = &size_row, .size = sizeof(size_t),
     .max = LAUNCH_MAX_RANK},
    {FIELD(INT64, struct launch, shared)},
    {FIELD(ARRAY, struct launch, cluster), .item = &size_row, .size = sizeof(size_t),
     .max = LAUNCH_MAX_RANK},
    {FIELD(UNSIGNED, struct launch, warps)},
    {FIELD(UNSIGNED, struct launch, stages)},
    {FIELD(UNSIGNED, struct launch, ctas)},
    {FIELD(TEXT, struct launch, constants)},
    {FIELD(ARRAY, struct launch, args), .other = offsetof(struct launch, arg_count),
     .item = &arg_row, .size = sizeof(struct launch_arg), .max = LAUNCH_MAX_ARGS},
    {FIELD(ARRAY, struct launch, tensor_maps), .other = offsetof(struct launch, tensor_map_count),
     .item = &map_row, .size = sizeof(struct tensor_map), .max = LAUNCH_MAX_TENSOR_MAPS},
    {0},
};
static const struct field launch_row = {.kind = FIELD_RECORD, .fields = launch_fields};

static const struct field buffer_fields[] = {
    {FIELD(TEXT, struct buffer_spec, name)},
    {FIELD(CHOICE, struct buffer_spec, dtype), .choices = dtype_names},
    {FIELD(INT64, struct buffer_spec, elements)},
    {0},
};
static const struct field buffer_row = {.kind = FIELD_RECORD, .fields = buffer_fields};

static const struct field dispatch_fields[] = {
    {FIELD(TEXT, struct dispatch, options)},
    {FIELD(LIST, struct dispatch, buffers), .item = &buffer_row,
     .size = sizeof(struct buffer_spec)},
    {FIELD(SIZE, struct dispatch, tensor_count)},
    {FIELD(LIST, struct dispatch, prepare), .item = &launch_row, .size = sizeof(struct launch)},
    {FIELD(LIST, struct dispatch, launches), .item = &launch_row, .size = sizeof(struct launch)},
    {0},
};

/* The largest size up to 256 that divides the number of work-items. */
static size_t usual_group(size_t items)
{
    size_t group = items < 256 ? items : 256;

    while (items % group)
        group--;
    return group;
}

void launch_group(const struct launch *launch, size_t group[LAUNCH_MAX_RANK])
{
    for (unsigned axis = 0; axis < LAUNCH_MAX_RANK; axis++)
        group[axis] = axis < launch->rank && launch->local[axis] ? launch->local[axis] : 1;
    if (launch->local[0] == 0)
        group[0] = usual_group(launch->global[0]);
}

int tensor_map_type(enum dtype dtype)
{
    static const int types[] = {
        [DTYPE_F32] = 7, [DTYPE_F16] = 6, [DTYPE_BF16] = 9, [DTYPE_F64] = 8,
        [DTYPE_I32] = 3, [DTYPE_I64] = 5, [DTYPE_BOOL] = 0,
    };

    return types[dtype];
}

int tensor_map_swizzle(int64_t bytes)
{
    int code = 0;

    for (; bytes >= 32; bytes /= 2)
        code++;
    return code;
}

void dispatch_release(struct dispatch *dispatch)
{
    record_release(dispatch_fields, dispatch);
    *dispatch = (struct dispatch){0};
}

static void add_programs(struct strbuf *text, const struct launch_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct launch *launch = &list->items[i];

        strbuf_addf(text, "\n%s %u %u %u %s", launch->kernel, launch->warps, launch->stages,
                    launch->ctas, launch->constants ? launch->constants : "");
    }
}

char *dispatch_program(const struct dispatch *dispatch)
{
    struct strbuf text = {0};

    strbuf_addf(&text, "%s", dispatch->options ? dispatch->options : "");
    add_programs(&text, &dispatch->prepare);
    add_programs(&text, &dispatch->launches);
    return strbuf_take(&text);
}

bool dispatch_has_program(const struct dispatch *dispatch, const char *program)
{
    char *own = dispatch_program(dispatch);
    bool has = strcmp(own, program) == 0;

    free(own);
    return has;
}

static enum status check_programs(const struct launch_list *list, const char *name,
                                  bool has_programs, struct error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (launch_has_programs(&list->items[i]) == has_programs)
            continue;
        return error_set(err, STATUS_INVALID,
                         has_programs
                             ? "plan: %s[%zu]: give a \"grid\" of programs without \"block\", "
                               "\"global\" and \"local\": the compiler chooses the threads"
                             : "plan: %s[%zu]: give \"block\" beside \"grid\"; "
                               "\"constants\" and \"num_warps\" are for kernels that are "
                               "programs on tiles",
                         name, i);
    }
    return STATUS_OK;
}

enum status dispatch_check_programs(const struct dispatch *dispatch, bool has_programs,
                                    struct error *err)
{
    enum status st = check_programs(&dispatch->prepare, "prepare", has_programs, err);

    return st ? st : check_programs(&dispatch->launches, "launches", has_programs, err);
}

size_t dispatch_find(const struct dispatch *dispatch, const char *name)
{
    size_t i = 0;

    while (i < dispatch->buffers.count && strcmp(dispatch->buffers.items[i].name, name) != 0)
        i++;
    return i;
}

struct json *dispatch_encode(const struct dispatch *dispatch)
{
    return record_encode(dispatch_fields, dispatch);
}

static bool has_object(const struct launch *launch, const struct launch_arg *arg,
                       size_t buffer_count)
{
    if (arg->kind == ARG_TENSOR_MAP)
        return arg->integer >= 0 && (uint64_t)arg->integer < launch->tensor_map_count;
    return arg->kind != ARG_BUFFER || arg->buffer < buffer_count;
}

/* The reason why the launch is invalid, or NULL. */
static const char *launch_fault(const struct launch *launch, size_t buffer_count)
{
    if (!launch->kernel)
        return "a launch without a kernel";
    if (launch->rank < 1 || launch->rank > LAUNCH_MAX_RANK)
        return "a launch has 1 to 3 dimensions";
    for (size_t i = 0; i < launch->tensor_map_count; i++)
        if (launch->tensor_maps[i].buffer >= buffer_count)
            return "a tensor map without its buffer";
    for (size_t i = 0; i < launch->arg_count; i++)
        if (!has_object(launch, &launch->args[i], buffer_count))
            return "an argument without its buffer or tensor map";
    return NULL;
}

static const char *launches_fault(const struct launch_list *list, size_t buffer_count)
{
    const char *fault = NULL;

    for (size_t i = 0; !fault && i < list->count; i++)
        fault = launch_fault(&list->items[i], buffer_count);
    return fault;
}

static const char *dispatch_fault(const struct dispatch *dispatch)
{
    const char *fault;

    for (size_t i = 0; i < dispatch->buffers.count; i++)
        if (!dispatch->buffers.items[i].name || dispatch->buffers.items[i].elements < 1)
            return "a buffer without name or elements";
    if (!dispatch->options || dispatch->tensor_count > dispatch->buffers.count)
        return "a dispatch has \"options\", and no more tensors than buffers";
    fault = launches_fault(&dispatch->prepare, dispatch->buffers.count);
    return fault ? fault : launches_fault(&dispatch->launches, dispatch->buffers.count);
}

enum status dispatch_decode(struct dispatch *dispatch, const struct json_ref *at, struct error *err)
{
    struct dispatch read = {0};
    enum status st = record_decode(dispatch_fields, &read, at, err);
    const char *fault = st ? NULL : dispatch_fault(&read);

    if (fault)
        st = json_ref_error(at, err, "%s", fault);
    if (st)
        dispatch_release(&read);
    else
        *dispatch = read;
    return st;
}
