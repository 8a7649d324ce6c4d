#include "core/judge/blas.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char choice[] = "OPENBLAS_CORETYPE";

/* What OpenBLAS falls back to on x86. */
static const char oldest[] = "Prescott";

/* The newest kernels whose instructions the processor has. */
static const char *newest_kernels(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

const char *blas_better_kernels(const char *chosen)
{
    return strcmp(chosen, oldest) == 0 ? newest_kernels() : NULL;
}

void blas_suit_processor(char *const *argv)
{
    const char *better = blas_better_kernels(openblas_get_corename());

    if (better && !getenv(choice) && setenv(choice, better, 1) == 0)
        (void)execv("/proc/self/exe", argv);
}
