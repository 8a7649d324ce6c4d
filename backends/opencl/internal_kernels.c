#include "backends/opencl/internal_kernels.h"

#include <string.h>

#include "backends/opencl/binary.h"
#include "backends/opencl/error.h"
#include "core/base/mem.h"
#include "core/base/vec.h"

static const struct internal_program *find(const struct device *device, const char *options)
{
    for (size_t i = 0; i < device->internal_programs.count; i++)
        if (strcmp(device->internal_programs.items[i].options, options) == 0)
            return &device->internal_programs.items[i];
    return NULL;
}

/* Build the program, and add it to those of the device. */
static cl_int add(struct device *device, const struct internal_source *source, cl_program program)
{
    struct internal_program made = {.options = mem_strdup(source->options)};
    cl_int code = clBuildProgram(program, 1, &device->id, made.options, NULL, NULL);

    for (size_t i = 0; !code && i < INTERNAL_PROGRAM_KERNELS && source->kernels[i]; i++)
        made.kernels[i] = clCreateKernel(program, source->kernels[i], &code);
    if (code)
        internal_program_release(&made);
    else
        vec_push(&device->internal_programs, made);
    return code;
}

static cl_int compile(struct device *device, const struct internal_source *source)
{
    const char *text = source->text;
    cl_int code;
    cl_program program = clCreateProgramWithSource(device->context, 1, &text, NULL, &code);

    if (code)
        return code;
    code = add(device, source, program);
    clReleaseProgram(program);
    return code;
}

cl_int opencl_internal_program_find(struct device *device, const struct internal_source *source,
                                    struct internal_program *found)
{
    cl_int code = find(device, source->options) ? CL_SUCCESS : compile(device, source);

    if (!code)
        *found = *find(device, source->options);
    return code;
}

bool opencl_internal_program_key(const struct device *device, const struct internal_source *source,
                                 char key[DIGEST_HEX_SIZE])
{
    struct strbuf text = {0};

    if (find(device, source->options))
        return false;
    strbuf_addf(&text, "%s\n%s", source->options, source->text);
    digest_sha256(strbuf_cstr(&text), text.len, key);
    strbuf_release(&text);
    return true;
}

enum status opencl_internal_program_load(struct device *device,
                                         const struct internal_source *source,
                                         const struct binary *kept, struct error *err)
{
    cl_int code;
    cl_program program = opencl_binary_load(device, &kept->machine, &code);

    if (!code)
        code = add(device, source, program);
    if (program)
        clReleaseProgram(program);
    return code ? error_set(err, STATUS_INVALID, "%s does not load the binary: %s", device->info.id,
                            opencl_error_name(code))
                : STATUS_OK;
}

enum status opencl_internal_program_binary(const struct device *device,
                                           const struct internal_source *source,
                                           struct binary *made, struct error *err)
{
    const struct internal_program *found = find(device, source->options);
    cl_program program = NULL;

    if (!found ||
        clGetKernelInfo(found->kernels[0], CL_KERNEL_PROGRAM, sizeof(program), &program, NULL))
        return error_set(err, STATUS_NOT_FOUND, "%s has no internal program with these options",
                         device->info.id);
    *made = (struct binary){.log = mem_strdup(""), .ptx = mem_strdup("")};
    opencl_binary_read(program, &made->machine);
    return STATUS_OK;
}
