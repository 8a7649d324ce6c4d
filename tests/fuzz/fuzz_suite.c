#include <stddef.h>
#include <stdint.h>

#include "core/suite/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A suite that is read can be printed and counted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct suite suite = {0};
    struct strbuf text = {0};
    struct error err;

    if (suite_parse(&suite, (const char *)data, size, "fuzz.json", &err))
        return 0;
    suite_print(&suite, &text);
    suite_task_at(&suite, suite_task_count(&suite) - 1);
    strbuf_release(&text);
    suite_release(&suite);
    return 0;
}
