#include "backends/cuda/internal_kernels.h"

enum status cuda_internal_build(struct device *device, const struct program_source *source,
                                struct program **program, struct error *err)
{
    struct build_report report = {0};
    enum status st = cuda_build(device, source, program, &report, err);

    if (!st && !*program)
        st = error_set(err, STATUS_UNAVAILABLE, "%s rejects kforge's internal kernels: %s",
                       device->info.compiler, report.log);
    build_report_release(&report);
    return st;
}

CUresult cuda_internal_launch(const struct program *program, const char *kernel,
                              struct line_of_blocks space, void **arguments)
{
    const struct cuda_driver *cuda = &program->device->cuda;
    const CUlaunchConfig config = {.gridDimX = space.blocks,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = space.threads,
                                   .blockDimY = 1,
                                   .blockDimZ = 1};
    struct kernel found;

    if (cuda_program_kernel(program, kernel, &found, NULL))
        return CUDA_ERROR_NOT_FOUND;
    return cuda_driver_launch(cuda, &config, found.handle, arguments);
}

CUresult cuda_evict_l2(const struct device *device)
{
    CUdeviceptr memory = device->eviction;
    uint64_t count = device->eviction_bytes / 16;
    void *arguments[] = {&memory, &count, &memory};

    return cuda_internal_launch(device->timing_program, "evict",
                                (struct line_of_blocks){4 * device->info.compute_units, 512},
                                arguments);
}

CUresult cuda_keep_busy(const struct device *device, unsigned us)
{
    void *arguments[] = {&us};

    return cuda_internal_launch(device->timing_program, "keep_busy", (struct line_of_blocks){1, 1},
                                arguments);
}

/*
 * Measure the time between two events with no work between them, on a device that is busy when they
 * are queued.
 */
static CUresult measure_pair(const struct device *device, const CUevent events[2], float *us)
{
    const struct cuda_driver *cuda = &device->cuda;
    CUresult code = cuda_keep_busy(device, 50);
    float ms = 0;

    if (!code)
        code = cuda->cuEventRecord(events[0], NULL);
    if (!code)
        code = cuda->cuEventRecord(events[1], NULL);
    if (!code)
        code = cuda->cuCtxSynchronize();
    if (!code)
        code = cuda->cuEventElapsedTime(&ms, events[0], events[1]);
    *us = 1000 * ms;
    return code;
}

enum { OVERHEAD_RUNS = 20 };

static CUresult measure_overhead(struct device *device)
{
    CUevent events[2] = {NULL, NULL};
    CUresult code = device->cuda.cuEventCreate(&events[0], 0);
    float us = 0;

    if (!code)
        code = device->cuda.cuEventCreate(&events[1], 0);
    for (int i = 0; !code && i < OVERHEAD_RUNS; i++) {
        code = measure_pair(device, events, &us);
        if (i == 0 || (double)us < device->overhead_us)
            device->overhead_us = (double)us;
    }
    if (events[0])
        (void)device->cuda.cuEventDestroy(events[0]);
    if (events[1])
        (void)device->cuda.cuEventDestroy(events[1]);
    return code;
}

enum status cuda_internal_load(struct device *device, struct error *err)
{
    const struct program_source source = {.text = device->platform->timing_source, .options = ""};
    enum status st = cuda_internal_build(device, &source, &device->timing_program, err);

    if (!st)
        st = cuda_check(
            cuda_result(device, device->cuda.cuMemAlloc(&device->eviction, device->eviction_bytes),
                        STATUS_UNAVAILABLE),
            err, "allocate %zu bytes to evict the L2 cache", device->eviction_bytes);
    if (!st)
        st = cuda_check(cuda_result(device,
                                    device->cuda.cuMemAlloc(&device->result, sizeof(uint64_t)),
                                    STATUS_UNAVAILABLE),
                        err, "allocate a word");
    if (!st)
        st = cuda_check(
            cuda_result(device,
                        device->cuda.cuMemsetD32(device->eviction, 0, device->eviction_bytes / 4),
                        STATUS_UNAVAILABLE),
            err, "clear memory");
    if (!st)
        st = cuda_check(cuda_result(device, measure_overhead(device), STATUS_UNAVAILABLE), err,
                        "time two events");
    return st;
}

void cuda_internal_unload(struct device *device)
{
    for (size_t kind = 0; kind < FILL_KIND_COUNT; kind++)
        for (size_t dtype = 0; dtype < DTYPE_COUNT; dtype++)
            cuda_program_free(device->fill_programs[kind][dtype]);
    cuda_program_free(device->digest_program);
    cuda_program_free(device->timing_program);
    if (device->result)
        (void)device->cuda.cuMemFree(device->result);
    if (device->eviction)
        (void)device->cuda.cuMemFree(device->eviction);
}
