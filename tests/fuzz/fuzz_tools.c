#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/tools/bottleneck.h"
#include "core/judge/tools/ncu.h"
#include "core/judge/tools/sanitizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read the input as the output of NVIDIA's tools, which may be truncated or broken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_alloc_zeroed(size + 1, 1);
    struct profile profile = {0};
    struct sanitizing sanitizing = {0};

    memcpy(text, data, size);
    if (ncu_read_raw(text, &profile))
        bottleneck_find(&profile);
    ncu_read_source(text, &profile);
    sanitizer_read(text, &sanitizing);
    free(ncu_find_error(text));
    sanitizing_release(&sanitizing);
    profile_release(&profile);
    free(text);
    return 0;
}
