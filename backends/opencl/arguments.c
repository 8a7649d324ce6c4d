#include "backends/opencl/arguments.h"

#include <string.h>

#include "backends/opencl/error.h"
#include "backends/opencl/memory.h"
#include "core/base/array.h"

static enum dtype scalar_dtype(const struct launch_arg *arg)
{
    return arg->kind == ARG_INTEGER ? DTYPE_I32 : arg->dtype;
}

/* A description of the argument, for messages. */
static const char *given_name(const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return "a buffer";
    case ARG_LOCAL:
        return "local memory";
    case ARG_TENSOR_MAP:
        return "a tensor map, which only CUDA has";
    case ARG_INTEGER:
    case ARG_NUMBER:
    default:
        return dtype_name(scalar_dtype(arg));
    }
}

/* A kernel's parameter, as the driver reports it. */
struct parameter {
    cl_kernel_arg_address_qualifier place;
    char type[64]; /* "float", "float*" */
};

static const struct {
    const char *name;
    enum dtype dtype;
} scalars[] = {
    {"float", DTYPE_F32}, {"half", DTYPE_F16}, {"double", DTYPE_F64}, {"int", DTYPE_I32},
    {"uint", DTYPE_I32},  {"long", DTYPE_I64}, {"ulong", DTYPE_I64},
};

/*
 * Types that are not in the table are accepted: the candidate may define names of its own for them.
 */
static bool is_scalar(const char *type, enum dtype dtype)
{
    for (size_t i = 0; i < COUNT(scalars); i++) {
        if (strcmp(scalars[i].name, type) == 0)
            return scalars[i].dtype == dtype;
    }
    return true;
}

static bool takes(const struct parameter *parameter, const struct launch_arg *arg)
{
    switch (arg->kind) {
    case ARG_BUFFER:
        return parameter->place == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
               parameter->place == CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case ARG_LOCAL:
        return parameter->place == CL_KERNEL_ARG_ADDRESS_LOCAL;
    case ARG_TENSOR_MAP:
        return false;
    case ARG_INTEGER:
    case ARG_NUMBER:
    default:
        return parameter->place == CL_KERNEL_ARG_ADDRESS_PRIVATE &&
               is_scalar(parameter->type, scalar_dtype(arg));
    }
}

/*
 * False if the driver has no record of the parameter: it must keep one only under
 * -cl-kernel-arg-info. clSetKernelArg() then checks the size.
 */
static bool ask_parameter(cl_kernel kernel, cl_uint index, struct parameter *parameter)
{
    return !clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                               sizeof(parameter->place), &parameter->place, NULL) &&
           !clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof(parameter->type),
                               parameter->type, NULL);
}

static cl_int give(cl_kernel kernel, cl_uint index, const struct launch_arg *arg,
                   struct buffer *const *buffers)
{
    cl_int integer = (cl_int)arg->integer;
    uint64_t number;

    switch (arg->kind) {
    case ARG_BUFFER:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &buffers[arg->buffer]->contents);
    case ARG_INTEGER:
        return clSetKernelArg(kernel, index, sizeof(integer), &integer);
    case ARG_LOCAL:
        return clSetKernelArg(kernel, index, (size_t)arg->integer, NULL);
    case ARG_NUMBER:
    case ARG_TENSOR_MAP: /* refused by check_members() in run.c */
    default:
        dtype_from_double(arg->dtype, &arg->number, &number, 1);
        return clSetKernelArg(kernel, index, dtype_bytes(arg->dtype), &number);
    }
}

static enum status set_argument(const struct kernel *kernel, cl_uint index,
                                const struct launch_arg *arg, struct buffer *const *buffers,
                                struct error *err)
{
    struct parameter parameter;
    cl_int code;

    if (ask_parameter(kernel->handle, index, &parameter) && !takes(&parameter, arg))
        return error_set(err, STATUS_INVALID, "argument %u of %s is %s%s and is given %s",
                         index + 1, kernel->name,
                         parameter.place == CL_KERNEL_ARG_ADDRESS_LOCAL ? "local " : "",
                         parameter.type, given_name(arg));
    code = give(kernel->handle, index, arg, buffers);
    if (code)
        return error_set(err, STATUS_INVALID, "argument %u of %s cannot be %s: %s", index + 1,
                         kernel->name, given_name(arg), opencl_error_name(code));
    return STATUS_OK;
}

enum status opencl_arguments_set(const struct kernel *kernel, const struct launch *launch,
                                 struct buffer *const *buffers, struct error *err)
{
    enum status st = STATUS_OK;

    if (kernel->arg_count != launch->arg_count)
        return error_set(err, STATUS_INVALID, "%s is given %zu arguments and takes %u",
                         kernel->name, launch->arg_count, kernel->arg_count);
    for (cl_uint i = 0; !st && i < kernel->arg_count; i++)
        st = set_argument(kernel, i, &launch->args[i], buffers, err);
    return st;
}
