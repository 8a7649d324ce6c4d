#include "backends/cuda/program.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cuda/compile.h"
#include "backends/diagnostics/compiler_log.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/system/clock.h"

/* Load machine code if there is any; otherwise the driver translates the PTX. */
static enum status load(struct program *program, struct error *err)
{
    const struct device *device = program->device;
    const struct binary *binary = &program->binary;
    const void *code = binary->machine.len ? binary->machine.data : binary->ptx;

    return cuda_check(
        cuda_result(device, device->cuda.cuModuleLoadData(&program->module, code), STATUS_IO), err,
        "load the compiled program");
}

/*
 * Load the binary of an earlier build.  False if there is none, or if the driver refuses it: the
 * source is then compiled again.
 */
static bool recall(struct program *program, const struct program_source *source,
                   struct build_report *report)
{
    int64_t start_us = clock_now_us();

    if (!source->binary)
        return false;
    program->binary = binary_copy(source->binary);
    report->is_cached = !load(program, NULL);
    report->ms = (double)(clock_now_us() - start_us) / 1000;
    if (!report->is_cached)
        binary_release(&program->binary);
    return report->is_cached;
}

/*
 * Compile and load.  `*code` is the compiler's result: STATUS_OK together with a `*code` that is
 * not NVRTC_SUCCESS means that the compiler rejects the source.
 */
static enum status compile(struct program *program, const struct program_source *source,
                           struct build_report *report, nvrtcResult *code, struct error *err)
{
    const struct device *device = program->device;

    *code = compile_source(&device->nvrtc, device->arch, source, &program->binary, report);
    if (!*code)
        return load(program, err);
    if (*code != NVRTC_ERROR_COMPILATION && *code != NVRTC_ERROR_INVALID_OPTION)
        return error_set(err, STATUS_IO, "NVRTC cannot compile: %s",
                         device->nvrtc.nvrtcGetErrorString(*code));
    return STATUS_OK;
}

static enum status find_kernels(struct program *program, struct error *err)
{
    const struct device *device = program->device;
    enum status st = STATUS_OK;

    ptx_read(program->binary.ptx, &program->entries);
    program->handles = mem_alloc_zeroed(program->entries.count + 1, sizeof(*program->handles));
    for (size_t i = 0; !st && i < program->entries.count; i++)
        st = cuda_check(
            cuda_result(device,
                        device->cuda.cuModuleGetFunction(&program->handles[i], program->module,
                                                         program->entries.items[i].name),
                        STATUS_IO),
            err, "find the kernel %s", program->entries.items[i].name);
    return st;
}

enum status cuda_build(struct device *device, const struct program_source *source,
                       struct program **program, struct build_report *report, struct error *err)
{
    struct build_report made = {.is_present = true, .options = mem_strdup(source->options)};
    struct program *built = mem_alloc_zeroed(1, sizeof(*built));
    nvrtcResult code = NVRTC_SUCCESS;
    enum status st = STATUS_OK;

    built->device = device;
    if (!recall(built, source, &made))
        st = compile(built, source, &made, &code, err);
    if (built->binary.log)
        made.log = mem_strdup(built->binary.log);
    if (!st && !code)
        st = find_kernels(built, err);
    if (st) {
        build_report_release(&made);
        cuda_program_free(built);
        return st;
    }
    if (code) {
        compiler_log_read_failure(&made);
        cuda_program_free(built);
        built = NULL;
    } else {
        compiler_log_read(&made);
    }
    *report = made;
    *program = built;
    return STATUS_OK;
}

void cuda_program_free(struct program *program)
{
    if (!program)
        return;
    ptx_entries_release(&program->entries);
    free(program->handles);
    if (program->module)
        (void)program->device->cuda.cuModuleUnload(program->module);
    binary_release(&program->binary);
    free(program);
}

enum status cuda_binary(const struct program *program, struct binary *made, struct error *err)
{
    (void)err;
    *made = binary_copy(&program->binary);
    return STATUS_OK;
}

enum status cuda_code(struct program *program, enum code_kind kind, struct strbuf *out,
                      struct error *err)
{
    if (kind == CODE_PTX)
        strbuf_adds(out, program->binary.ptx);
    else if (program->binary.machine.len)
        strbuf_add(out, program->binary.machine.data, program->binary.machine.len);
    else
        return error_set(
            err, STATUS_UNAVAILABLE,
            "%s compiles to PTX only for %s, and the driver does not show its machine code: "
            "install a newer toolkit",
            program->device->info.compiler, program->device->info.name);
    return STATUS_OK;
}

enum status cuda_program_kernel(const struct program *program, const char *name,
                                struct kernel *kernel, struct error *err)
{
    struct strbuf names = {0};
    enum status st;

    for (size_t i = 0; i < program->entries.count; i++) {
        const struct ptx_entry *entry = &program->entries.items[i];

        if (strcmp(entry->name, name) == 0) {
            strbuf_release(&names);
            *kernel = (struct kernel){entry, program->handles[i]};
            return STATUS_OK;
        }
        strbuf_addf(&names, "%s%s", i ? ", " : "", entry->name);
    }
    st = error_set(err, STATUS_INVALID,
                   "the source has no kernel %s: it has %s (a kernel is extern \"C\" __global__)",
                   name, names.len ? strbuf_cstr(&names) : "none");
    strbuf_release(&names);
    return st;
}
