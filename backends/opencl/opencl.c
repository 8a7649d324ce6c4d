#include "backends/opencl/opencl.h"

#include "backends/opencl/device.h"
#include "backends/opencl/device_fill.h"
#include "backends/opencl/memory.h"
#include "backends/opencl/program.h"
#include "backends/opencl/resources.h"
#include "backends/opencl/run.h"

const struct backend_ops opencl_backend = {
    .name = "opencl",
    .probe = opencl_probe,
    .open = opencl_open,
    .close = opencl_close,
    .build = opencl_build,
    .program_free = opencl_program_free,
    .binary = opencl_binary,
    .resources = opencl_resources,
    .buffer_new = opencl_buffer_new,
    .buffer_free = opencl_buffer_free,
    .buffer_copy = opencl_buffer_copy,
    .buffer_poison = opencl_buffer_poison,
    .buffer_fill = opencl_buffer_fill,
    .buffer_holds = opencl_buffer_holds,
    .buffer_write = opencl_buffer_write,
    .buffer_read = opencl_buffer_read,
    .buffer_read_guards = opencl_buffer_read_guards,
    .internal_kernel_key = opencl_internal_kernel_key,
    .internal_kernel_load = opencl_internal_kernel_load,
    .internal_kernel_make = opencl_internal_kernel_make,
    .run = opencl_run,
    .step = opencl_step,
    .code = opencl_code,
};
