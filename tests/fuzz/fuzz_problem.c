#include <stddef.h>
#include <stdint.h>

#include "core/model/problem_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct problem problem = {0};
    struct error err;

    if (problem_parse(&problem, (const char *)data, size, "fuzz.json", &err) == STATUS_OK)
        problem_release(&problem);
    return 0;
}
