#include "backends/opencl/device.h"

#include <stdlib.h>
#include <string.h>

#include "backends/opencl/error.h"
#include "backends/opencl/host_symbols.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"
#include "core/base/vec.h"

struct device_ids {
    cl_device_id *items;
    size_t count, capacity;
};

/* Leaves the answer unchanged if the driver does not know the question. */
static void ask(cl_device_id id, cl_device_info question, void *answer, size_t size)
{
    (void)clGetDeviceInfo(id, question, size, answer, NULL);
}

static cl_uint ask_uint(cl_device_id id, cl_device_info question)
{
    cl_uint answer = 0;

    ask(id, question, &answer, sizeof(answer));
    return answer;
}

static cl_ulong ask_ulong(cl_device_id id, cl_device_info question)
{
    cl_ulong answer = 0;

    ask(id, question, &answer, sizeof(answer));
    return answer;
}

static char *ask_text(cl_device_id id, cl_device_info question)
{
    size_t size = 0;
    char *text;

    (void)clGetDeviceInfo(id, question, 0, NULL, &size);
    text = mem_alloc_zeroed(size + 1, 1);
    ask(id, question, text, size);
    return text;
}

/* Append the words separated by single blanks, because some drivers pad their texts. */
static void add_words(const char *words, struct strbuf *out)
{
    while (*(words += strspn(words, " "))) {
        size_t len = strcspn(words, " ");

        if (out->len)
            strbuf_adds(out, " ");
        strbuf_add(out, words, len);
        words += len;
    }
}

static void add_platform(cl_device_id id, cl_platform_info question, struct strbuf *out)
{
    cl_platform_id platform = NULL;
    char answer[256] = "OpenCL";

    ask(id, CL_DEVICE_PLATFORM, &platform, sizeof(platform));
    (void)clGetPlatformInfo(platform, question, sizeof(answer), answer, NULL);
    add_words(answer, out);
}

/* "NVIDIA CUDA 580.95.05": the platform and the version of its driver. */
static char *platform_text(cl_device_id id)
{
    struct strbuf text = {0};
    char *version = ask_text(id, CL_DRIVER_VERSION);

    add_platform(id, CL_PLATFORM_NAME, &text);
    add_words(version, &text);
    free(version);
    return strbuf_take(&text);
}

/* "OpenCL C 1.2 PoCL, OpenCL 3.0 PoCL 3.1 Linux, LLVM 15.0.6": the language, then the platform. */
static char *compiler_text(cl_device_id id)
{
    struct strbuf text = {0};
    char *language = ask_text(id, CL_DEVICE_OPENCL_C_VERSION);

    add_words(language, &text);
    strbuf_adds(&text, ",");
    add_platform(id, CL_PLATFORM_VERSION, &text);
    free(language);
    return strbuf_take(&text);
}

/* cl_khr_device_uuid; NVIDIA's driver gives the UUID that CUDA gives.  NULL if it is unknown. */
static char *uuid_text(cl_device_id id)
{
    static const cl_device_info device_uuid = 0x106A; /* CL_DEVICE_UUID_KHR */
    unsigned char bytes[DEVICE_UUID_BYTES];
    bool is_gpu = ask_ulong(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU;

    if (!is_gpu || clGetDeviceInfo(id, device_uuid, sizeof(bytes), bytes, NULL))
        return NULL;
    return device_info_uuid(bytes);
}

static struct device_info describe(cl_device_id id, size_t index)
{
    struct strbuf name = {0};
    size_t max_work_group = 0;

    strbuf_addf(&name, "opencl:%zu", index);
    ask(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, &max_work_group, sizeof(max_work_group));
    return (struct device_info){
        .id = strbuf_take(&name),
        .name = ask_text(id, CL_DEVICE_NAME),
        .uuid = uuid_text(id),
        .platform = platform_text(id),
        .compiler = compiler_text(id),
        .language = mem_strdup("opencl"),
        .is_cpu = ask_ulong(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU,
        .compute_units = ask_uint(id, CL_DEVICE_MAX_COMPUTE_UNITS),
        .vector_width_f32 = ask_uint(id, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT),
        .max_work_group = max_work_group,
        .memory_bytes = (int64_t)ask_ulong(id, CL_DEVICE_GLOBAL_MEM_SIZE),
        .max_buffer_bytes = (int64_t)ask_ulong(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
        .local_bytes = (int64_t)ask_ulong(id, CL_DEVICE_LOCAL_MEM_SIZE),
    };
}

/* Append the platform's devices; a platform that cannot list them counts as empty. */
static void list_platform(cl_platform_id platform, struct device_ids *ids)
{
    cl_uint count = 0;
    cl_device_id *found;

    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) || count == 0)
        return;
    found = mem_alloc_zeroed(count, sizeof(cl_device_id));
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, found, NULL))
        count = 0;
    for (cl_uint i = 0; i < count; i++) {
        if (ask_uint(found[i], CL_DEVICE_COMPILER_AVAILABLE))
            vec_push(ids, found[i]);
    }
    free(found);
}

/*
 * All devices of the machine.  Without drivers the loader answers CL_PLATFORM_NOT_FOUND_KHR, and
 * the list is empty.
 *
 * NVIDIA's driver reads CUDA_CACHE_DISABLE when it starts.  It is set so that the driver compiles
 * each program, because programs from its cache have no log.
 */
static struct device_ids list_devices(void)
{
    struct device_ids ids = {0};
    cl_uint count = 0;
    cl_platform_id *platforms;

    setenv("CUDA_CACHE_DISABLE", "1", 0);
    if (clGetPlatformIDs(0, NULL, &count) || count == 0)
        return ids;
    platforms = mem_alloc_zeroed(count, sizeof(cl_platform_id));
    if (clGetPlatformIDs(count, platforms, NULL))
        count = 0;
    for (cl_uint i = 0; i < count; i++)
        list_platform(platforms[i], &ids);
    free(platforms);
    return ids;
}

/* Say why there is no device: the loader has no platform, or its platforms have no device. */
static void say_absent(struct device_list *found)
{
    enum { MOST = 4, NAME_BYTES = 128 };
    cl_platform_id platforms[MOST];
    cl_uint count = 0;

    if (clGetPlatformIDs(MOST, platforms, &count) || count == 0)
        device_list_miss(found, "opencl", "OpenCL's loader has no platform");
    for (cl_uint i = 0; i < count && i < MOST; i++) {
        struct strbuf reason = {0};
        char name[NAME_BYTES] = "";

        (void)clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL);
        strbuf_addf(&reason, "OpenCL's loader has a platform \"%s\" without a device", name);
        device_list_miss(found, "opencl", strbuf_cstr(&reason));
        strbuf_release(&reason);
    }
}

enum status opencl_probe(struct device_list *found, struct error *err)
{
    struct device_ids ids = list_devices();

    (void)err;
    if (ids.count == 0)
        say_absent(found);
    for (size_t i = 0; i < ids.count; i++)
        vec_push(found, describe(ids.items[i], i));
    vec_release(&ids);
    return STATUS_OK;
}

/*
 * The driver writes one size for each of its dimensions, of which OpenCL guarantees 3; the array
 * has room for more.
 */
static void ask_item_sizes(struct device *device)
{
    size_t sizes[16] = {0};

    ask(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, sizeof(sizes));
    memcpy(device->item_sizes, sizes, sizeof(device->item_sizes));
}

/* The driver lists its extensions in one text. */
static bool has_extension(cl_device_id id, const char *name)
{
    char *extensions = ask_text(id, CL_DEVICE_EXTENSIONS);
    bool has = strstr(extensions, name);

    free(extensions);
    return has;
}

static struct device *device_new(cl_device_id id, size_t index)
{
    struct device *device = mem_alloc_zeroed(1, sizeof(*device));

    device->id = id;
    device->info = describe(id, index);
    device->alignment = ask_uint(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    device->has_f64 = ask_ulong(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    device->is_simulated = text_begins(device->info.platform, "Oclgrind");
    device->is_nvidia = has_extension(id, "cl_nv_compiler_options");
    ask_item_sizes(device);
    return device;
}

static enum status connect(struct device *device, struct error *err)
{
    cl_int code;

    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    if (code)
        return error_set(err, STATUS_UNAVAILABLE, "cannot open %s (%s): %s", device->info.id,
                         device->info.name, opencl_error_name(code));
    device->queue =
        clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code)
        return error_set(err, STATUS_UNAVAILABLE, "cannot create a queue on %s (%s): %s",
                         device->info.id, device->info.name, opencl_error_name(code));
    device->differs =
        clCreateBuffer(device->context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &code);
    if (code)
        return error_set(err, STATUS_UNAVAILABLE, "%s (%s) cannot allocate an int: %s",
                         device->info.id, device->info.name, opencl_error_name(code));
    return STATUS_OK;
}

enum status opencl_open(size_t index, struct device **device, struct error *err)
{
    struct device_ids ids = list_devices();
    size_t count = ids.count;
    struct device *opened = index < count ? device_new(ids.items[index], index) : NULL;
    enum status st;

    vec_release(&ids);
    if (!opened)
        return error_set(err, STATUS_UNAVAILABLE, "no device opencl:%zu: this machine has %zu",
                         index, count);
    st = connect(opened, err);
    if (st) {
        opencl_close(opened);
        return st;
    }
    /* A device is a pointer to the loader's structure, which begins with the driver's functions. */
    if (opened->info.is_cpu)
        host_symbols_hide(**(const void *const *const *)(const void *)opened->id);
    *device = opened;
    return STATUS_OK;
}

void internal_program_release(struct internal_program *program)
{
    for (size_t i = 0; i < INTERNAL_PROGRAM_KERNELS && program->kernels[i]; i++)
        clReleaseKernel(program->kernels[i]);
    free(program->options);
    *program = (struct internal_program){0};
}

static void release_internal_programs(struct device *device)
{
    for (size_t i = 0; i < device->internal_programs.count; i++)
        internal_program_release(&device->internal_programs.items[i]);
    vec_release(&device->internal_programs);
}

void opencl_close(struct device *device)
{
    if (!device)
        return;
    release_internal_programs(device);
    if (device->differs)
        clReleaseMemObject(device->differs);
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    if (device->context)
        clReleaseContext(device->context);
    device_info_release(&device->info);
    free(device);
}
