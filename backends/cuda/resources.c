#include "backends/cuda/resources.h"

#include <string.h>

#include "backends/diagnostics/compiler_log.h"
#include "core/base/vec.h"

static int64_t ask(const struct device *device, const struct kernel *kernel, int attribute)
{
    int value = 0;

    (void)device->cuda.cuFuncGetAttribute(&value, attribute, kernel->handle);
    return value;
}

static struct kernel_resources describe(const struct program *program, const struct kernel *kernel)
{
    const struct device *device = program->device;
    struct kernel_resources r = {
        .kernel = mem_strdup(kernel->entry->name),
        .max_group = (size_t)ask(device, kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .preferred_multiple = (size_t)cuda_attribute(device, GPU_WARP),
        .has_local = true,
        .local_bytes = ask(device, kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
        .has_private = true,
        .private_bytes = ask(device, kernel, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
        .has_registers = true,
        .registers = ask(device, kernel, CU_FUNC_ATTRIBUTE_NUM_REGS),
    };

    memcpy(r.required_group, kernel->entry->required_block, sizeof(r.required_group));
    r.required_rank = r.required_group[0] ? LAUNCH_MAX_RANK : 0;
    r.has_spills = kernel->entry->has_spills;
    r.spill_bytes = kernel->entry->spill_bytes;
    compiler_log_read_resources(program->binary.log, &r);
    return r;
}

enum status cuda_resources(struct program *program, struct resource_list *found, struct error *err)
{
    (void)err;
    for (size_t i = 0; i < program->entries.count; i++) {
        const struct kernel kernel = {program->device->platform, &program->entries.items[i],
                                      program->handles[i]};

        vec_push(found, describe(program, &kernel));
    }
    return STATUS_OK;
}
