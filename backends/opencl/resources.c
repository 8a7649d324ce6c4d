#include "backends/opencl/resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/error.h"
#include "core/base/vec.h"

/* A number that the driver does not know stays as it is. */
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
                                 .has_local = true,
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

/* The number before `unit` in `line`, as in "0 bytes stack frame, 16 bytes spill stores". */
static bool number_before(const char *line, const char *unit, int64_t *number)
{
    const char *end = strstr(line, unit), *digits = end;

    while (digits && digits > line && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (!end || digits == end)
        return false;
    *number = strtoll(digits, NULL, 10);
    return true;
}

static bool is_about(const char *line, const char *kernel)
{
    const char *name = strchr(line, '\'');
    size_t len = strlen(kernel);

    return name && strncmp(name + 1, kernel, len) == 0 && name[len + 1] == '\'';
}

/*
 *	ptxas info    : Compiling entry function 'scale' for 'sm_90'
 *	ptxas info    : Function properties for scale
 *	ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *	ptxas info    : Used 56 registers, used 0 barriers
 */
void opencl_resources_read(const char *log, struct kernel_resources *found)
{
    char *copy = mem_strdup(log), *rest = copy;
    bool is_meant = false;
    const char *line;

    while ((line = strsep(&rest, "\n"))) {
        int64_t stored = 0, loaded = 0;

        if (strstr(line, "Compiling entry function"))
            is_meant = is_about(line, found->kernel);
        if (is_meant && number_before(line, " bytes spill stores", &stored) &&
            number_before(line, " bytes spill loads", &loaded)) {
            found->has_spills = true;
            found->spill_bytes = stored + loaded;
        }
        if (is_meant && number_before(line, " registers", &found->registers))
            found->has_registers = true;
    }
    free(copy);
}

/* The names of all kernels, which OpenCL separates by semicolons; the caller frees. */
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
        opencl_resources_read(program->log, &resources);
        vec_push(found, resources);
    }
    free(names);
    return st;
}
