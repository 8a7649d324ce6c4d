#include "backends/host/program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/diagnostics/compiler_log.h"
#include "backends/host/checked_build.h"
#include "backends/host/host_calls.h"
#include "backends/host/object.h"
#include "backends/host/object_maker.h"
#include "core/base/vec.h"
#include "core/model/language.h"
#include "core/system/clock.h"
#include "core/system/file.h"

static void add_kernel(void *data, const char *name)
{
    struct program *program = data;

    if (strncmp(name, "_Z", 2) == 0) /* the C++ name of a function or template */
        return;
    program->kernels = mem_grow(program->kernels, &program->capacity, program->count + 1,
                                sizeof(*program->kernels));
    program->kernels[program->count++] =
        (struct kernel){.name = mem_strdup(name), .function = dlsym(program->handle, name)};
}

/* A name that need not end with a zero, as the key of a search. */
struct name {
    const char *text;
    size_t len;
};

static int compare_name(const void *key, const void *kernel)
{
    const struct name *name = key;
    const char *other = ((const struct kernel *)kernel)->name;
    int order = strncmp(name->text, other, name->len);

    return order ? order : other[name->len] ? -1 : 0;
}

static int compare_kernels(const void *a, const void *b)
{
    return strcmp(((const struct kernel *)a)->name, ((const struct kernel *)b)->name);
}

/* The kernels are in the order of their names. */
static struct kernel *find_kernel(const struct program *program, const char *text, size_t len)
{
    const struct name name = {text, len};

    if (!program->count)
        return NULL;
    return bsearch(&name, program->kernels, program->count, sizeof(*program->kernels),
                   compare_name);
}

static struct signature *signature_of(void *data, const char *name, size_t len)
{
    struct kernel *kernel = find_kernel(data, name, len);

    return kernel ? &kernel->signature : NULL;
}

/* Load the object from its file in memory. False if the loader refuses it. */
static bool load(struct program *program, const char *source)
{
    struct host_calls **calls;
    char path[64];

    program->file = memfd_create("kernel", MFD_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", program->file);
    if (program->file < 0 ||
        file_write_all(program->file, strbuf_cstr(&program->object), program->object.len, NULL))
        return false;
    program->handle = dlopen(program->path.len ? strbuf_cstr(&program->path) : path,
                             RTLD_NOW | RTLD_LOCAL | (program->has_runtime ? RTLD_NODELETE : 0));
    if (!program->handle)
        return false;
    object_functions(&program->object, add_kernel, program);
    if (program->count)
        qsort(program->kernels, program->count, sizeof(*program->kernels), compare_kernels);
    signatures_read(source, signature_of, program);
    calls = dlsym(program->handle, "kforge_host");
    if (calls)
        *calls = program->calls = host_calls_new(program->device->info.compute_units);
    return true;
}

static void unload(struct program *program)
{
    for (size_t i = 0; i < program->count; i++)
        free(program->kernels[i].name);
    free(program->kernels);
    program->kernels = NULL;
    program->count = program->capacity = 0;
    if (program->handle)
        (void)dlclose(program->handle);
    program->handle = NULL;
    /* an object that stays loaded keeps its file, because the loader knows it by this number */
    if (program->file >= 0 && !program->has_runtime)
        close(program->file);
    program->file = -1;
    free(program->calls);
    program->calls = NULL;
    strbuf_release(&program->object);
    strbuf_release(&program->path);
}

/* Load the object of an earlier build. False if there is none or the loader refuses it. */
static bool recall(struct program *program, const struct program_source *source,
                   struct build_report *report)
{
    const struct binary *binary = source->binary;

    if (!binary || checked_build_wanted())
        return false;
    strbuf_add(&program->object, strbuf_cstr(&binary->machine), binary->machine.len);
    if (!load(program, source->text)) {
        unload(program);
        return false;
    }
    report->is_cached = true;
    program->log = mem_strdup(binary->log);
    return true;
}

static enum status compile(struct program *program, const struct program_source *source,
                           bool *is_accepted, struct error *err)
{
    struct compilation made = {0};
    const struct object_source asked = {.language = source->language ? source->language : "",
                                        .text = source->text,
                                        .options = source->options ? source->options : ""};
    enum status st = compiler_child_compile(&program->device->child, &asked, &made, err);

    if (st)
        return st;
    *is_accepted = made.is_accepted;
    program->log = mem_strdup(strbuf_cstr(&made.log));
    strbuf_add(&program->object, strbuf_cstr(&made.object), made.object.len);
    strbuf_adds(&program->path, strbuf_cstr(&made.path));
    compilation_release(&made);
    if (*is_accepted && !load(program, source->text))
        return error_set(err, STATUS_INVALID, "cannot load the kernel: %s", dlerror());
    return STATUS_OK;
}

enum status host_build(struct device *device, const struct program_source *source,
                       struct program **program, struct build_report *report, struct error *err)
{
    struct build_report made = {.options = mem_strdup(source->options), .is_present = true};
    struct program *built = mem_alloc_zeroed(1, sizeof(*built));
    int64_t start_us = clock_now_us();
    bool is_accepted = true;
    enum status st = STATUS_OK;

    built->device = device;
    built->has_runtime = source->language && language_of(source->language)->has_runtime;
    built->file = -1;
    if (!recall(built, source, &made))
        st = compile(built, source, &is_accepted, err);
    made.ms = (double)(clock_now_us() - start_us) / 1000;
    made.log = built->log ? mem_strdup(built->log) : NULL;
    if (st) {
        build_report_release(&made);
        host_program_free(built);
        return st;
    }
    if (is_accepted) {
        compiler_log_read(&made);
        *program = built;
    } else {
        compiler_log_read_failure(&made);
        host_program_free(built);
        *program = NULL;
    }
    *report = made;
    return STATUS_OK;
}

void host_program_free(struct program *program)
{
    if (!program)
        return;
    unload(program);
    if (program->device->last == program)
        program->device->last = NULL;
    free(program->log);
    free(program);
}

enum status host_binary(const struct program *program, struct binary *made, struct error *err)
{
    if (checked_build_wanted())
        return error_set(err, STATUS_UNAVAILABLE, "checked builds are not kept");
    *made = (struct binary){.log = mem_strdup(program->log), .ptx = mem_strdup("")};
    strbuf_add(&made->machine, strbuf_cstr(&program->object), program->object.len);
    return STATUS_OK;
}

enum status host_resources(struct program *program, struct resource_list *found, struct error *err)
{
    (void)err;
    for (size_t i = 0; i < program->count; i++)
        vec_push(found, ((struct kernel_resources){.kernel = mem_strdup(program->kernels[i].name),
                                                   .max_group = 1}));
    return STATUS_OK;
}

enum status host_code(struct program *program, enum code_kind kind, struct strbuf *out,
                      struct error *err)
{
    (void)out;
    return error_set(err, STATUS_UNAVAILABLE, "%s does not show %s", program->device->info.id,
                     kind == CODE_PTX ? "PTX" : "machine code");
}

enum status host_program_kernel(const struct program *program, const char *name,
                                const struct kernel **kernel, struct error *err)
{
    const struct kernel *found = find_kernel(program, name, strlen(name));
    struct strbuf names = {0};

    if (found) {
        *kernel = found;
        return STATUS_OK;
    }
    for (size_t i = 0; i < program->count; i++)
        strbuf_add_item(&names, program->kernels[i].name);
    error_set(err, STATUS_INVALID,
              "the source has no kernel %s: it has %s (a kernel is a function that is not static)",
              name, names.len ? strbuf_cstr(&names) : "none");
    strbuf_release(&names);
    return STATUS_INVALID;
}
