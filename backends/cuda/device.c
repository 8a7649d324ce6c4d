#include "backends/cuda/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"

enum status cuda_check(struct cuda_result result, struct error *err, const char *what, ...)
{
    char text[CUDA_ERROR_TEXT], task[256];
    va_list args;

    if (!result.code)
        return STATUS_OK;
    va_start(args, what);
    vsnprintf(task, sizeof(task), what, args);
    va_end(args);
    return error_set(err, result.status, "%s cannot %s: %s", result.device->info.id, task,
                     cuda_error_text(&result.device->cuda, result.code, text));
}

/* An attribute of the device; 0 if the driver does not know it. */
static int ask(const struct device *device, int attribute)
{
    int value = 0;

    (void)device->cuda.cuDeviceGetAttribute(&value, attribute, device->id);
    return value;
}

static int capability(const struct device *device)
{
    return 10 * ask(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           ask(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

/* The driver numbers versions 1000 * major + 10 * minor. */
static char *platform_text(const struct device *device)
{
    struct strbuf text = {0};
    int version = 0;

    (void)device->cuda.cuDriverGetVersion(&version);
    strbuf_addf(&text, "NVIDIA CUDA %d.%d", version / 1000, version % 1000 / 10);
    return strbuf_take(&text);
}

/* "NVRTC 13.0, sm_90a", or the reason why no candidate can be built. */
static char *compiler_text(const struct device *device)
{
    struct nvrtc nvrtc = {0};
    char arch[NVRTC_ARCH_SIZE];
    struct strbuf text = {0};
    struct error err = {0};

    if (nvrtc_open(&nvrtc, &err)) {
        strbuf_adds(&text, err.text);
        return strbuf_take(&text);
    }
    nvrtc_arch(&nvrtc, capability(device), arch);
    strbuf_addf(&text, "NVRTC %d.%d, %s", nvrtc.major, nvrtc.minor, arch);
    nvrtc_close(&nvrtc);
    return strbuf_take(&text);
}

/* NULL if the driver does not say. */
static char *uuid_text(const struct device *device)
{
    unsigned char bytes[DEVICE_UUID_BYTES];

    return device->cuda.cuDeviceGetUuid(bytes, device->id) ? NULL : device_info_uuid(bytes);
}

static struct device_info describe(const struct device *device, size_t index)
{
    const struct cuda_driver *cuda = &device->cuda;
    struct strbuf id = {0};
    char name[256] = "";
    size_t bytes = 0;
    struct device_info info;

    strbuf_addf(&id, "cuda:%zu", index);
    (void)cuda->cuDeviceGetName(name, sizeof(name), device->id);
    (void)cuda->cuDeviceTotalMem(&bytes, device->id);
    info = (struct device_info){
        .id = strbuf_take(&id),
        .name = mem_strdup(name),
        .uuid = uuid_text(device),
        .platform = platform_text(device),
        .compiler = compiler_text(device),
        .language = mem_strdup("cuda"),
        .compute_units = (unsigned)ask(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .vector_width_f32 = 1,
        .max_work_group = (size_t)ask(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .memory_bytes = (int64_t)bytes,
        .max_buffer_bytes = (int64_t)bytes,
        .local_bytes = ask(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    };
    device_info_add_language(&info, "triton");
    return info;
}

enum status cuda_probe(struct device_list *found, struct error *err)
{
    struct device device = {0};
    int count = 0;

    if (cuda_driver_open(&device.cuda, NULL))
        return STATUS_OK;
    if (device.cuda.cuDeviceGetCount(&count))
        count = 0;
    for (int i = 0; i < count; i++)
        if (!device.cuda.cuDeviceGet(&device.id, i))
            vec_push(found, describe(&device, (size_t)i));
    cuda_driver_close(&device.cuda);
    (void)err;
    return STATUS_OK;
}

/*
 * The cache's replacement policy is unknown and may keep old lines, so several times its size is
 * read to empty it.
 */
enum { EVICTION_FACTOR = 4 };

static enum status find_device(struct device *device, size_t index, struct error *err)
{
    int count = 0;

    (void)device->cuda.cuDeviceGetCount(&count);
    if (index >= (size_t)count || device->cuda.cuDeviceGet(&device->id, (int)index))
        return error_set(err, STATUS_UNAVAILABLE, "no device cuda:%zu: this machine has %d", index,
                         count);
    device->info = describe(device, index);
    device->eviction_bytes =
        EVICTION_FACTOR * (size_t)ask(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    for (int axis = 0; axis < LAUNCH_MAX_RANK; axis++) {
        device->max_block[axis] = ask(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis);
        device->max_grid[axis] = ask(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis);
    }
    return STATUS_OK;
}

static enum status connect(struct device *device, struct error *err)
{
    const struct cuda_driver *cuda = &device->cuda;
    CUresult code = cuda->cuDevicePrimaryCtxRetain(&device->context, device->id);

    if (!code)
        code = cuda->cuCtxSetCurrent(device->context);
    return cuda_check(cuda_result(device, code, STATUS_UNAVAILABLE), err, "be opened");
}

static enum status open_device(struct device *device, size_t index, struct error *err)
{
    enum status st = cuda_driver_open(&device->cuda, err);

    if (!st)
        st = find_device(device, index, err);
    if (!st)
        st = nvrtc_open(&device->nvrtc, err);
    if (st)
        return st;
    nvrtc_arch(&device->nvrtc, capability(device), device->arch);
    return connect(device, err);
}

enum status cuda_device_open(size_t index, struct device **device, struct error *err)
{
    struct device *opened = mem_alloc_zeroed(1, sizeof(*opened));
    enum status st = open_device(opened, index, err);

    if (st)
        cuda_device_close(opened);
    else
        *device = opened;
    return st;
}

void cuda_device_close(struct device *device)
{
    const struct cuda_driver *cuda = &device->cuda;

    if (device->context) {
        cuda_staging_close(&device->staging, cuda);
        (void)cuda->cuDevicePrimaryCtxRelease(device->id);
    }
    nvrtc_close(&device->nvrtc);
    cuda_driver_close(&device->cuda);
    device_info_release(&device->info);
    free(device);
}
