#include "tests/bench/programs/kernel_check.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/compile.h"
#include "backends/cuda/nvidia.h"
#include "backends/cuda/ptx.h"
#include "core/base/mem.h"

/* The limits of a device of compute capability 9.0. */
enum {
    MOST_THREADS = 1024,
    MOST_SHARED = 227 << 10,
    MOST_REGISTERS = 1 << 16,
    MOST_CLUSTER = 8,            /* that every device of this capability starts */
    MOST_PARAMETER_BYTES = 4096, /* that every driver takes */
};
/* An int indexes this many elements or work-items. */
static const int64_t most_indices = INT64_C(1) << 31;
static const size_t most_block[LAUNCH_MAX_RANK] = {1024, 1024, 64};
static const size_t most_grid[LAUNCH_MAX_RANK] = {INT32_MAX, 65535, 65535};

const struct device_info kernel_check_device = {
    .id = (char[]){"cuda:0"},
    .name = (char[]){"NVIDIA H200"},
    .platform = (char[]){"CUDA"},
    .compiler = (char[]){"NVRTC sm_90a"},
    .language = (char[]){"cuda"},
    .compute_units = 132,
    .vector_width_f32 = 1,
    .max_work_group = MOST_THREADS,
    .memory_bytes = 141LL << 30,
    .max_buffer_bytes = 141LL << 30,
    .local_bytes = MOST_SHARED,
};

void kernel_check_fault(struct check *check, const char *fmt, ...)
{
    struct strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    json_push(check->faults, json_string_new(strbuf_cstr(&text)));
    strbuf_release(&text);
}

static void check_axis(struct check *check, const struct launch *launch, unsigned axis,
                       size_t block)
{
    size_t items = launch->global[axis];

    if (items % block)
        kernel_check_fault(check, "%s: block[%u] %zu does not divide %zu", launch->kernel, axis,
                           block, items);
    if (block > most_block[axis])
        kernel_check_fault(check, "%s: block[%u] is %zu", launch->kernel, axis, block);
    if (items / block > most_grid[axis])
        kernel_check_fault(check, "%s: grid[%u] is %zu", launch->kernel, axis, items / block);
}

/* True if the kernel declares variables of type int and computes no offset in 64 bits. */
static bool has_only_ints(const char *source, const char *kernel)
{
    struct strbuf head = {0};
    const char *at, *end, *found;

    strbuf_addf(&head, " %s(", kernel);
    at = strstr(source, strbuf_cstr(&head));
    end = at ? strstr(at, "\n}\n") : NULL;
    found = at ? strstr(at, "int ") : NULL;
    if (found && memmem(at, (size_t)(end - at), "(long)", strlen("(long)")))
        found = NULL;
    while (found && found < end && (isalnum((unsigned char)found[-1]) || found[4] == '*'))
        found = strstr(found + 1, "int ");
    strbuf_release(&head);
    return found && found < end;
}

/* A kernel of a large tensor, or of many work-items, must have no index of 32 bits. */
static void check_indices(struct check *check, const char *source, const struct dispatch *dispatch,
                          const struct launch *launch)
{
    int64_t most = 1;

    for (unsigned axis = 0; axis < launch->rank; axis++)
        most *= (int64_t)launch->global[axis];
    for (size_t i = 0; i < launch->arg_count; i++) {
        const struct launch_arg *arg = &launch->args[i];

        if (arg->kind == ARG_BUFFER && dispatch->buffers.items[arg->buffer].elements > most)
            most = dispatch->buffers.items[arg->buffer].elements;
    }
    if (most > most_indices && has_only_ints(source, launch->kernel))
        kernel_check_fault(check, "%s: an int does not hold %lld indices", launch->kernel,
                           (long long)most);
}

static void check_cluster(struct check *check, const struct launch *launch)
{
    size_t groups = 1;

    for (unsigned axis = 0; axis < launch->rank && launch->cluster[0]; axis++)
        groups *= launch->cluster[axis];
    if (groups > MOST_CLUSTER)
        kernel_check_fault(check, "%s: a cluster of %zu blocks", launch->kernel, groups);
}

/* A pointer or a number takes 8 bytes, the map of a tensor 128. */
static void check_parameters(struct check *check, const struct launch *launch)
{
    enum { ARGUMENT_BYTES = 8, MAP_BYTES = 128 };
    size_t bytes = launch->arg_count * ARGUMENT_BYTES + launch->tensor_map_count * MAP_BYTES;

    if (bytes > MOST_PARAMETER_BYTES)
        kernel_check_fault(check, "%s: %zu bytes of parameters", launch->kernel, bytes);
}

static void check_space(struct check *check, const struct launch *launch)
{
    size_t group[LAUNCH_MAX_RANK], threads = 1;

    launch_group(launch, group);
    for (unsigned axis = 0; axis < launch->rank; axis++) {
        check_axis(check, launch, axis, group[axis]);
        threads *= group[axis];
    }
    if (threads > MOST_THREADS)
        kernel_check_fault(check, "%s: a block has %zu threads", launch->kernel, threads);
    if (launch->shared > MOST_SHARED)
        kernel_check_fault(check, "%s: %lld bytes of shared memory", launch->kernel,
                           (long long)launch->shared);
    check_cluster(check, launch);
    check_parameters(check, launch);
}

static void check_buffers(struct check *check, const struct dispatch *dispatch)
{
    double bytes = 0;

    for (size_t i = 0; i < dispatch->buffers.count; i++) {
        const struct buffer_spec *buffer = &dispatch->buffers.items[i];

        bytes += (double)buffer->elements * (double)dtype_bytes(buffer->dtype);
    }
    json_put_number(check->row, "gigabytes", bytes / 1e9);
    if (bytes > (double)kernel_check_device.memory_bytes)
        kernel_check_fault(check, "%.0f GB of buffers", bytes / 1e9);
}

/* "... 'NAME' ... Used 40 registers, ... 1024 bytes smem" of the assembler's log. */
static void check_usage(struct check *check, const struct launch *launch, const char *log)
{
    enum { STEP = 8, WARP = 32 };
    struct strbuf quoted = {0};
    size_t group[LAUNCH_MAX_RANK], threads = 1;
    const char *at, *used, *end, *shared;
    long registers, bytes = (long)launch->shared;

    strbuf_addf(&quoted, "entry function '%s'", launch->kernel);
    at = strstr(log, strbuf_cstr(&quoted));
    used = at ? strstr(at, "Used ") : NULL;
    strbuf_release(&quoted);
    if (!used)
        return;
    launch_group(launch, group);
    for (unsigned axis = 0; axis < launch->rank; axis++)
        threads *= group[axis];
    registers = (strtol(used + strlen("Used "), NULL, 10) + STEP - 1) / STEP * STEP;
    if ((threads + WARP - 1) / WARP * WARP * (size_t)registers > MOST_REGISTERS)
        kernel_check_fault(check, "%s: %zu threads of %ld registers", launch->kernel, threads,
                           registers);
    end = strchr(used, '\n');
    shared = strstr(used, " bytes smem");
    if (!shared || (end && shared > end))
        return;
    while (shared > used && shared[-1] != ' ')
        shared--;
    bytes += strtol(shared, NULL, 10);
    if (bytes > MOST_SHARED)
        kernel_check_fault(check, "%s: %ld bytes of shared memory", launch->kernel, bytes);
}

static void check_source(struct check *check, const struct candidate *candidate,
                         const struct dispatch *dispatch)
{
    const struct program_source source = {.text = candidate->source,
                                          .options = dispatch->options ? dispatch->options : ""};
    struct build_report report = {0};
    struct binary binary = {0};

    if (compile_source(&(struct compile_target){check->nvrtc, "sm_90a", false}, &source, &binary,
                       &report))
        kernel_check_fault(check, "NVRTC: %.400s", binary.log);
    else
        for (size_t i = 0; i < dispatch->launches.count; i++)
            check_usage(check, &dispatch->launches.items[i], binary.log);
    json_put_number(check->row, "compile_ms", report.ms);
    binary_release(&binary);
    build_report_release(&report);
}

void kernel_check_dispatch(struct check *check, const struct candidate *candidate,
                           const struct dispatch *dispatch)
{
    json_put_number(check->row, "launches", (double)dispatch->launches.count);
    check_buffers(check, dispatch);
    for (size_t i = 0; i < dispatch->prepare.count; i++)
        check_space(check, &dispatch->prepare.items[i]);
    for (size_t i = 0; i < dispatch->launches.count; i++) {
        check_space(check, &dispatch->launches.items[i]);
        check_indices(check, candidate->source, dispatch, &dispatch->launches.items[i]);
    }
    if (check->nvrtc)
        check_source(check, candidate, dispatch);
}
