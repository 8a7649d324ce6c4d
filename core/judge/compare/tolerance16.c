#include "core/judge/compare/tolerance16.h"

#include <stdlib.h>

#include "core/base/attr.h"
#include "core/base/mem.h"
#include "core/system/parallel.h"

enum { GRAIN = 1 << 18 };

struct job {
    const float *from;
    uint16_t *to;
};

WIDE static void encode(void *data, size_t first, size_t last)
{
    const struct job *job = data;

    for (size_t i = first; i < last; i++)
        job->to[i] = tolerance16_code(job->from[i]);
}

void tolerance16_encode(const float *tolerances, size_t count, uint16_t *codes)
{
    struct job job = {.from = tolerances};

    job.to = codes;
    parallel_for(count, GRAIN, encode, &job);
}

uint16_t *tolerance16_take(float *tolerances, size_t count)
{
    uint16_t *codes = mem_resize(NULL, count, sizeof(*codes));

    tolerance16_encode(tolerances, count, codes);
    free(tolerances);
    return codes;
}
