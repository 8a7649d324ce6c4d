#include "backends/cuda/nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/cuda/symbols.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/file.h"

static const struct symbol symbols[] = {
#define NVRTC_SYMBOL(type, name, arguments) {#name, offsetof(struct nvrtc, name)},
    NVRTC_FUNCTIONS(NVRTC_SYMBOL)};

enum { SYMBOL_COUNT = COUNT(symbols) };

/* The newest first; later versions 11.x keep the soname 11.2. */
static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};

enum { NAME_COUNT = COUNT(names) };

/* The folder at `index` among those where a toolkit may be; NULL after the last. */
static const char *toolkit(size_t index)
{
    const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};

    for (size_t i = 0; i < COUNT(folders); i++)
        if (folders[i] && index-- == 0)
            return folders[i];
    return NULL;
}

static void *open_in(const char *folder, const char *name)
{
    char *path = file_join(folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    free(path);
    return library;
}

static void *open_in_toolkit(const char *root, const char *name)
{
    char *folder = file_join(root, "lib64");
    void *library = open_in(folder, name);

    free(folder);
    return library;
}

static void *open_library(void)
{
    void *library = NULL;

    for (size_t i = 0; !library && i < NAME_COUNT; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t t = 0; !library && toolkit(t); t++)
        for (size_t i = 0; !library && i < NAME_COUNT; i++)
            library = open_in_toolkit(toolkit(t), names[i]);
    return library;
}

enum status nvrtc_open(struct nvrtc *nvrtc, struct error *err)
{
    struct nvrtc opened = {.library = open_library()};
    struct error why = {0};
    enum status st;

    if (!opened.library)
        return error_set(err, STATUS_UNAVAILABLE,
                         "no libnvrtc.so.13, .12 or .11.2: install CUDA's toolkit, or set "
                         "CUDA_HOME to its folder");
    st = symbols_bind(opened.library, symbols, SYMBOL_COUNT, &opened, &why);
    if (!st && opened.nvrtcVersion(&opened.major, &opened.minor))
        st = error_set(&why, STATUS_UNAVAILABLE, "nvrtcVersion() fails");
    if (st)
        error_set(err, st, "libnvrtc: %s: install CUDA's toolkit 11.2 or newer", why.text);
    if (st)
        nvrtc_close(&opened);
    else
        *nvrtc = opened;
    return st;
}

void nvrtc_close(struct nvrtc *nvrtc)
{
    if (nvrtc->library)
        dlclose(nvrtc->library);
    *nvrtc = (struct nvrtc){0};
}

/*
 * The newest architecture the compiler knows that is not newer than `capability`; 0 if there is
 * none.
 */
static int newest_known(const struct nvrtc *nvrtc, int capability)
{
    int count = 0, newest = 0;
    int *archs;

    (void)nvrtc->nvrtcGetNumSupportedArchs(&count);
    archs = mem_alloc_zeroed((size_t)count + 1, sizeof(*archs));
    (void)nvrtc->nvrtcGetSupportedArchs(archs);
    for (int i = 0; i < count; i++)
        if (archs[i] <= capability && archs[i] > newest)
            newest = archs[i];
    free(archs);
    return newest;
}

/* From 9.0 on, the suffix "a" (sm_90a) allows features that only this architecture has. */
enum { FIRST_WITH_SPECIFIC_FEATURES = 90 };

void nvrtc_arch(const struct nvrtc *nvrtc, int capability, char arch[NVRTC_ARCH_SIZE])
{
    int known = newest_known(nvrtc, capability);

    if (known == capability)
        snprintf(arch, NVRTC_ARCH_SIZE, "sm_%d%s", known,
                 known >= FIRST_WITH_SPECIFIC_FEATURES ? "a" : "");
    else
        snprintf(arch, NVRTC_ARCH_SIZE, "compute_%d", known);
}

char *nvrtc_headers(void)
{
    for (size_t i = 0; toolkit(i); i++) {
        char *folder = file_join(toolkit(i), "include");
        char *header = file_join(folder, "cuda_fp16.h");
        bool is_there = file_exists(header);

        free(header);
        if (is_there)
            return folder;
        free(folder);
    }
    return NULL;
}
