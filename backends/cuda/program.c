#include "backends/cuda/program.h"

#include <stdlib.h>
#include <string.h>

#include "backends/compiler_log.h"
#include "core/base/clock.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"

/* Words of the compiler's command line. */
struct words {
    char **items;
    size_t count, capacity;
};

static void add_word(struct words *words, const char *option, const char *value)
{
    struct strbuf word = {0};

    strbuf_addf(&word, "%s%s", option, value);
    vec_push(words, strbuf_take(&word));
}

static void words_release(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    vec_release(words);
}

/* The judge's own options, then the candidate's, which are separated by blanks. */
static struct words list_options(const struct device *device, const char *options)
{
    struct words words = {0};
    char *headers = nvrtc_headers(), *copy = mem_strdup(options), *rest = copy;
    const char *option;

    add_word(&words, "--gpu-architecture=", device->arch);
    add_word(&words, "--ptxas-options=", "-v");
    add_word(&words, "--generate-line-info", "");
    add_word(&words, "--device-as-default-execution-space", "");
    if (headers)
        add_word(&words, "--include-path=", headers);
    while ((option = strsep(&rest, " ")))
        if (*option)
            add_word(&words, option, "");
    free(headers);
    free(copy);
    return words;
}

typedef nvrtcResult size_function(nvrtcProgram, size_t *);
typedef nvrtcResult text_function(nvrtcProgram, char *);

/* What the compiler made, log or code; empty where it made none. The caller frees. */
static char *take(nvrtcProgram handle, size_function *ask_size, text_function *ask)
{
    size_t size = 0;
    char *text;

    (void)ask_size(handle, &size);
    text = mem_alloc_zeroed(size + 1, 1);
    if (size && ask(handle, text))
        *text = '\0';
    return text;
}

/* A real architecture has machine code; a virtual one has PTX alone, which the driver translates.
 */
static enum status load(struct program *program, nvrtcProgram handle, struct error *err)
{
    const struct device *device = program->device;
    const struct nvrtc *nvrtc = &device->nvrtc;
    char *code = take(handle, nvrtc->nvrtcGetCUBINSize, nvrtc->nvrtcGetCUBIN);
    size_t size = 0;

    (void)nvrtc->nvrtcGetCUBINSize(handle, &size);
    strbuf_add(&program->machine, code, *code ? size : 0);
    free(code);
    program->ptx = take(handle, nvrtc->nvrtcGetPTXSize, nvrtc->nvrtcGetPTX);
    return cuda_check(cuda_result(device,
                                  device->cuda.cuModuleLoadData(
                                      &program->module,
                                      program->machine.len ? program->machine.data : program->ptx),
                                  STATUS_IO),
                      err, "load the compiled program");
}

/* Compile, and load what comes of it; `*code` is the compiler's answer. */
static enum status compile(struct program *program, const char *source, struct build_report *report,
                           nvrtcResult *code, struct error *err)
{
    const struct nvrtc *nvrtc = &program->device->nvrtc;
    struct words options = list_options(program->device, report->options);
    int64_t start_us = clock_now_us();
    nvrtcProgram handle = NULL;
    enum status st = STATUS_OK;

    *code = nvrtc->nvrtcCreateProgram(&handle, source, "kernel.cu", 0, NULL, NULL);
    if (!*code)
        *code = nvrtc->nvrtcCompileProgram(handle, (int)options.count,
                                           (const char *const *)options.items);
    report->ms = (double)(clock_now_us() - start_us) / 1000;
    report->is_present = true;
    program->log = handle ? take(handle, nvrtc->nvrtcGetProgramLogSize, nvrtc->nvrtcGetProgramLog)
                          : mem_strdup("");
    report->log = mem_strdup(program->log);
    if (!*code)
        st = load(program, handle, err);
    else if (*code != NVRTC_ERROR_COMPILATION && *code != NVRTC_ERROR_INVALID_OPTION)
        st = error_set(err, STATUS_IO, "NVRTC cannot compile: %s",
                       nvrtc->nvrtcGetErrorString(*code));
    if (handle)
        (void)nvrtc->nvrtcDestroyProgram(&handle);
    words_release(&options);
    return st;
}

static enum status find_kernels(struct program *program, struct error *err)
{
    const struct device *device = program->device;
    enum status st = STATUS_OK;

    ptx_read(program->ptx, &program->entries);
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
    struct build_report made = {.options = mem_strdup(source->options)};
    struct program *built = mem_alloc_zeroed(1, sizeof(*built));
    nvrtcResult code = NVRTC_SUCCESS;
    enum status st;

    built->device = device;
    st = compile(built, source->text, &made, &code, err);
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
    free(program->log);
    free(program->ptx);
    strbuf_release(&program->machine);
    free(program);
}

enum status cuda_code(struct program *program, enum code_kind kind, struct strbuf *out,
                      struct error *err)
{
    if (kind == CODE_PTX)
        strbuf_adds(out, program->ptx);
    else if (program->machine.len)
        strbuf_add(out, program->machine.data, program->machine.len);
    else
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s compiles to PTX alone for %s, which the driver translates: install a "
                         "newer toolkit",
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
