#include "backends/opencl/program.h"

#include <string.h>

#include "backends/diagnostics/compiler_log.h"
#include "backends/opencl/binary.h"
#include "backends/opencl/error.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/system/clock.h"

static char *build_log(const struct program *program)
{
    cl_device_id id = program->device->id;
    size_t size = 0;
    char *log, *named;

    (void)clGetProgramBuildInfo(program->handle, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    log = mem_alloc_zeroed(size + 1, 1);
    (void)clGetProgramBuildInfo(program->handle, id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    named = compiler_log_name_source(log);
    free(log);
    return named;
}

/* True if a failed build is the fault of the source or the options, not of the driver. */
static bool is_rejection(const struct program *program, cl_int code)
{
    cl_build_status status = CL_BUILD_NONE;

    (void)clGetProgramBuildInfo(program->handle, program->device->id, CL_PROGRAM_BUILD_STATUS,
                                sizeof(status), &status, NULL);
    return status == CL_BUILD_ERROR || code == CL_BUILD_PROGRAM_FAILURE ||
           code == CL_INVALID_BUILD_OPTIONS;
}

/*
 * Text in front of the source.  On a CPU, inline assembler could make system calls; a poisoned
 * identifier cannot be made valid again, not even by a macro.
 */
static const char *prelude(const struct device *device)
{
    return device->info.is_cpu ? "#pragma GCC poison asm __asm __asm__\n#line 1\n" : "";
}

/*
 * Load the binary of an earlier build.  False if there is none, or if the driver refuses it: the
 * source is then compiled again.
 */
static bool recall(struct program *program, const struct program_source *source,
                   struct build_report *report)
{
    const struct device *device = program->device;
    int64_t start_us = clock_now_us();
    cl_int code;

    if (!source->binary)
        return false;
    program->handle = opencl_binary_load(device, &source->binary->machine, &code);
    if (!code)
        code = clBuildProgram(program->handle, 1, &device->id, report->options, NULL, NULL);
    report->is_cached = report->is_present = !code;
    report->ms = (double)(clock_now_us() - start_us) / 1000;
    if (code && program->handle)
        clReleaseProgram(program->handle);
    program->log = report->is_cached ? mem_strdup(source->binary->log) : NULL;
    report->log = report->is_cached ? mem_strdup(source->binary->log) : NULL;
    return report->is_cached;
}

/*
 * Compile.  `*code` is the driver's result: STATUS_OK together with a `*code` that is not
 * CL_SUCCESS means that the compiler rejects the source.
 */
static enum status compile(struct program *program, const char *source, struct build_report *report,
                           cl_int *code, struct error *err)
{
    const struct device *device = program->device;
    const char *texts[] = {prelude(device), source};
    struct strbuf options = {0};
    int64_t start_us;

    /*
     * Without -cl-kernel-arg-info no driver reports the types of arguments, and a wrong one would
     * not be noticed.
     */
    strbuf_addf(&options, "%s -cl-kernel-arg-info%s", report->options,
                device->is_nvidia ? " -cl-nv-verbose" : "");
    program->handle = clCreateProgramWithSource(device->context, 2, texts, NULL, code);
    start_us = clock_now_us();
    if (!*code)
        *code = clBuildProgram(program->handle, 1, &device->id, strbuf_cstr(&options), NULL, NULL);
    report->ms = (double)(clock_now_us() - start_us) / 1000;
    strbuf_release(&options);
    if (!program->handle)
        return error_set(err, STATUS_IO, "cannot create a program on %s: %s", device->info.id,
                         opencl_error_name(*code));
    if (*code && !is_rejection(program, *code))
        return error_set(err, STATUS_IO, "%s cannot compile: %s", device->info.id,
                         opencl_error_name(*code));
    program->log = build_log(program);
    report->log = mem_strdup(program->log);
    report->is_present = true;
    return STATUS_OK;
}

/* True if the word `local` or `__local` is in the source; get_local_id() does not count. */
static bool mentions_local(const char *source)
{
    for (const char *at = source; (at = strstr(at, "local")); at++) {
        const char *begin = at;

        while (begin > source && text_is_of_name(begin[-1]))
            begin--;
        if (!text_is_of_name(at[5]) &&
            (begin == at || (at - begin == 2 && strncmp(begin, "__", 2) == 0)))
            return true;
    }
    return false;
}

enum status opencl_build(struct device *device, const struct program_source *source,
                         struct program **program, struct build_report *report, struct error *err)
{
    struct build_report made = {.options = mem_strdup(source->options)};
    struct program *built = mem_alloc_zeroed(1, sizeof(*built));
    cl_int code = CL_SUCCESS;
    enum status st = STATUS_OK;

    built->device = device;
    built->mentions_local = mentions_local(source->text);
    if (!recall(built, source, &made))
        st = compile(built, source->text, &made, &code, err);
    if (st) {
        free(made.options);
        opencl_program_free(built);
        return st;
    }
    if (code) {
        compiler_log_read_failure(&made);
        opencl_program_free(built);
        built = NULL;
    } else {
        compiler_log_read(&made);
    }
    *report = made;
    *program = built;
    return STATUS_OK;
}

void opencl_program_free(struct program *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->kernels.count; i++) {
        clReleaseKernel(program->kernels.items[i].handle);
        free(program->kernels.items[i].name);
    }
    vec_release(&program->kernels);
    free(program->log);
    if (program->handle)
        clReleaseProgram(program->handle);
    free(program);
}

/* The "binary" of NVIDIA's driver is PTX; the formats of other drivers are their own. */
enum status opencl_code(struct program *program, enum code_kind kind, struct strbuf *out,
                        struct error *err)
{
    const struct device *device = program->device;
    struct strbuf binary = {0};

    if (!device->is_nvidia || kind != CODE_PTX)
        return error_set(err, STATUS_UNAVAILABLE, "the driver of %s does not show %s",
                         device->info.id, kind == CODE_PTX ? "PTX" : "machine code");
    opencl_binary_read(program->handle, &binary);
    strbuf_adds(out, strbuf_cstr(&binary));
    strbuf_release(&binary);
    return STATUS_OK;
}

enum status opencl_binary(const struct program *program, struct binary *made, struct error *err)
{
    const struct device_info *device = &program->device->info;

    if (!device->is_cpu)
        return error_set(err, STATUS_UNAVAILABLE, "the driver of %s caches its binaries itself",
                         device->id);
    *made = (struct binary){.log = mem_strdup(program->log), .ptx = mem_strdup("")};
    opencl_binary_read(program->handle, &made->machine);
    return STATUS_OK;
}

/*
 * Read the limits before any argument is set, so that the local memory is what the kernel declares.
 * NVIDIA's driver adds some of its own, even for a kernel that declares none.
 */
static struct kernel describe(const struct program *program, cl_kernel handle, const char *name)
{
    cl_device_id id = program->device->id;
    struct kernel kernel = {.name = mem_strdup(name), .handle = handle};
    cl_ulong local_bytes = 0;
    cl_int code;

    (void)clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof(kernel.arg_count), &kernel.arg_count,
                          NULL);
    (void)clGetKernelWorkGroupInfo(handle, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof(kernel.max_group),
                                   &kernel.max_group, NULL);
    code = clGetKernelWorkGroupInfo(handle, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(local_bytes),
                                    &local_bytes, NULL);
    kernel.has_local = !program->mentions_local || (!code && local_bytes);
    kernel.local_bytes = program->mentions_local ? (int64_t)local_bytes : 0;
    return kernel;
}

/* True if the driver has renamed the kernel because a built-in function has its name, as PoCL does.
 */
static bool is_built_in(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(names, "_cl_"); at; at = strstr(at + 1, "_cl_"))
        if ((at == names || at[-1] == ';') && strncmp(at + 4, name, length) == 0 &&
            (at[4 + length] == ';' || at[4 + length] == '\0'))
            return true;
    return false;
}

/* An error that lists the program's kernels, which OpenCL separates by semicolons. */
static enum status no_kernel(const struct program *program, const char *name, cl_int code,
                             struct error *err)
{
    char names[256] = "";

    if (code != CL_INVALID_KERNEL_NAME)
        return error_set(err, STATUS_INVALID, "cannot create kernel %s: %s", name,
                         opencl_error_name(code));
    (void)clGetProgramInfo(program->handle, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL);
    if (is_built_in(names, name))
        return error_set(err, STATUS_INVALID,
                         "%s is a built-in function of OpenCL C: give the kernel another name",
                         name);
    return error_set(err, STATUS_INVALID, "the source has no kernel %s: it has %s", name,
                     *names ? names : "others");
}

enum status opencl_program_kernel(struct program *program, const char *name,
                                  const struct kernel **kernel, struct error *err)
{
    cl_kernel handle;
    cl_int code;

    for (size_t i = 0; i < program->kernels.count; i++) {
        if (strcmp(program->kernels.items[i].name, name) == 0) {
            *kernel = &program->kernels.items[i];
            return STATUS_OK;
        }
    }
    handle = clCreateKernel(program->handle, name, &code);
    if (code)
        return no_kernel(program, name, code, err);
    vec_push(&program->kernels, describe(program, handle, name));
    *kernel = &program->kernels.items[program->kernels.count - 1];
    return STATUS_OK;
}
