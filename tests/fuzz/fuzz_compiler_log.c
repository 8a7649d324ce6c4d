#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/ptx.h"
#include "backends/diagnostics/compiler_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read a compiler's output as the log of a failed build, and as one that lists resources. */
static void read_log(const char *log)
{
    struct build_report report = {.is_present = true, .log = strdup(log)};
    char kernel[] = "twice";
    struct kernel_resources resources = {.kernel = kernel};

    compiler_log_read_failure(&report);
    if (report.diagnostics.count == 0)
        abort(); /* a failed build always has a diagnostic */
    compiler_log_read_resources(log, &resources);
    build_report_release(&report);
}

/* Read the input as PTX. */
static void read_ptx(const char *text)
{
    struct ptx_entries entries = {0};

    ptx_read(text, &entries);
    for (size_t i = 0; i < entries.count; i++)
        if (!*entries.items[i].name)
            abort();
    ptx_entries_release(&entries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);

    read_log(text);
    read_ptx(text);
    free(text);
    return 0;
}
