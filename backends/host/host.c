#include "backends/host/host.h"

#include "backends/host/device.h"
#include "backends/host/memory.h"
#include "backends/host/program.h"
#include "backends/host/run.h"

const struct backend_ops host_backend = {
    .name = "host",
    .runs_host_code = true,
    .probe = host_probe,
    .open = host_open,
    .expect = host_expect,
    .start = host_start,
    .close = host_close,
    .build = host_build,
    .program_free = host_program_free,
    .binary = host_binary,
    .resources = host_resources,
    .buffer_new = host_buffer_new,
    .buffer_free = host_buffer_free,
    .buffer_poison = host_buffer_poison,
    .buffer_fill = host_buffer_fill,
    .buffer_holds = host_buffer_holds,
    .buffer_write = host_buffer_write,
    .buffer_read = host_buffer_read,
    .buffer_read_guards = host_buffer_read_guards,
    .run = host_run,
    .step = host_step,
    .code = host_code,
};
