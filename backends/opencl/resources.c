#include "backends/opencl/resources.h"

#include <stdlib.h>
#include <string.h>

#include "backends/diagnostics/compiler_log.h"
#include "core/base/vec.h"

/* False if the driver does not know the answer, which then stays unchanged. */
static bool ask(const struct kernel *kernel, cl_device_id id, cl_kernel_work_group_info question,
                void *answer, size_t size)
{
    return !clGetKernelWorkGroupInfo(kernel->handle, id, question, size, answer, NULL);
}

static void ask_required_group(const struct kernel *kernel, cl_device_id id,
                               struct kernel_resources *r)
{
    size_t group[LAUNCH_MAX_RANK] = {0};

    if (!ask(kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, group, sizeof(group)) || group[0] == 0)
        return;
    memcpy(r->required_group, group, sizeof(group));
    r->required_rank = LAUNCH_MAX_RANK;
}

static struct kernel_resources ask_driver(const struct kernel *kernel, cl_device_id id)
{
    struct kernel_resources r = {.kernel = mem_strdup(kernel->name),
                                 .max_group = kernel->max_group,
                                 .has_local = kernel->has_local,
                                 .local_bytes = kernel->local_bytes};
    cl_ulong private_bytes = 0;

    (void)ask(kernel, id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, &r.preferred_multiple,
              sizeof(r.preferred_multiple));
    r.has_private =
        ask(kernel, id, CL_KERNEL_PRIVATE_MEM_SIZE, &private_bytes, sizeof(private_bytes));
    r.private_bytes = (int64_t)private_bytes;
    ask_required_group(kernel, id, &r);
    return r;
}

/* The names of all kernels, which OpenCL separates by semicolons.  The caller frees. */
static char *list_names(const struct program *program)
{
    size_t size = 0;
    char *names;

    (void)clGetProgramInfo(program->handle, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size);
    names = mem_alloc_zeroed(size + 1, 1);
    (void)clGetProgramInfo(program->handle, CL_PROGRAM_KERNEL_NAMES, size, names, NULL);
    return names;
}

enum status opencl_resources(struct program *program, struct resource_list *found,
                             struct error *err)
{
    char *names = list_names(program), *rest = names;
    enum status st = STATUS_OK;
    const char *name;

    while (!st && (name = strsep(&rest, ";"))) {
        const struct kernel *kernel;
        struct kernel_resources resources;

        st = *name ? opencl_program_kernel(program, name, &kernel, err) : STATUS_OK;
        if (st || !*name)
            continue;
        resources = ask_driver(kernel, program->device->id);
        compiler_log_read_resources(program->log, &resources);
        vec_push(found, resources);
    }
    free(names);
    return st;
}
