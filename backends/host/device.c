#include "backends/host/device.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backends/host/sycl_runtime.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/language.h"

static unsigned count_cores(void)
{
    cpu_set_t allowed;

    return sched_getaffinity(0, sizeof(allowed), &allowed) ? 1 : (unsigned)CPU_COUNT(&allowed);
}

/* The name of the first core in /proc/cpuinfo; "processor" if it has none. The caller frees. */
static char *core_name(void)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[512], *name = NULL;

    while (file && !name && fgets(line, sizeof(line), file))
        if (text_begins(line, "model name") && strchr(line, ':')) {
            const char *text = strchr(line, ':') + 1;

            text += strspn(text, " ");
            line[strcspn(line, "\n")] = '\0';
            name = mem_strdup(text);
        }
    if (file)
        fclose(file);
    return name ? name : mem_strdup("processor");
}

/* The number of floats in a vector, and the name of the vector instructions. */
static unsigned vector_width(const char **instructions)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        *instructions = "AVX-512";
        return 16;
    }
    if (__builtin_cpu_supports("avx2")) {
        *instructions = "AVX2";
        return 8;
    }
    *instructions = "SSE2";
    return 4;
#else
    *instructions = "NEON";
    return 4;
#endif
}

/*
 * The platform, such as "Linux x86_64, AVX2": besides the core's name, compiled code depends on it.
 */
static char *platform_text(const char *instructions)
{
    struct utsname system = {0};
    struct strbuf text = {0};

    (void)uname(&system);
    strbuf_addf(&text, "%s %s, %s", system.sysname, system.machine, instructions);
    return strbuf_take(&text);
}

/*
 * The size in bytes of the core's cache that a tile should fit into. It is reported as local
 * memory.
 */
static int64_t core_cache(void)
{
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

    return bytes > 0 ? bytes : 256 << 10;
}

/* "C17, gcc (Debian 12.2.0-14) 12.2.0; C++17, g++ ..." */
static char *compiler_text(const struct found_compiler *compilers)
{
    struct strbuf text = {0};

    strbuf_addf(&text, "C17, %s", compilers[0].version);
    if (compilers[1].row)
        strbuf_addf(&text, "; C++17, %s", compilers[1].version);
    if (compilers[2].row)
        strbuf_addf(&text, "; SYCL, %s, %s", compilers[2].row->name, compilers[2].version);
    return strbuf_take(&text);
}

static struct device_info describe(const struct found_compiler *compilers)
{
    struct device_info info;
    const char *instructions;
    int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    unsigned width = vector_width(&instructions);

    info = (struct device_info){
        .id = mem_strdup("host:0"),
        .name = core_name(),
        .platform = platform_text(instructions),
        .compiler = compiler_text(compilers),
        .language = mem_strdup("c"),
        .is_cpu = true,
        .compute_units = count_cores(),
        .vector_width_f32 = width,
        .max_work_group = 1,
        .memory_bytes = memory,
        .max_buffer_bytes = memory / 2,
        .local_bytes = core_cache(),
    };
    for (size_t i = 1; i < COMPILER_LANGUAGES; i++)
        if (compilers[i].row)
            device_info_add_language(&info, compilers[i].row->language);
    return info;
}

enum status host_probe(struct device_list *found, struct error *err)
{
    struct found_compiler compilers[COMPILER_LANGUAGES];

    (void)err;
    if (!compilers_find(compilers))
        return STATUS_OK;
    vec_push(found, describe(compilers));
    compilers_release(compilers);
    return STATUS_OK;
}

enum status host_open(size_t index, struct device **device, struct error *err)
{
    struct device *opened;
    enum status st;

    if (index > 0)
        return error_set(err, STATUS_UNAVAILABLE, "no device host:%zu: this machine has host:0",
                         index);
    opened = mem_alloc_zeroed(1, sizeof(*opened));
    if (!compilers_find(opened->compilers)) {
        free(opened);
        return error_set(
            err, STATUS_UNAVAILABLE,
            "host:0 needs a compiler: install gcc or clang, or name one with KFORGE_CC");
    }
    opened->info = describe(opened->compilers);
    st = compiler_child_start(&opened->child, opened->compilers, err);
    if (st)
        host_close(opened);
    else
        *device = opened;
    return st;
}

void host_expect(struct device *device, const char *language)
{
    device->wants_runtime =
        language_of(language)->has_runtime && device_info_takes(&device->info, language);
}

enum status host_start(struct device *device, struct error *err)
{
    if (!device->team)
        device->team = team_new(device->info.compute_units);
    if (device->team && team_size(device->team) == device->info.compute_units)
        return device->wants_runtime && !device->runtime
                   ? sycl_runtime_load(&device->child, device->team, &device->runtime, err)
                   : STATUS_OK;
    return error_set(err, STATUS_UNAVAILABLE, "%s cannot start %u threads", device->info.id,
                     device->info.compute_units);
}

void host_close(struct device *device)
{
    if (!device)
        return;
    sycl_runtime_free(device->runtime);
    team_free(device->team);
    compiler_child_end(&device->child);
    compilers_release(device->compilers);
    device_info_release(&device->info);
    free(device);
}
