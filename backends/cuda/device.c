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
    if (result.code == CUDA_ERROR_OUT_OF_MEMORY)
        result.status = STATUS_UNAVAILABLE;
    return error_set(err, result.status, "%s cannot %s: %s", result.device->info.id, task,
                     cuda_error_text(&result.device->cuda, result.code, text));
}

int cuda_attribute(const struct device *device, enum gpu_attribute attribute)
{
    int value = 0;

    (void)device->cuda.cuDeviceGetAttribute(&value, device->platform->attributes[attribute],
                                            device->id);
    return value;
}

/* CUdevice_attribute of cuda.h */
enum { COMPUTE_CAPABILITY_MAJOR = 75, COMPUTE_CAPABILITY_MINOR = 76 };

int cuda_capability(const struct device *device)
{
    int major = 0, minor = 0;

    (void)device->cuda.cuDeviceGetAttribute(&major, COMPUTE_CAPABILITY_MAJOR, device->id);
    (void)device->cuda.cuDeviceGetAttribute(&minor, COMPUTE_CAPABILITY_MINOR, device->id);
    return 10 * major + minor;
}

/* "NVIDIA CUDA 12.4" */
static char *platform_text(const struct device *device)
{
    const struct gpu_platform *platform = device->platform;
    struct strbuf text = {0};
    int version = 0;

    (void)device->cuda.cuDriverGetVersion(&version);
    strbuf_addf(&text, "%s %d.%d", platform->title, version / platform->version_major,
                version % platform->version_major / platform->version_minor);
    return strbuf_take(&text);
}

/* "NVRTC 13.0, sm_90a", or the reason why no candidate can be built. */
static char *compiler_text(const struct device *device)
{
    struct device asked = *device;
    struct strbuf text = {0};
    struct error err = {0};

    if (nvrtc_open(device->platform, &asked.nvrtc, &err)) {
        strbuf_adds(&text, err.text);
        return strbuf_take(&text);
    }
    device->platform->find_arch(&asked, asked.arch);
    strbuf_addf(&text, "%s %d.%d, %s", device->platform->compiler, asked.nvrtc.major,
                asked.nvrtc.minor, asked.arch);
    nvrtc_close(&asked.nvrtc);
    return strbuf_take(&text);
}

/* The device's UUID as text; NULL if the driver does not report it. The caller frees it. */
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

    strbuf_addf(&id, "%s:%zu", device->platform->name, index);
    (void)cuda->cuDeviceGetName(name, sizeof(name), device->id);
    (void)cuda->cuDeviceTotalMem(&bytes, device->id);
    info = (struct device_info){
        .id = strbuf_take(&id),
        .name = mem_strdup(name),
        .uuid = uuid_text(device),
        .platform = platform_text(device),
        .compiler = compiler_text(device),
        .language = mem_strdup(device->platform->name),
        .compute_units = (unsigned)cuda_attribute(device, GPU_UNITS),
        .vector_width_f32 = 1,
        .max_work_group = (size_t)cuda_attribute(device, GPU_THREADS_PER_BLOCK),
        .memory_bytes = (int64_t)bytes,
        .max_buffer_bytes = (int64_t)bytes,
        .local_bytes = cuda_attribute(device, GPU_SHARED_BYTES),
    };
    for (const char *const *more = device->platform->more_languages; *more; more++)
        device_info_add_language(&info, *more);
    return info;
}

void cuda_probe(const struct gpu_platform *platform, struct device_list *found)
{
    struct device device = {.platform = platform};
    struct error why = {0};
    int count = 0;

    if (cuda_driver_open(platform, &device.cuda, &why)) {
        if (cuda_driver_is_there(platform))
            device_list_miss(found, platform->name, why.text);
        return;
    }
    if (device.cuda.cuDeviceGetCount(&count))
        count = 0;
    if (count == 0)
        device_list_miss(found, platform->name, platform->no_device);
    for (int i = 0; i < count; i++)
        if (!device.cuda.cuDeviceGet(&device.id, i))
            vec_push(found, describe(&device, (size_t)i));
    cuda_driver_close(&device.cuda);
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
        return error_set(err, STATUS_UNAVAILABLE, "no device %s:%zu: this machine has %d",
                         device->platform->name, index, count);
    device->info = describe(device, index);
    device->eviction_bytes = EVICTION_FACTOR * (size_t)cuda_attribute(device, GPU_L2_BYTES);
    for (int axis = 0; axis < LAUNCH_MAX_RANK; axis++) {
        device->max_block[axis] = cuda_attribute(device, GPU_BLOCK_X + (enum gpu_attribute)axis);
        device->max_grid[axis] = cuda_attribute(device, GPU_GRID_X + (enum gpu_attribute)axis);
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
    enum status st = cuda_driver_open(device->platform, &device->cuda, err);

    if (!st)
        st = find_device(device, index, err);
    if (!st)
        st = nvrtc_open(device->platform, &device->nvrtc, err);
    if (st)
        return st;
    device->platform->find_arch(device, device->arch);
    return connect(device, err);
}

enum status cuda_device_open(const struct gpu_platform *platform, size_t index,
                             struct device **device, struct error *err)
{
    struct device *opened = mem_alloc_zeroed(1, sizeof(*opened));
    enum status st;

    opened->platform = platform;
    st = open_device(opened, index, err);

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
    kept_kernels_release(&device->kept);
    nvrtc_close(&device->nvrtc);
    cuda_driver_close(&device->cuda);
    device_info_release(&device->info);
    free(device);
}
