#include "backends/cuda/nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/cuda/platform.h"
#include "core/base/mem.h"
#include "core/system/file.h"

enum status nvrtc_open(const struct gpu_platform *platform, struct nvrtc *nvrtc, struct error *err)
{
    struct nvrtc opened = {.platform = platform,
                           .library = library_open(&platform->compiler_place)};
    struct error why = {0};
    enum status st;

    if (!opened.library)
        return error_set(err, STATUS_UNAVAILABLE, "%s", platform->no_compiler);
    st = symbols_bind(opened.library, platform->compiler_symbols, &opened, &why);
    if (!st && opened.nvrtcVersion(&opened.major, &opened.minor))
        st = error_set(&why, STATUS_UNAVAILABLE, "it does not say its version");
    if (st)
        error_set(err, st, "%s: %s", platform->old_compiler, why.text);
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

char *nvrtc_headers(const struct gpu_platform *platform)
{
    for (size_t i = 0; library_folder(&platform->compiler_place, i); i++) {
        char *folder = file_join(library_folder(&platform->compiler_place, i), "include");
        char *header = file_join(folder, "cuda_fp16.h");
        bool is_there = file_exists(header);

        free(header);
        if (is_there)
            return folder;
        free(folder);
    }
    return NULL;
}
