#include "backends/cuda/program.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cuda/compile_parts.h"
#include "backends/diagnostics/compiler_log.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/system/clock.h"

static enum status load_module(struct program *program, const struct strbuf *machine,
                               const char *ptx, struct error *err)
{
    const struct device *device = program->device;
    const void *code = machine->len ? machine->data : ptx;
    CUmodule *module = &program->modules[program->module_count];
    enum status st =
        cuda_check(cuda_result(device, device->cuda.cuModuleLoadData(module, code), STATUS_IO), err,
                   "load the compiled program");

    if (!st)
        program->module_count++;
    return st;
}

static void unload(struct program *program)
{
    for (size_t i = 0; i < program->module_count; i++)
        (void)program->device->cuda.cuModuleUnload(program->modules[i]);
    free(program->modules);
    program->modules = NULL;
    program->module_count = 0;
}

/* Load machine code if there is any; otherwise the driver translates the PTX. */
static enum status load(struct program *program, struct error *err)
{
    const struct binary *binary = &program->binary;
    size_t parts = binary->parts.count;
    enum status st = STATUS_OK;

    program->modules = mem_alloc_zeroed(parts + 1, sizeof(*program->modules));
    for (size_t i = 0; !st && i < parts; i++)
        st = load_module(program, &binary->parts.items[i].machine, binary->parts.items[i].ptx, err);
    if (!parts)
        st = load_module(program, &binary->machine, binary->ptx, err);
    if (st)
        unload(program);
    return st;
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

/* Load the machine code that another compiler has made from a source in another language. */
static enum status take(struct program *program, const struct program_source *source,
                        struct build_report *report, struct error *err)
{
    int64_t start_us = clock_now_us();
    enum status st;

    program->binary = binary_copy(source->binary);
    st = load(program, err);
    report->ms = (double)(clock_now_us() - start_us) / 1000;
    return st;
}

/*
 * Compile and load.  `*code` is the compiler's result: STATUS_OK together with a `*code` that is
 * not NVRTC_SUCCESS means that the compiler rejects the source.
 */
static enum status compile(struct program *program, const struct program_source *source,
                           struct build_report *report, nvrtcResult *code, struct error *err)
{
    struct device *device = program->device;
    bool is_exposed = cuda_attribute(device, GPU_HOST_MEMORY) == 1;
    const struct compile_target target = {&device->nvrtc, device->arch, false};

    if (device->platform->has_parts &&
        compile_parts(&target, source, is_exposed ? NULL : &device->kept, &program->binary, report))
        *code = NVRTC_SUCCESS;
    else
        *code = compile_source(&target, source, &program->binary, report);
    if (!*code)
        return load(program, err);
    if (*code != NVRTC_ERROR_COMPILATION && *code != NVRTC_ERROR_INVALID_OPTION)
        return error_set(err, STATUS_IO, "%s cannot compile: %s", device->platform->compiler,
                         device->nvrtc.nvrtcGetErrorString(*code));
    return STATUS_OK;
}

/* Find the kernels that a module declares. */
static enum status find_in_module(struct program *program, size_t module,
                                  const struct strbuf *machine, const char *ptx, struct error *err)
{
    const struct device *device = program->device;
    size_t first = program->entries.count;
    enum status st = STATUS_OK;

    device->platform->read_entries(machine, ptx, &program->entries);
    program->handles =
        mem_resize(program->handles, program->entries.count + 1, sizeof(*program->handles));
    for (size_t i = first; !st && i < program->entries.count; i++)
        st = cuda_check(cuda_result(device,
                                    device->cuda.cuModuleGetFunction(
                                        &program->handles[i], program->modules[module],
                                        program->entries.items[i].name),
                                    STATUS_IO),
                        err, "find the kernel %s", program->entries.items[i].name);
    return st;
}

/* The kernel of a part has the name by which the launches call it. */
static enum status find_in_part(struct program *program, size_t index, struct error *err)
{
    const struct binary_part *part = &program->binary.parts.items[index];
    size_t first = program->entries.count;
    enum status st = find_in_module(program, index, &part->machine, part->ptx, err);

    if (!st && program->entries.count == first)
        st = error_set(err, STATUS_INVALID, "the code of %s has no kernel", part->kernel);
    if (!st) {
        free(program->entries.items[first].name);
        program->entries.items[first].name = mem_strdup(part->kernel);
    }
    return st;
}

static enum status find_kernels(struct program *program, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < program->binary.parts.count; i++)
        st = find_in_part(program, i, err);
    if (program->binary.parts.count)
        return st;
    return find_in_module(program, 0, &program->binary.machine, program->binary.ptx, err);
}

enum status cuda_build(struct device *device, const struct program_source *source,
                       struct program **program, struct build_report *report, struct error *err)
{
    struct build_report made = {.is_present = true, .options = mem_strdup(source->options)};
    struct program *built = mem_alloc_zeroed(1, sizeof(*built));
    nvrtcResult code = NVRTC_SUCCESS;
    enum status st = STATUS_OK;

    built->device = device;
    if (source->language && source->binary)
        st = take(built, source, &made, err);
    else if (!recall(built, source, &made))
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
    unload(program);
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
    const struct binary *binary = &program->binary;

    if (kind == CODE_PTX)
        strbuf_adds(out, binary->ptx);
    for (size_t i = 0; kind == CODE_PTX && i < binary->parts.count; i++)
        strbuf_addf(out, "%s%s", i ? "\n" : "", binary->parts.items[i].ptx);
    if (kind == CODE_PTX)
        return STATUS_OK;
    if (binary->parts.count > 1)
        return error_set(err, STATUS_UNAVAILABLE,
                         "the program has %zu files of machine code: take them from its binary",
                         binary->parts.count);
    if (binary->parts.count)
        strbuf_add(out, binary->parts.items[0].machine.data, binary->parts.items[0].machine.len);
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
    const struct ptx_entries *entries = &program->entries;
    struct strbuf names = {0};
    enum status st;

    for (size_t i = 0; i < entries->count; i++)
        if (strcmp(entries->items[i].name, name) == 0) {
            *kernel =
                (struct kernel){program->device->platform, &entries->items[i], program->handles[i]};
            return STATUS_OK;
        }
    for (size_t i = 0; i < entries->count; i++)
        strbuf_addf(&names, "%s%s", i ? ", " : "", entries->items[i].name);
    st = error_set(err, STATUS_INVALID,
                   "the source has no kernel %s: it has %s (a kernel is extern \"C\" __global__)",
                   name, names.len ? strbuf_cstr(&names) : "none");
    strbuf_release(&names);
    return st;
}
